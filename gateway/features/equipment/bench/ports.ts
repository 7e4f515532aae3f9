import type { RowOf } from '#contract/resource.ts';
import type { BENCH_TROUBLES, BenchFirmware, BenchLine, BenchPort } from '#contract/resources/bench.ts';
import type { boardLabel } from '#contract/resources/local-tables.ts';
import type { InEach } from '#core/each-language.ts';

export type BoardLabel = RowOf<typeof boardLabel>;

/** A step of a job, as whoever runs it tells it. */
export type Told = {
  step: string;
  done: number;
  total: number;
  bytes_per_s: number | null;
  eta_s: number | null;
  message: InEach;
  level: BenchLine['level'];
};

export type Fault = { code: (typeof BENCH_TROUBLES)[number]; message: InEach; next: InEach };

/** A job ends before its goal for a reason that a technician can mend. */
export class JobFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message.en);
    this.name = 'JobFault';
    this.fault = fault;
  }
}

export type JobContext = { tell: (told: Told) => void; signal: AbortSignal };

/** What one board is asked to do, in the words of the process that does it. */
export type BoardJob = { kind: string; port: string } & Readonly<Record<string, unknown>>;
export type BoardResult = Readonly<Record<string, unknown>>;
/** Rejects with JobFault for what can be mended. */
export type RunBoardJob = (job: BoardJob, context: JobContext) => Promise<BoardResult>;

/** A port of the box as the system shows it. */
export type PortFacts = Omit<BenchPort, 'is_busy' | 'job_id'>;

/** A bundle of firmware, and the folder it lies in. */
export type FirmwareFound = Omit<BenchFirmware, 'trouble'> & { folder: string; trouble: InEach | null };

/** Where this gateway is found by a controller, in the words of a board's identity; port 0: no such listener. */
export type Whereabouts = {
  gw_host: string;
  gw_http: number;
  gw_mqtt: number;
  gw_mqtts: number;
  /** base64 SHA-256 of the authority's public key; null: no TLS. */
  gw_pin: string | null;
};

/** A plain sentence as a step. */
export function step(name: string, message: InEach): Told {
  return { step: name, done: 0, total: 0, bytes_per_s: null, eta_s: null, message, level: 'info' };
}
