import type { BenchJobAnswer, BenchJobKind, BenchLine } from '#contract/resources/bench.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { ControlViews } from '#features/control/control-view.ts';
import { type BoardResult, type Fault, type JobContext, JobFault, type Told } from './ports.ts';

/** Each is a process of its own beside control. */
const MOST_RUNNING = 3;
const JOBS_KEPT = 50;
const LINES_KEPT = 2_000;
const LONGEST_LINE = 500;

type JobAsked = {
  kind: BenchJobKind;
  port: string;
  controlPointId: string | null;
  firmware: string | null;
  startedBy: string;
};

/** A job as the desk keeps it: its words in each language, for whoever asks. */
export type BenchJob = Omit<BenchJobAnswer, 'progress' | 'trouble'> & {
  progress: Omit<Told, 'level'> | null;
  trouble: Fault | null;
};
export type JobLine = Omit<BenchLine, 'text'> & { text: InEach };

export type JobDesk = {
  /** Throws 409 when the port has a job, or the bench has enough of them. */
  requireFree: (port: string) => void;
  /** Notes a job and sets `work` going; what that tells and how it ends is kept, in memory and bounded. */
  begin: (asked: JobAsked, work: (context: JobContext) => Promise<BoardResult>) => BenchJob;
  /** Newest first. */
  list: () => BenchJob[];
  /** Throws 404. */
  detail: (id: string, after: number) => BenchJob & { lines: JobLine[] };
  /** Asks a job to stop; one that has ended stays as it is. Throws 404. */
  cancel: (id: string) => BenchJob;
  /** The job that runs at a port, or null. */
  jobAt: (port: string) => string | null;
  /** Stops what runs and waits for it. */
  stop: () => Promise<void>;
};

type Kept = { job: BenchJob; lines: JobLine[]; stopping: AbortController; ended: Promise<void> };

const CANCELLED: Fault = {
  code: 'CANCELLED',
  message: inEach(
    'o trabalho foi parado antes do fim',
    'the job was stopped before its end',
    'el trabajo se detuvo antes del final',
  ),
  next: inEach(
    'deixe o cabo ligado e comece o trabalho de novo: o que já está certo é pulado',
    'leave the cable in and start the job again: what is already right is skipped',
    'deje el cable conectado y comience el trabajo de nuevo: lo que ya está bien se salta',
  ),
};

/** The Portuguese, and the Spanish, for what the gateway itself refused in the middle of a job. */
const REFUSALS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'o ponto de controle não existe mais',
  FORBIDDEN: 'o seu acesso não permite mais este passo',
  STORAGE_UNAVAILABLE: 'o gateway não conseguiu gravar no disco',
  BUSY: 'o gateway está ocupado',
};
const REFUSALS_ES: typeof REFUSALS = {
  NOT_FOUND: 'el punto de control ya no existe',
  FORBIDDEN: 'su acceso ya no permite este paso',
  STORAGE_UNAVAILABLE: 'el gateway no pudo grabar en el disco',
  BUSY: 'el gateway está ocupado',
};
const REFUSED = 'o gateway recusou um passo do trabalho';
const REFUSED_ES = 'el gateway rechazó un paso del trabajo';

type JobDeskDeps = Pick<Kernel, 'now' | 'newId' | 'log'> & {
  /** A job began, went on, said something or ended. */
  changed: () => void;
};

export function createJobDesk(deps: JobDeskDeps): JobDesk {
  const jobsById = new Map<string, Kept>();
  const running = () => [...jobsById.values()].filter(({ job }) => job.state === 'running');

  function kept(id: string): Kept {
    const found = jobsById.get(id);
    if (found === undefined) throw notFound('Job');
    return found;
  }

  const desk: JobDesk = {
    requireFree(port) {
      if (desk.jobAt(port) !== null)
        throw conflict(`A job runs at ${port}; wait for it, or stop it`, 'PORT_BUSY');
      if (running().length >= MOST_RUNNING) {
        throw new AppError(409, `${MOST_RUNNING} jobs run on this box already; wait for one to end`, {
          code: 'BENCH_BUSY',
        });
      }
    },
    begin(asked, work) {
      desk.requireFree(asked.port);
      const job = newJob(deps, asked);
      const stopping = new AbortController();
      const entry: Kept = { job, lines: [], stopping, ended: Promise.resolve() };
      const context = { tell: (told: Told) => note(deps, entry, told), signal: stopping.signal };
      entry.ended = carryOut(deps, entry, () => work(context));
      jobsById.set(job.id, entry);
      forgetOldest(jobsById);
      deps.changed();
      return { ...job };
    },
    list: () => [...jobsById.values()].map(({ job }) => job).reverse(),
    detail(id, after) {
      const { job, lines } = kept(id);
      return { ...job, lines: lines.filter(({ n }) => n > after) };
    },
    cancel(id) {
      const { job, stopping } = kept(id);
      if (job.state === 'running') stopping.abort();
      return job;
    },
    jobAt: (port) => running().find(({ job }) => job.port === port)?.job.id ?? null,
    async stop() {
      const open = running();
      for (const { stopping } of open) stopping.abort();
      await Promise.all(open.map(({ ended }) => ended));
    },
  };
  return desk;
}

function newJob(deps: Pick<Kernel, 'now' | 'newId'>, asked: JobAsked): BenchJob {
  return {
    id: deps.newId(),
    kind: asked.kind,
    port: asked.port,
    state: 'running',
    control_point_id: asked.controlPointId,
    firmware: asked.firmware,
    started_by: asked.startedBy,
    started_at: isoOf(deps.now()),
    ended_at: null,
    progress: null,
    result: null,
    trouble: null,
    last_line: 0,
  };
}

async function carryOut(
  deps: Pick<JobDeskDeps, 'now' | 'log' | 'changed'>,
  { job, stopping }: Kept,
  work: () => Promise<BoardResult>,
): Promise<void> {
  try {
    job.result = await work();
    job.state = 'done';
  } catch (error) {
    const trouble = faultOf(deps, error, stopping.signal);
    Object.assign(job, { trouble, state: trouble.code === 'CANCELLED' ? 'cancelled' : 'failed' });
  }
  job.ended_at = isoOf(deps.now());
  deps.changed();
  const { id, kind, port, state, trouble } = job;
  deps.log.info({ job: id, kind, port, state, code: trouble?.code ?? null }, 'a job of the bench ended');
}

function faultOf({ log }: Pick<Kernel, 'log'>, error: unknown, stop: AbortSignal): Fault {
  if (error instanceof JobFault) return error.fault;
  if (stop.aborted) return CANCELLED;
  // the control point went meanwhile, for example
  if (error instanceof AppError)
    return {
      code: 'BAD_INPUT',
      message: inEach(
        REFUSALS[error.extras.code ?? ''] ?? REFUSED,
        error.message,
        REFUSALS_ES[error.extras.code ?? ''] ?? REFUSED_ES,
      ),
      next: inEach(
        'olhe isso no console e comece de novo',
        'look at it in the console, and start again',
        'véalo en el panel y comience de nuevo',
      ),
    };
  log.error({ err: error }, 'a job of the bench failed');
  return {
    code: 'INTERNAL',
    message: inEach(
      'o gateway não conseguiu fazer o trabalho',
      'the gateway could not carry the job out',
      'el gateway no pudo hacer el trabajo',
    ),
    next: inEach(
      'comece de novo; se falhar outra vez, veja o registro do gateway',
      'start it again; if it fails again, see the log of the gateway',
      'comience de nuevo; si falla otra vez, vea el registro del gateway',
    ),
  };
}

/** Progress that only counts on is no line of the log. */
function note(deps: Pick<JobDeskDeps, 'now' | 'changed'>, { job, lines }: Kept, told: Told): void {
  deps.changed();
  const { level, ...progress } = told;
  const last = lines.at(-1);
  const { 'pt-BR': ptBr, en, es } = told.message;
  const isCounting = told.total > 0 && last?.step === told.step && last.text.en === told.message.en;
  job.progress = progress;
  if (isCounting || en === '') return;
  job.last_line += 1;
  lines.push({
    n: job.last_line,
    at: isoOf(deps.now()),
    step: told.step,
    level,
    text: inEach(ptBr.slice(0, LONGEST_LINE), en.slice(0, LONGEST_LINE), es.slice(0, LONGEST_LINE)),
  });
  if (lines.length > LINES_KEPT) lines.splice(0, lines.length - LINES_KEPT);
}

function forgetOldest(jobsById: Map<string, Kept>): void {
  for (const [id, { job }] of jobsById) {
    if (jobsById.size <= JOBS_KEPT) return;
    if (job.state !== 'running') jobsById.delete(id);
  }
}

export type HeartbeatWatch = {
  /** Something was heard of a control point, or a key of it changed: whoever waits looks again. */
  heard: (controlPointId: string) => void;
  /**
   * Waits for the first report under a key: the key was used, and there was a report since `sinceMs` of the monotonic
   * clock. Null when none comes in time. Rejects with JobFault CANCELLED when the signal is set off.
   */
  first: (
    awaited: { controlPointId: string; keyId: string; sinceMs: number; waitMs: number },
    signal: AbortSignal,
  ) => Promise<{ atMs: number } | null>;
};

export function createHeartbeatWatch(deps: {
  views: Pick<ControlViews, 'byId'>;
  later: (ms: number, run: () => void) => () => void;
}): HeartbeatWatch {
  const waitingByPoint = new Map<string, Set<() => void>>();

  function proofOf(controlPointId: string, keyId: string, sinceMs: number): { atMs: number } | null {
    const view = deps.views.byId(controlPointId);
    if (view === null) return null;
    const { lastReportAt, lastReportMonotonic } = view.presence;
    // whoever used this key can only be the board it was written to
    const isUsed = view.keys.some(({ id, state }) => id === keyId && state === 'active');
    if (!isUsed || lastReportAt === null || lastReportMonotonic === null) return null;
    return lastReportMonotonic >= sinceMs ? { atMs: lastReportAt } : null;
  }

  return {
    heard(controlPointId) {
      for (const look of waitingByPoint.get(controlPointId) ?? []) look();
    },
    async first({ controlPointId, keyId, sinceMs, waitMs }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<{ atMs: number } | null>();
      const look = () => {
        const proof = proofOf(controlPointId, keyId, sinceMs);
        if (proof !== null) resolve(proof);
      };
      const stop = () => reject(stopped());
      const waiting = waitingByPoint.get(controlPointId) ?? new Set();
      waitingByPoint.set(controlPointId, waiting.add(look));
      signal.addEventListener('abort', stop, { once: true });
      const cancel = deps.later(waitMs, () => resolve(null));
      if (signal.aborted) stop();
      look();
      try {
        return await promise;
      } finally {
        cancel();
        signal.removeEventListener('abort', stop);
        waiting.delete(look);
        if (waiting.size === 0) waitingByPoint.delete(controlPointId);
      }
    },
  };
}

function stopped(): JobFault {
  return new JobFault({
    code: 'CANCELLED',
    message: inEach(
      'o trabalho foi parado antes de a placa relatar',
      'the job was stopped before the board reported',
      'el trabajo se detuvo antes de que la placa informara',
    ),
    next: inEach(
      'a placa tem a identidade: deixe-a ligada, ou provisione-a de novo',
      'the board has its identity: leave it on, or provision it again',
      'la placa tiene la identidad: déjela encendida, o aprovisiónela de nuevo',
    ),
  });
}
