import { z } from 'zod';
import type { SerialLink } from '#adapters/serial/open-port.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import { identity } from './identity.ts';
import { BenchTrouble } from './trouble.ts';

/** The Portuguese, and the Spanish, for what a schema found wrong, by the kind of it; the English stands in the schema. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_type: 'falta, ou é de outro tipo',
  invalid_value: 'não é um dos valores aceitos',
  invalid_union: 'não é nenhuma das formas aceitas',
  invalid_format: 'não tem a forma que deve ter',
  not_multiple_of: 'não é um dos valores aceitos',
  too_small: 'é curto ou pequeno demais',
  too_big: 'é longo ou grande demais',
  unrecognized_keys: 'tem um campo que não se conhece',
};

const WORDS_ES: typeof WORDS = {
  invalid_type: 'falta, o es de otro tipo',
  invalid_value: 'no es uno de los valores aceptados',
  invalid_union: 'no es ninguna de las formas aceptadas',
  invalid_format: 'no tiene la forma que debe tener',
  not_multiple_of: 'no es uno de los valores aceptados',
  too_small: 'es demasiado corto o pequeño',
  too_big: 'es demasiado largo o grande',
  unrecognized_keys: 'tiene un campo que no se conoce',
};

/** Why a field does not fit, for people. */
export function schemaWords(issue: { code?: string; message: string } | undefined): InEach {
  if (issue === undefined) return inEach('não se entende', 'not understood', 'no se entiende');
  return inEach(
    WORDS[issue.code ?? ''] ?? 'não serve',
    issue.message,
    WORDS_ES[issue.code ?? ''] ?? 'no sirve',
  );
}

const portPath = z.string().min(1).max(1_024);
const file = z.string().min(1).max(4_096);
/** Bauds that the usual USB bridges make; between these the two sides agree exactly. */
const baud = z.literal([9_600, 57_600, 74_880, 115_200, 230_400, 460_800, 921_600, 1_500_000]);
const flashBaud = baud.default(460_800);
const consoleBaud = baud.default(115_200);

/** What to write: a bundle (a folder with manifest.json, or the manifest itself), or files with their offsets. */
const firmware = z.union([
  z.strictObject({ bundle: file }),
  z.strictObject({
    files: z
      .array(z.strictObject({ file, offset: z.int().min(0).max(0xff_ffff) }))
      .min(1)
      .max(16),
  }),
]);

const verify = z.enum(['md5', 'read_back']).default('md5');

const detect = z.strictObject({ kind: z.literal('detect'), port: portPath, baud: flashBaud });

const flash = z.strictObject({
  kind: z.literal('flash'),
  port: portPath,
  baud: flashBaud,
  firmware,
  /** PEM file with the public keys of those whose firmware is taken; null: nobody is known. */
  firmware_keys: file.nullable().default(null),
  /** Take firmware that none of them signed: for whoever builds it. */
  allow_unsigned: z.boolean().default(false),
  /**
   * What becomes of the identity partition: `keep` leaves it untouched (blanks it where it is not ours), `erase` blanks
   * it, and an identity is written with the firmware.
   */
  identity: z.union([z.literal('keep'), z.literal('erase'), identity]).default('keep'),
  /** Blank all else first. */
  erase: z.boolean().default(false),
  verify,
  /** Where the whole flash is saved before a byte is written. */
  backup: file.nullable().default(null),
});

const verifying = z.strictObject({
  kind: z.literal('verify'),
  port: portPath,
  baud: flashBaud,
  firmware,
  verify,
});

const erase = z.strictObject({
  kind: z.literal('erase'),
  port: portPath,
  baud: flashBaud,
  /** `identity`: the NVS partition only; `firmware`: all but that. */
  what: z.enum(['all', 'identity', 'firmware']),
});

const backup = z.strictObject({ kind: z.literal('backup'), port: portPath, baud: flashBaud, file });

const monitor = z.strictObject({
  kind: z.literal('monitor'),
  port: portPath,
  baud: consoleBaud,
  /** Reset the board first, so that the boot log is seen. */
  reset: z.boolean().default(false),
  /** Seconds; then it ends by itself. */
  for_s: z.int().min(1).max(86_400).default(3_600),
  save: file.nullable().default(null),
});

const provision = z.strictObject({
  kind: z.literal('provision'),
  port: portPath,
  baud: consoleBaud,
  /** null: the board keeps what it has. */
  wifi: z.strictObject({ ssid: z.string().min(1).max(32), password: z.string().max(64) }).nullable(),
  identity: identity.nullable(),
  /** The board of this MAC has a label already: it keeps the claim code that it has, whatever the identity says. */
  labelled_mac: z.string().max(64).nullable().default(null),
});

const selfTest = z.strictObject({
  kind: z.literal('self_test'),
  port: portPath,
  baud: consoleBaud,
  for_s: z.int().min(1).max(10).default(2),
  /** The motor must draw at least this much while the relay is on; null: no motor is looked for. */
  min_current_ma: z.int().min(1).max(1_000_000).nullable().default(null),
  /** Boards whose motor must not start now: somebody may have a hand in it. */
  off_limits: z.array(z.string().min(1).max(255)).max(20_000).default([]),
});

/** The networks that the board hears. */
const wifiScan = z.strictObject({ kind: z.literal('wifi_scan'), port: portPath, baud: consoleBaud });

const benchJob = z.discriminatedUnion('kind', [
  detect,
  flash,
  verifying,
  erase,
  backup,
  monitor,
  provision,
  selfTest,
  wifiScan,
]);

/** A job that was checked; its defaults stand in it. */
type BenchJob = z.output<typeof benchJob>;
/** A job as it is asked for. */
export type BenchJobInput = z.input<typeof benchJob>;
export type JobOf<Kind extends BenchJob['kind']> = Extract<BenchJob, { kind: Kind }>;

export type Progress = {
  /** `connect`, `check`, `write`, `verify`, `monitor`, … */
  step: string;
  /** Bytes or pieces of this step; total 0: unknown. */
  done: number;
  total: number;
  bytes_per_s: number | null;
  eta_s: number | null;
  /** For people; a line of the board in a monitor. */
  message: InEach;
  /** `alarm`: the board crashed, or something was refused and tried again. */
  level: 'info' | 'warning' | 'alarm';
};

export type JobContext = {
  tell: (progress: Progress) => void;
  signal: AbortSignal;
  /** Another way to a port than the drivers of this machine. */
  openPort?: (path: string, baud: number) => Promise<SerialLink>;
};

/** Plain data, as it crosses a process border and prints as JSON. */
export type JobResult = Readonly<Record<string, unknown>>;

/** Checks what was asked for. BenchTrouble BAD_INPUT names the first field that is wrong. */
export function readJob(input: unknown): BenchJob {
  const { success, data, error } = benchJob.safeParse(input);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  const why = schemaWords(issue);
  throw new BenchTrouble('BAD_INPUT', {
    message: inEach(
      `${field ?? 'o trabalho'}: ${why['pt-BR']}`,
      `${field ?? 'the job'}: ${why.en}`,
      `${field ?? 'el trabajo'}: ${why.es}`,
    ),
    next: inEach(
      'corrija o trabalho e comece de novo',
      'correct the job and start it again',
      'corrija el trabajo y comience de nuevo',
    ),
  });
}

/** A piece of progress that is only a sentence. */
export function sentence(step: string, message: InEach, level: Progress['level'] = 'info'): Progress {
  return { step, done: 0, total: 0, bytes_per_s: null, eta_s: null, message, level };
}

/**
 * Does one job at one serial port and answers what came of it. Throws BenchTrouble for what a technician can mend.
 * Libraries are loaded with the job that needs them. Nothing here knows the database: who may do what, and what the
 * gateway has to issue or wait for, is settled by whoever asks.
 */
export async function runJob(job: BenchJob, context: JobContext): Promise<JobResult> {
  switch (job.kind) {
    case 'detect':
      return (await import('./detect-board.ts')).detectBoard(job, context);
    case 'flash':
      return (await import('./flash-board.ts')).flashBoard(job, context);
    case 'verify':
      return (await import('./verify-board.ts')).verifyBoard(job, context);
    case 'erase':
      return (await import('./erase-board.ts')).eraseBoard(job, context);
    case 'backup':
      return (await import('./backup-board.ts')).backupBoard(job, context);
    case 'monitor':
      return (await import('./monitor-board.ts')).monitorBoard(job, context);
    case 'provision':
      return (await import('./provision-board.ts')).provisionBoard(job, context);
    case 'self_test':
      return (await import('./provision-self-test.ts')).selfTestBoard(job, context);
    case 'wifi_scan':
      return (await import('./provision-wifi-scan.ts')).scanFromBoard(job, context);
  }
}

/** Told at most so often, and once at the end. */
const EVERY_MS = 200;

/**
 * Follows the bytes of one step. The rate is the mean since the step began: short stops while the board erases shall not
 * make the remaining time jump.
 */
export function stepProgress(
  { tell }: Pick<JobContext, 'tell'>,
  step: { name: string; total: number; message: InEach; now?: () => number },
): { add: (bytes: number) => void } {
  const now = step.now ?? (() => performance.now());
  const startedAt = now();
  let done = 0;
  let toldAt = startedAt;
  const say = (at: number) => {
    const seconds = (at - startedAt) / 1_000;
    const rate = seconds > 0 && done > 0 ? done / seconds : null;
    tell({
      step: step.name,
      done,
      total: step.total,
      bytes_per_s: rate === null ? null : Math.round(rate),
      eta_s: rate === null ? null : Math.ceil((step.total - done) / rate),
      message: step.message,
      level: 'info',
    });
  };
  say(startedAt);
  return {
    add(bytes) {
      done = Math.min(done + bytes, step.total);
      const at = now();
      if (done < step.total && at - toldAt < EVERY_MS) return;
      toldAt = at;
      say(at);
    },
  };
}

/** One line for people, e.g. `write   42 %  410 KB/s  3 s left  firmware.bin`. */
export function progressLine(
  { step, done, total, bytes_per_s: rate, eta_s: left, message: said, level }: Progress,
  language: Language,
): string {
  const message = said[language];
  if (total === 0) return level === 'info' ? message : `${level === 'alarm' ? '!!' : '!'} ${message}`;
  const share = `${String(Math.floor((done / total) * 100)).padStart(3)} %`;
  const speed = rate === null ? '' : `  ${Math.round(rate / 1_000)} KB/s`;
  const remaining =
    left === null || done === total
      ? ''
      : { 'pt-BR': `  faltam ${left} s`, en: `  ${left} s left`, es: `  faltan ${left} s` }[language];
  return `${step.padEnd(8)}${share}${speed}${remaining}  ${message}`;
}
