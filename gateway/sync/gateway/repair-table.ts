import type { WireRow } from '#contract/sync/wire.ts';
import { type RepairAnswer, repairAnswer, SYNC_SCHEMA } from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import type { Sums } from '#store/merge/digest.ts';
import { type Asked, ask } from './ask.ts';

import type { SyncClientDeps } from './ports.ts';
import type { SyncState } from './state.ts';

import { COMPARE } from './tuning.ts';

/** What the last comparison left behind, on disk. */
export type Compared = {
  /** When it was done, ms, and by which version. */
  at: number;
  software: string;
  /** What both sides knew of the rows; absent: a version before this one did it. */
  schema?: number;
  /** History up to here was found alike. */
  through: number;
  /** Rows made right by it, here and there. */
  repaired: number;
  /** Tables that differed. */
  tables: readonly string[];
};

// The comparison of both sides that should never find anything: once a day, after a long silence and after an upgrade,
// when nothing is under way. It goes on beside the sync and needs nothing of it; whatever goes wrong, it is done later.

export type HistoryWindow = { from: string; to: string };

export type CompareStore = {
  points(): Promise<StreamPoints>;
  /** Whether the log of history behind a number tells of older rows, too. */
  isHistoryTouched(seq: number): Promise<boolean>;
  /** As programs of a schema compare. */
  sums(window: HistoryWindow, schema: number): Promise<Sums>;
  idsIn(
    table: string,
    buckets: readonly number[],
    window: HistoryWindow,
  ): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Without rows that say what programs of the schema do not know: they would take those for something else. */
  within(
    range: { table: string; bucket: number; after: string | null; to: string | null },
    window: HistoryWindow,
    schema: number,
  ): Promise<WireRow[]>;
  /** Merges rows of the hosted instance; answers how many rows here are otherwise now. */
  mend(table: string, rows: readonly WireRow[]): Promise<number>;
  compared(): Promise<Compared | null>;
  remember(compared: Compared): Promise<void>;
};

export type ComparerDeps = Pick<SyncClientDeps, 'transport' | 'monotonic' | 'later' | 'now' | 'log'> & {
  store: CompareStore;
  state: () => SyncState;
  software: string;
  /** What the hosted instance knew of the rows when it last answered. */
  hostedSchema: () => number;
  hexOf: (sums: readonly bigint[]) => string[];
  isoOf: (ms: number) => string;
};

// Rows of sums that differ, both ways: ours go to the hosted instance, which answers those on which both do not agree.

type Differing = {
  table: string;
  buckets: readonly number[];
  window: HistoryWindow;
  epoch: number;
  /** What both sides know of the rows. */
  schema: number;
};

/** Answers how many rows are otherwise now, on either side; null: the hosted instance did not answer. */
export async function repairTable(
  deps: ComparerDeps,
  { table, buckets, ...known }: Differing,
): Promise<number | null> {
  let repaired = 0;
  const ids = await deps.store.idsIn(table, buckets, known.window);
  for (const bucket of buckets) {
    for (const range of rangesOf(ids.get(bucket) ?? [])) {
      const mended = await repairRange(deps, { table, bucket, ...range }, known);
      if (mended === null) return null;
      repaired += mended;
    }
  }
  return repaired;
}

type BucketRange = Parameters<CompareStore['within']>[0];

async function repairRange(
  deps: ComparerDeps,
  range: BucketRange,
  known: Omit<Differing, 'table' | 'buckets'>,
): Promise<number | null> {
  const { window, epoch, schema } = known;
  const rows = await deps.store.within(range, window, schema);
  const middle = rows[Math.floor(rows.length / 2) - 1]?.id;
  // pages of text: what does not go in one message goes in two
  if (middle !== undefined && JSON.stringify(rows).length > COMPARE.charactersAtOnce) {
    const first = await repairRange(deps, { ...range, to: middle }, known);
    const second = first === null ? null : await repairRange(deps, { ...range, after: middle }, known);
    return first === null || second === null ? null : first + second;
  }
  const asked: Asked<RepairAnswer> = await ask(deps, 'repair', repairAnswer, {
    ...range,
    epoch,
    history_from: window.from,
    history_to: window.to,
    schema: SYNC_SCHEMA,
    rows,
  });
  if (!asked.ok) return null;
  const { rows: theirs, repaired } = asked.answer;
  return repaired + (theirs.length > 0 ? await deps.store.mend(range.table, theirs) : 0);
}

/** The first has no lower bound and the last no upper one: the other side may have rows before and behind all of ours. */
function rangesOf(ids: readonly string[]): { after: string | null; to: string | null }[] {
  const ends: string[] = [];
  for (let at = COMPARE.rowsAtOnce; at < ids.length; at += COMPARE.rowsAtOnce) ends.push(ids[at - 1] ?? '');
  return [...ends, null].map((to, place) => ({ after: place === 0 ? null : (ends[place - 1] ?? null), to }));
}
