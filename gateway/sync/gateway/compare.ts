import {
  type DigestAnswer,
  type DigestRequest,
  digestAnswer,
  FIRST_SCHEMA,
  type RepairAnswer,
  repairAnswer,
  SYNC_SCHEMA,
  type WireRow,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import type { Sums } from '#store/merge/digest.ts';
import { type Asked, ask } from './ask.ts';
import type { SyncClientDeps } from './ports.ts';
import type { SyncState } from './state.ts';
import { cursorOf } from './step.ts';
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

type HistoryWindow = { from: string; to: string };

export type CompareStore = {
  points(): Promise<StreamPoints>;
  /** Whether the log of history behind a number tells of older rows, too. */
  isHistoryTouched(seq: number): Promise<boolean>;
  /** As programs of a schema compare; of all tables, or of those alone whose rows lie in time. */
  sums(window: HistoryWindow, schema: number, which?: 'history'): Promise<Sums>;
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
  /** What both sides knew of the rows when everything was last told anew; 0: an earlier version did that. */
  toldAsOf(): Promise<number>;
  remember(compared: Compared): Promise<void>;
};

type ComparerDeps = Pick<SyncClientDeps, 'transport' | 'monotonic' | 'later' | 'now' | 'log' | 'random'> & {
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
async function repairTable(
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

/** Why everything is looked at, beside once a day. */
type Cause = 'after a long silence' | 'after another life of the hosted database';

export type Comparer = ReturnType<typeof createComparer>;

export function createComparer(deps: ComparerDeps) {
  const own = {
    isRunning: false,
    cause: null as Cause | null,
    /** Not before, by the monotonic clock. */
    notBefore: Number.NEGATIVE_INFINITY,
    /** Repairs in a row: a second look confirms one, a third that finds more is for people. */
    repairs: 0,
    repairedRows: 0,
    comparisons: 0,
    last: null as Compared | null,
  };

  async function whyDue(): Promise<string | null> {
    own.last ??= await deps.store.compared();
    const { last } = own;
    if (last === null) return 'never compared';
    if (own.cause !== null) return own.cause;
    if (last.software !== deps.software) return 'after an upgrade';
    // fields that one of both did not know until now
    if ((last.schema ?? 0) < common(deps)) return 'after an upgrade';
    if (own.repairs > 0 && own.repairs < COMPARE.repairsInARow) return 'after a repair';
    const age = deps.now() - last.at;
    // a clock that went back must not put it off for years
    return age >= COMPARE.everyMs || age < 0 ? 'once a day' : null;
  }

  async function compare(why: string): Promise<void> {
    const startedAt = deps.monotonic();
    const knownBefore = own.last === null ? await deps.store.toldAsOf() : (own.last.schema ?? 0);
    const window = windowNow(deps, own.last);
    const found = await compareOnce(deps, window);
    const later = found === null ? null : await compareLater(deps, found, knownBefore);
    if (found === null || later === null) {
      own.notBefore = deps.monotonic() + COMPARE.againMs;
      return;
    }
    const tables = [...new Set([...found.tables, ...later.tables])];
    const repaired = found.repaired + later.repaired;
    const schema = Math.min(found.schema, later.schema);
    own.cause = null;
    own.comparisons += 1;
    own.repairedRows += repaired;
    own.repairs = tables.length === 0 ? 0 : own.repairs + 1;
    own.notBefore = deps.monotonic() + (tables.length === 0 ? 0 : COMPARE.afterRepairMs);
    // what differed is looked at again tomorrow, too
    const through =
      tables.length === 0 ? Date.parse(window.to) : (own.last?.through ?? Date.parse(window.from));
    own.last = { at: deps.now(), software: deps.software, schema, through, repaired, tables };
    await deps.store.remember(own.last);
    const tookMs = Math.round(deps.monotonic() - startedAt);
    if (tables.length === 0) deps.log.info({ why, tookMs }, 'both sides were compared and are alike');
    else if (schema > knownBefore)
      deps.log.info(
        { why, tables, repaired, tookMs },
        'both sides were compared after an upgrade; what one of them had not known was filled in',
      );
    else
      deps.log.error(
        { why, tables, repaired, tookMs },
        'both sides were compared and differed; what could be made right was, please tell the makers',
      );
  }

  return {
    /** Every half minute: compares when it is due and nothing is under way. */
    async look(): Promise<void> {
      noteSilence(own, deps);
      if (own.isRunning || deps.monotonic() < own.notBefore || !isIdle(deps.state())) return;
      own.isRunning = true;
      try {
        const why = await whyDue();
        if (why !== null) await compare(why);
      } finally {
        own.isRunning = false;
      }
    },
    /** At the start: when both sides last met, by what is stored. */
    wasAwaySince(ms: number | null): void {
      if (ms !== null && deps.now() - ms > COMPARE.silenceMs) own.cause = 'after a long silence';
    },
    /** Its points show that nothing was lost; the sums of the rows say so once more. */
    afterAnotherLife(): void {
      own.cause = 'after another life of the hosted database';
      // of a thousand gateways that hear of it at once
      own.notBefore = deps.monotonic() + deps.random() * COMPARE.spreadMs;
    },
    async figures() {
      own.last ??= await deps.store.compared();
      const { last, repairedRows, comparisons } = own;
      return { last, repairedRows, comparisons };
    },
    repairedRows: () => own.repairedRows,
    comparisons: () => own.comparisons,
  };
}

function noteSilence(own: { cause: Cause | null }, { state, monotonic }: ComparerDeps): void {
  const { contactAtMs, phase } = state();
  if (phase !== 'unpaired' && contactAtMs !== null && monotonic() - contactAtMs > COMPARE.silenceMs)
    own.cause ??= 'after a long silence';
}

const isIdle = ({ phase, flights, wants, waiting }: SyncState): boolean =>
  phase === 'steady' &&
  waiting === null &&
  !wants.core &&
  !wants.pull &&
  Object.values(flights).every((flight) => flight === null);

/**
 * History that is older was compared while it was younger, and nobody changes it by itself. After a long time without a
 * comparison the window reaches back to the last one, a quarter of a year at most: what a gateway keeps.
 */
function windowNow({ now, isoOf }: ComparerDeps, last: Compared | null): HistoryWindow {
  const usual = now() - COMPARE.historyMs;
  const since = last === null ? now() - COMPARE.mostHistoryMs : last.through - COMPARE.overlapMs;
  const from = Math.max(now() - COMPARE.mostHistoryMs, Math.min(usual, since));
  return { from: isoOf(from), to: isoOf(now() - COMPARE.freshMs) };
}

type Found = { tables: string[]; repaired: number; schema: number; hostedAheadMs: number };

/** After every time that anybody writes. */
const FOREVER = '9999-12-31T00:00:00.000Z';

/**
 * History of a time to come, by the clock of this box: written in the cloud while the box is behind, or here while it was ahead.
 * After an upgrade it is looked at with the rest, for a difference found later has no such reason; on other days where the
 * clocks are apart. What is written here meanwhile is of now, and not in it.
 */
async function compareLater(deps: ComparerDeps, found: Found, knownBefore: number): Promise<Found | null> {
  if (found.schema <= knownBefore && found.hostedAheadMs <= COMPARE.freshMs)
    return { ...found, tables: [], repaired: 0 };
  const from = deps.isoOf(deps.now() + COMPARE.freshMs);
  return compareOnce(deps, { from, to: FOREVER }, 'history');
}

/** What both sides know of the rows. */
const common = ({ hostedSchema }: Pick<ComparerDeps, 'hostedSchema'>): number =>
  Math.min(SYNC_SCHEMA, hostedSchema());

/** null: something was under way, or the hosted instance did not answer; it is done later. */
async function compareOnce(
  deps: ComparerDeps,
  window: HistoryWindow,
  which?: 'history',
): Promise<Found | null> {
  const points = await deps.store.points();
  if (!isSettled(points)) return null;
  const known = common(deps);
  const sums = await deps.store.sums(window, known, which);
  if (!(await isStill(deps, points))) return null;
  const request: DigestRequest = {
    epoch: points.epoch,
    cursor: cursorOf(points),
    head: {
      core: { seq: points.core_seq, chain: points.core_chain },
      history: { seq: points.history_seq, chain: points.history_chain },
    },
    history_from: window.from,
    history_to: window.to,
    schema: known,
    sums: Object.fromEntries([...sums].map(([table, [ofTable = []]]) => [table, deps.hexOf(ofTable)])),
  };
  const asked: Asked<DigestAnswer> = await ask(deps, 'digest', digestAnswer, request);
  if (!asked.ok || !asked.answer.is_calm) return null;
  const { differing } = asked.answer;
  // during an upgrade the process that answers may be another one than before
  const schema = Math.min(known, asked.answer.schema ?? FIRST_SCHEMA);
  let repaired = 0;
  const tables: string[] = [];
  for (const [table, buckets] of Object.entries(differing)) {
    const mended = await repairTable(deps, { table, buckets, window, epoch: points.epoch, schema });
    if (mended === null) return null;
    repaired += mended;
    // an older version says otherwise what it says at all, and keeps aside what it does not know
    if (mended > 0 || schema === SYNC_SCHEMA) tables.push(table);
  }
  return { tables, repaired, schema, hostedAheadMs: asked.answer.server_now_ms - deps.now() };
}

const isSettled = (points: StreamPoints): boolean =>
  points.resync === null &&
  points.core_seq === points.acked_core_seq &&
  points.history_seq === points.acked_history_seq;

/** New readings are behind what was summed up; everything else that came in between would look like a difference. */
async function isStill({ store }: ComparerDeps, before: StreamPoints): Promise<boolean> {
  const now = await store.points();
  return (
    now.epoch === before.epoch &&
    now.resync === null &&
    now.core_seq === before.core_seq &&
    now.in_core_seq === before.in_core_seq &&
    !(await store.isHistoryTouched(before.history_seq))
  );
}
