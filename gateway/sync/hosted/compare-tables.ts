import {
  type DigestAnswer,
  type DigestRequest,
  FIRST_SCHEMA,
  MAX_ROWS,
  type RepairAnswer,
  type RepairRequest,
  type WireChange,
  type WireRow,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import type { Sums } from '#store/merge/digest.ts';
import { isAlive } from '#store/register.ts';
import type { GatewayCaller } from '../ports.ts';
import { type HostedDeps, hostedFacts, lookAndCommit, streamOf } from './hosted-deps.ts';
import { malformed, staleEpoch } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

// The hosted side of the comparison that should never find anything.

/** Programs up to this schema say nothing of it. */
const LAST_UNTOLD = 6;

export type HistoryWindow = { from: string; to: string };

export type ComparedOfStream = {
  sums(window: HistoryWindow, schemasOf: (table: string) => readonly number[]): Promise<Sums>;
  within(
    range: { table: string; bucket: number; after: string | null; to: string | null },
    window: HistoryWindow,
  ): Promise<WireRow[]>;
};

export type CompareDeps = Pick<HostedDeps, 'store' | 'commit' | 'now' | 'timeline'> & {
  rowsOf: (streamId: number) => ComparedOfStream;
  isComparedTable: (table: string) => boolean;
  entityOf: (table: string) => number;
  bucketOf: (id: string) => number;
  digestOf: (table: string, row: WireRow) => bigint;
  /** The schema that knows all that a row says. */
  schemaOf: (row: WireRow) => number;
  /** Schemas up to one that compare the rows of a table in different ways, the newest first. */
  waysToCompare: (table: string, most: number) => readonly number[];
  /** Does the row say what no program of that schema can have alike? */
  isBeyond: (table: string, row: WireRow, schema: number) => boolean;
  hexOf: (sums: readonly bigint[]) => string[];
  /** A row as it stands, as a change that says so. */
  changeOf: (row: WireRow) => WireChange;
  /** What the hosted instance's own copy says counts where both carry one stamp. */
  withOwnWords: (table: string, sent: WireRow, own: WireRow | null) => WireRow | null;
  /** As many of the rows as one answer carries. */
  withinSize: (rows: WireRow[]) => WireRow[];
  isTooFarAhead: (row: WireRow) => boolean;
  /** Rows that were made right here, by table. */
  repaired: (told: { streamId: number; table: string; rows: number; refused: number }) => void;
};

export function compareTables(deps: CompareDeps): HostedDeps['compare'] {
  return {
    digest: (caller, request) => answerDigest(deps, caller, request),
    repair: (caller, request) => answerRepair(deps, caller, request),
  };
}

const windowOf = (request: Pick<DigestRequest, 'history_from' | 'history_to'>): HistoryWindow => ({
  from: request.history_from,
  to: request.history_to,
});

/** Says which sums differ; nothing while something is under way, because then they all may. */
async function answerDigest(
  deps: CompareDeps,
  caller: GatewayCaller,
  request: DigestRequest,
): Promise<DigestAnswer> {
  const isCalm = async () => isSettled(await streamOf(deps, caller), request);
  if (!(await isCalm())) return { is_calm: false, differing: {}, ...(await hostedFacts(deps)) };
  const sums = await deps
    .rowsOf(caller.streamId)
    .sums(windowOf(request), (table) => (table in request.sums ? waysOf(deps, table, request) : []));
  if (!(await isCalm())) return { is_calm: false, differing: {}, ...(await hostedFacts(deps)) };
  const differing: Record<string, number[]> = {};
  for (const [table, sent] of Object.entries(request.sums)) {
    // a table that is not known here, or not in the way of that schema, is compared after the upgrade
    const ways = (sums.get(table) ?? []).map(deps.hexOf);
    const buckets = sent.flatMap((sum, bucket) =>
      ways.length === 0 || ways.some((own) => sum === own[bucket]) ? [] : [bucket],
    );
    const judged = await withoutBeyond(deps, caller, { table, buckets, request });
    if (judged.length > 0) differing[table] = judged;
  }
  return { is_calm: true, differing, ...(await hostedFacts(deps)) };
}

/** Sums that its older program cannot have alike are judged after its upgrade, not each day until then. */
async function withoutBeyond(
  deps: CompareDeps,
  caller: GatewayCaller,
  { table, buckets, request }: { table: string; buckets: readonly number[]; request: DigestRequest },
): Promise<number[]> {
  const { schema = LAST_UNTOLD } = request;
  const judged: number[] = [];
  for (const bucket of buckets) {
    const range = { table, bucket, after: null, to: null };
    const rows = await deps.rowsOf(caller.streamId).within(range, windowOf(request));
    if (!rows.some((row) => deps.isBeyond(table, row, schema))) judged.push(bucket);
  }
  return judged;
}

/** As the gateway summed up; one that does not say how did it in any of the ways there were by then. */
function waysOf(deps: CompareDeps, table: string, { schema }: DigestRequest): readonly number[] {
  return schema === undefined
    ? deps.waysToCompare(table, LAST_UNTOLD)
    : deps.waysToCompare(table, schema).slice(0, 1);
}

/** Everything the gateway summed up was applied here, and it has all that the feed says. */
function isSettled(
  stream: StreamPoints,
  { epoch, head, cursor }: Pick<DigestRequest, 'epoch' | 'head' | 'cursor'>,
): boolean {
  if (stream.epoch !== epoch) throw new RequestRefused(staleEpoch(stream));
  return (
    stream.resync === null &&
    stream.in_core_seq === head.core.seq &&
    stream.in_core_chain === head.core.chain &&
    // what came since then is newer than what is compared
    stream.in_history_seq >= head.history.seq &&
    stream.core_seq === cursor.seq &&
    stream.core_chain === cursor.chain
  );
}

/** Takes the gateway's rows in, then answers those of its own on which both still do not agree. */
async function answerRepair(
  deps: CompareDeps,
  caller: GatewayCaller,
  request: RepairRequest,
): Promise<RepairAnswer> {
  const stream = await streamOf(deps, caller);
  if (stream.epoch !== request.epoch) throw new RequestRefused(staleEpoch(stream));
  const why = whyUnsound(deps, request);
  if (why !== null) throw new RequestRefused(malformed(why));
  const { table } = request;
  const look = async () =>
    new Map(
      (await deps.rowsOf(caller.streamId).within(request, windowOf(request))).map((row) => [row.id, row]),
    );
  const digest = (row: WireRow | undefined): bigint => (row === undefined ? 0n : deps.digestOf(table, row));
  // of a field that one side does not know it has said nothing
  const isSame = (own: WireRow, theirs: WireRow): boolean =>
    isAlike(own, theirs) && digest(saidBoth(own, theirs)) === digest(saidBoth(theirs, own));
  const sound = request.rows.filter((row) => !deps.isTooFarAhead(row));
  const offeredOver = (before: ReadonlyMap<string, WireRow>) =>
    sound.flatMap((row) => {
      const own = before.get(row.id) ?? null;
      if (own === null ? !isAlive(row) : isSame(own, row)) return [];
      return deps.withOwnWords(table, row, own) ?? [];
    });
  const { seen: before, committed } = await lookAndCommit(deps, async () => {
    const stands = await look();
    const offered = offeredOver(stands);
    if (offered.length === 0) return { seen: stands, unit: null };
    const { streamId } = caller;
    const changes = offered.map(deps.changeOf);
    const incoming = { from: 'gateway', streamId, lane: 'core', changes, isRepair: true } as const;
    return { seen: stands, unit: { actor: null, changes: [], incoming } };
  });
  const after = committed === null ? before : await look();
  const sent = new Map(request.rows.map((row) => [row.id, row]));
  const answered = [...after.values()]
    .filter((row) => {
      const theirs = sent.get(row.id);
      // below that, it would be believed to have said that there is nothing in it
      if (deps.schemaOf(row) > (request.schema ?? FIRST_SCHEMA)) return false;
      return theirs === undefined ? isAlive(row) : !isSame(row, theirs);
    })
    .slice(0, MAX_ROWS.core);
  const repaired = [...after.values()].filter((row) => digest(row) !== digest(before.get(row.id))).length;
  const refused = (committed?.merged?.parked.length ?? 0) + request.rows.length - sound.length;
  deps.repaired({ streamId: caller.streamId, table, rows: repaired, refused });
  // the rest is found by the comparison that follows every repair
  return { rows: deps.withinSize(answered), repaired, refused, ...(await hostedFacts(deps)) };
}

/** A row without what the other side says nothing of. */
function saidBoth(row: WireRow, beside: WireRow): WireRow {
  const body = Object.fromEntries(Object.entries(row.body).filter(([field]) => field in beside.body));
  return { ...row, body };
}

/** Deleted rows have no digest; what counts of them is how often they came and went. */
const isAlike = (a: WireRow, b: WireRow): boolean => a.cl === b.cl;

function whyUnsound(deps: CompareDeps, { table, bucket, after, to, rows }: RepairRequest): string | null {
  if (!deps.isComparedTable(table)) return 'There is no such table to compare here';
  const entity = deps.entityOf(table);
  const stray = rows.find(
    ({ entity: of, id, body }) =>
      of !== entity ||
      body['id'] !== id ||
      deps.bucketOf(id) !== bucket ||
      (after !== null && id <= after) ||
      (to !== null && id > to),
  );
  return stray === undefined ? null : `row ${stray.id} lies elsewhere`;
}
