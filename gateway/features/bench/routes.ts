import * as z from 'zod';
import { errorBody, idInput } from '#contract/fields.ts';
import {
  type BenchJobInput,
  benchFirmware,
  benchJobAnswer,
  benchJobDetail,
  benchJobInput,
  benchJobQuery,
  benchLabel,
  benchLabelQuery,
  benchPort,
} from '#contract/resources/bench.ts';
import { audit } from '#core/audit.ts';
import { forbidden } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { JobDesk } from './job-desk.ts';
import { type LabelDeps, labelsOf } from './labels.ts';
import { type StartDeps, startJob } from './start-job.ts';

export type BenchRouteDeps = Kernel &
  StartDeps &
  LabelDeps & {
    desk: JobDesk;
    /** True when the user may operate some farm of this instance. */
    operatesSomeFarm: (userId: string) => Promise<boolean>;
  };

const tag = 'Bench';
const account = { tag, access: { who: 'account' }, token: 'never' } as const;
const refused = { 403: { schema: errorBody } } as const;
const jobParams = z.object({ job_id: idInput });
const htmlPage = z.string().describe('A page to print at 100 % on A4 sheets of 24 labels, 70 × 37 mm');

export function benchRoutes(deps: BenchRouteDeps): Route[] {
  /** The ports are those of the box: who operates a farm of it stands before it. */
  async function technician(request: Pick<Request<unknown, unknown, unknown>, 'caller'>): Promise<string> {
    const { userId } = signedIn(request);
    if (await deps.operatesSomeFarm(userId)) return userId;
    throw forbidden('Only those who operate a farm of this gateway use its bench');
  }
  return [...lookRoutes(deps, technician), ...jobRoutes(deps, technician), ...labelRoutes(deps)];
}

type Technician = (request: Pick<Request<unknown, unknown, unknown>, 'caller'>) => Promise<string>;

function lookRoutes(deps: BenchRouteDeps, technician: Technician): Route[] {
  return [
    route({
      ...account,
      method: 'GET',
      path: '/bench/ports',
      summary: 'Serial ports of this box, and who uses them',
      answers: { 200: { schema: benchPort, list: true }, ...refused },
      async handle(request) {
        await technician(request);
        const ports = await deps.listPorts();
        const rows = ports.map((port) => ({ ...port, job_id: deps.desk.jobAt(port.path) }));
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      ...account,
      method: 'GET',
      path: '/bench/firmware',
      summary: 'Firmware that lies on this box for flashing by cable',
      answers: { 200: { schema: benchFirmware, list: true }, ...refused },
      async handle(request) {
        await technician(request);
        const found = await deps.firmware();
        const rows = found.map(({ name, chip, version, bytes, parts, trouble }) => ({
          name,
          chip,
          version,
          bytes,
          parts,
          trouble,
        }));
        return { answer: { status: 200, rows } };
      },
    }),
  ];
}

function jobRoutes(deps: BenchRouteDeps, technician: Technician): Route[] {
  return [
    route({
      ...account,
      method: 'POST',
      path: '/bench/jobs',
      summary:
        'Let a board at a port of this box be detected, flashed, erased, provisioned, tested or watched',
      body: benchJobInput,
      answers: { 202: { schema: benchJobAnswer }, ...refused },
      async handle(request) {
        const userId = await technician(request);
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
          },
        });
        const answer = { status: 202, body: job };
        // a board is worked on all the same: that is in the log of the program
        return { answer, changes: [entry], whenStorageFails: () => answer };
      },
    }),
    route({
      ...account,
      method: 'GET',
      path: '/bench/jobs',
      summary: 'Jobs since the gateway started, newest first, without their logs; the last 50 are kept',
      answers: { 200: { schema: benchJobAnswer, list: true }, ...refused },
      async handle(request) {
        await technician(request);
        return { answer: { status: 200, rows: deps.desk.list() } };
      },
    }),
    route({
      ...account,
      method: 'GET',
      path: '/bench/jobs/{job_id}',
      summary: 'How a job stands, with the lines of its log after a number',
      params: jobParams,
      query: benchJobQuery,
      answers: { 200: { schema: benchJobDetail }, ...refused },
      async handle(request) {
        await technician(request);
        const body = deps.desk.detail(request.params.job_id, request.query.after);
        return { answer: { status: 200, body } };
      },
    }),
    route({
      ...account,
      method: 'DELETE',
      path: '/bench/jobs/{job_id}',
      summary: 'Ask a running job to stop; one that has ended stays as it is',
      params: jobParams,
      answers: { 200: { schema: benchJobAnswer }, ...refused },
      async handle(request) {
        await technician(request);
        return { answer: { status: 200, body: deps.desk.cancel(request.params.job_id) } };
      },
    }),
  ];
}

function labelRoutes(deps: BenchRouteDeps): Route[] {
  return [
    route({
      ...account,
      // who has a control token may make the very keys
      token: 'control',
      method: 'GET',
      path: '/bench/labels',
      summary: 'Labels of control points you may operate, with their QR codes',
      query: benchLabelQuery,
      answers: { 200: { schema: benchLabel, list: true } },
      async handle(request) {
        const rows = await labelsOf(deps, request.query.ids, signedIn(request).userId);
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      ...account,
      // who has a control token may make the very keys
      token: 'control',
      method: 'GET',
      path: '/bench/label-sheet',
      summary: 'The same as a page for the printer',
      query: benchLabelQuery,
      answers: { 200: { schema: htmlPage, media: 'text/html' } },
      async handle(request) {
        const labels = await labelsOf(deps, request.query.ids, signedIn(request).userId);
        const { html, style } = await deps.labelPage(labels);
        return { answer: { status: 200, text: { type: 'text/html; charset=utf-8', chunks: [html], style } } };
      },
    }),
  ];
}
