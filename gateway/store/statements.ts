import type { Resource } from '#contract/resource.ts';

export type Statement = { sql: string; params: readonly (string | number | null | Uint8Array)[] };
export type Rows = readonly Record<string, unknown>[];
/** Statements one after another; each yields its rows back. */
export type Steps<Answer> = Generator<Statement, Answer, Rows>;

export type UnitContext = {
  dialect: 'sqlite' | 'postgres';
  /** Where changes are logged to: a gateway has one stream; a hosted instance one per gateway, by whose the row is. */
  streams: 'own' | 'by scope';
  nowMs: number;
  /** Monotonic milliseconds of this boot, for stamping rows anew once the clock is known. */
  monotonicMs: number;
  bootId: string;
  /** 16 bit of the instance and 16 of this start, hex. */
  node: string;
  /** Resources that are hidden with a parent, by the parent's table. */
  childrenOf: ReadonlyMap<string, readonly { resource: Resource; column: string }[]>;
};
