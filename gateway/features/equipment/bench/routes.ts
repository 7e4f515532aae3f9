import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type BenchJobAnswer,
  type BenchJobInput,
  type BenchLine,
  benchFirmware,
  benchJobAnswer,
  benchJobDetail,
  benchJobInput,
  benchJobQuery,
  benchPort,
} from '#contract/resources/bench.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { audit } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { BenchJob, JobDesk, JobLine } from './job-desk.ts';
import { type LabelDeps, labelRoutes } from './label-routes.ts';
import { type StartDeps, startJob } from './start-job.ts';

export type BenchRouteDeps = Kernel &
  StartDeps &
  LabelDeps & {
    desk: JobDesk;
  };

const tag = 'Bench';
// the ports are those of the box, whoever has a farm on it
const onBox = { tag, access: { who: 'box', right: 'work' }, token: 'never' } as const;
const jobParams = z.object({ job_id: idInput });

export function benchRoutes(deps: BenchRouteDeps): Route[] {
  return [...lookRoutes(deps), ...jobRoutes(deps), ...labelRoutes(deps)];
}

/** Neighbours may share a gateway: each sees and stops the jobs he began, and those of control points he may operate. */
async function isOwn(
  deps: Pick<BenchRouteDeps, 'accessTo'>,
  { started_by, control_point_id }: BenchJob,
  userId: string,
): Promise<boolean> {
  if (started_by === userId) return true;
  if (control_point_id === null) return false;
  const found = await deps.accessTo('control_point', control_point_id, userId);
  return found?.role != null && mayOnFarm(found.role, 'operate');
}

async function jobsOf(deps: BenchRouteDeps, userId: string): Promise<BenchJob[]> {
  const jobs = deps.desk.list();
  const own = await Promise.all(jobs.map((job) => isOwn(deps, job, userId)));
  return jobs.filter((_, at) => own[at]);
}

/** Throws 404 for a job that is not there or not the caller's. */
async function requireOwn(deps: BenchRouteDeps, jobId: string, userId: string): Promise<void> {
  const job = deps.desk.list().find(({ id }) => id === jobId);
  if (job === undefined || !(await isOwn(deps, job, userId))) throw notFound('Job');
}

function lookRoutes(deps: BenchRouteDeps): Route[] {
  return [
    route({
      ...onBox,
      method: 'GET',
      path: '/bench/ports',
      summary: 'Serial ports of this box, and who uses them',
      answers: { 200: { schema: benchPort, list: true } },
      async handle(request) {
        const { userId } = signedIn(request);
        const own = new Set((await jobsOf(deps, userId)).map(({ id }) => id));
        const rows = (await deps.listPorts()).map((port) => {
          const job = deps.desk.jobAt(port.path);
          return { ...port, is_busy: job !== null, job_id: job !== null && own.has(job) ? job : null };
        });
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      ...onBox,
      method: 'GET',
      path: '/bench/firmware',
      summary: 'Firmware that lies on this box for flashing by cable',
      answers: { 200: { schema: benchFirmware, list: true } },
      async handle(request) {
        const found = await deps.firmware();
        const rows = found.map((bundle) => ({
          name: bundle.name,
          chip: bundle.chip,
          version: bundle.version,
          bytes: bundle.bytes,
          parts: bundle.parts,
          trouble: bundle.trouble?.[request.language] ?? null,
          signature: bundle.signature,
          signed_by: bundle.signed_by,
        }));
        return { answer: { status: 200, rows } };
      },
    }),
  ];
}

function jobRoutes(deps: BenchRouteDeps): Route[] {
  return [
    route({
      ...onBox,
      method: 'POST',
      path: '/bench/jobs',
      summary:
        'Let a board at a port of this box be detected, flashed, erased, provisioned, tested or watched',
      body: benchJobInput,
      answers: { 202: { schema: benchJobAnswer } },
      async handle(request) {
        const { userId } = signedIn(request);
        const body: BenchJobInput = request.body;
        const job = await startJob(deps, deps.desk, body, userId);
        const entry = audit(deps, {
          farm_id: null,
          entity_type: 'SYSTEM',
          entity_id: deps.idOf('system:bench'),
          entity_name: 'bench',
          action: `bench_${body.kind}`,
          user_id: userId,
          details: {
            job: job.id,
            port: job.port,
            firmware: job.firmware,
            control_point: job.control_point_id,
            ...(body.kind === 'flash' && body.allow_unsigned === true ? { allow_unsigned: true } : {}),
          },
        });
        const answer = { status: 202, body: answerOf(job, request.language) };
        // a board is worked on all the same: that is in the log of the program
        return { answer, changes: [entry], whenStorageFails: () => answer };
      },
    }),
    route({
      ...onBox,
      method: 'GET',
      path: '/bench/jobs',
      summary:
        'Jobs that you began, or of control points you may operate, newest first, without their logs; the last 50 of the gateway are kept, until it stops',
      answers: { 200: { schema: benchJobAnswer, list: true } },
      async handle(request) {
        const { userId } = signedIn(request);
        const jobs = await jobsOf(deps, userId);
        return { answer: { status: 200, rows: jobs.map((job) => answerOf(job, request.language)) } };
      },
    }),
    route({
      ...onBox,
      method: 'GET',
      path: '/bench/jobs/{job_id}',
      summary: 'How a job stands, with the lines of its log after a number',
      params: jobParams,
      query: benchJobQuery,
      answers: { 200: { schema: benchJobDetail } },
      async handle(request) {
        const { job_id } = request.params;
        await requireOwn(deps, job_id, signedIn(request).userId);
        const { lines, ...job } = deps.desk.detail(job_id, request.query.after);
        const body = { ...answerOf(job, request.language), lines: linesIn(lines, request.language) };
        return { answer: { status: 200, body } };
      },
    }),
    route({
      ...onBox,
      method: 'DELETE',
      path: '/bench/jobs/{job_id}',
      summary: 'Ask a running job to stop; one that has ended stays as it is',
      params: jobParams,
      answers: { 200: { schema: benchJobAnswer } },
      async handle(request) {
        const { job_id } = request.params;
        await requireOwn(deps, job_id, signedIn(request).userId);
        return { answer: { status: 200, body: answerOf(deps.desk.cancel(job_id), request.language) } };
      },
    }),
  ];
}

function answerOf({ progress, trouble, ...job }: BenchJob, language: Language): BenchJobAnswer {
  return {
    ...job,
    progress: progress === null ? null : { ...progress, message: progress.message[language] },
    trouble:
      trouble === null
        ? null
        : { code: trouble.code, message: trouble.message[language], next: trouble.next[language] },
  };
}

const linesIn = (lines: readonly JobLine[], language: Language): BenchLine[] =>
  lines.map((line) => ({ ...line, text: line.text[language] }));
