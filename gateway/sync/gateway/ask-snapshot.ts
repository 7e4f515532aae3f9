import {
  FIRST_SCHEMA,
  type HelloAnswer,
  LANES,
  type LanePoints,
  type LogPoint,
  lanePoints,
  logPoint,
  type SnapshotAnswer,
  type SnapshotRequest,
  SYNC_REFUSALS,
  SYNC_SCHEMA,
  snapshotAnswer,
  type WireRow,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { ask } from './ask.ts';
import type { FlightDeps, Outcome } from './state.ts';
import { ackedOf, cursorOf, headOf, isAnotherLife, judgeClaim } from './step.ts';
import { TUNING } from './tuning.ts';

// How far a comparison of everything has come. It stands in the stream's `resync` and moves in the same unit of work as
// the rows of a page, so that a restart goes on where it was.

type ResyncProgress = {
  why: string;
  /** null: the first page was not there yet. */
  page: {
    epoch: number;
    head: LogPoint;
    after: { entity: number; id: string } | null;
    historyFrom: string | null;
  } | null;
  /** How far the hosted instance heard the log before; absent: it may have lost some of it. */
  heard?: LanePoints;
};

/** null: nothing is amiss. A plain sentence is a reason without any progress; anything unreadable, too. */
export function readResync(stored: string | null): ResyncProgress | null {
  if (stored === null) return null;
  const progress = stored.startsWith('{') ? parsed(stored) : null;
  return progress ?? { why: stored, page: null };
}

export const writeResync = (progress: ResyncProgress): string =>
  progress.page === null && progress.heard === undefined ? progress.why : JSON.stringify(progress);

function parsed(stored: string): ResyncProgress | null {
  try {
    // written by writeResync above; the points in it are checked again
    const progress = JSON.parse(stored) as ResyncProgress;
    const { why, page, heard } = progress;
    const isSound =
      typeof why === 'string' &&
      (page !== null || heard !== undefined) &&
      (page === null || logPoint.safeParse(page.head).success) &&
      (heard === undefined || lanePoints.safeParse(heard).success);
    return isSound ? progress : null;
  } catch {
    return null;
  }
}

/** The new epoch has begun, what the hosted instance does not know is being logged (core/sync/log-difference.ts). */
export const isDifference = (stored: string | null): boolean =>
  stored !== null && (stored.startsWith('difference ') || stored === 'forgetting');

/**
 * Hello led to a comparison. Where the hosted instance still tells the history that this gateway knows, all of the log
 * that it says it applied was heard there, and whatever lost against something over there was noted there.
 */
export async function noteHeard(deps: FlightDeps, points: StreamPoints, answer: HelloAnswer): Promise<void> {
  const begun = readResync(points.resync);
  if (isDifference(points.resync) || (begun !== null && begun.page !== null) || !deps.isCurrent()) return;
  // the comparison was begun over there and its first page did not arrive: nothing was sent since it was asked for
  const isBegun = answer.epoch > points.epoch;
  const heard = isBegun ? begun?.heard : await heardOf(deps, points, answer);
  const why = begun?.why ?? answer.reason ?? 'asked for';
  await moveResync(deps, points, { why: cut(why), page: null, ...(heard === undefined ? {} : { heard }) });
}

async function heardOf(
  { store }: FlightDeps,
  points: StreamPoints,
  answer: HelloAnswer,
): Promise<LanePoints | undefined> {
  const { epoch, timeline, head, in: applied } = answer;
  if (epoch !== points.epoch || timeline !== points.timeline || head < points.in_core_seq) return undefined;
  for (const lane of LANES) {
    const acked = ackedOf(points)[lane];
    const ownChain = await store.chainAt(lane, applied[lane].seq);
    const claim = { claimed: applied[lane], sent: acked, acked, head: headOf(points)[lane], ownChain };
    if (judgeClaim(claim).is === 'amiss') return undefined;
  }
  return applied;
}

const cut = (why: string): string => why.slice(0, 200);

/** Nobody waits for it any more. */
const ABANDONED: Outcome = { is: 'page', rows: 0, isLast: false };

/**
 * One page of everything the hosted instance has. Merging is idempotent, so pages are merged as they come, and nothing
 * here is given up before all of them are in: the log and its epoch end with the last one.
 */
export async function askSnapshot(
  deps: FlightDeps,
  { limit, why }: { limit: number; why: string },
): Promise<Outcome> {
  const begun = await begunResync(deps, why);
  if (begun === null) return ABANDONED;
  const { points, progress } = begun;
  const { page } = progress;
  // all pages were in, and the new epoch had begun, when the program was stopped
  if (isDifference(points.resync)) {
    return deps.inTurn(() => logDifference(deps, { epoch: points.epoch, cursor: cursorOf(points) }));
  }
  const historyFrom = page === null ? await deps.store.historyFrom(points) : page.historyFrom;
  const request: SnapshotRequest = {
    resync: page === null ? null : { epoch: page.epoch, head: page.head },
    epoch: points.epoch,
    after: page?.after ?? null,
    limit,
    history_from: historyFrom,
  };
  const asked = await ask(deps, 'snapshot', snapshotAnswer, request);
  if (asked.ok) return deps.inTurn(() => mergePage(deps, { points, progress, historyFrom }, asked.answer));
  if (asked.outcome.is === 'refused' && asked.outcome.code === SYNC_REFUSALS.staleEpoch && page !== null) {
    // another comparison began in between: what was noted of this one is worth nothing
    await moveResync(deps, points, { why: progress.why, page: null });
  }
  return asked.outcome;
}

type Begun = { points: StreamPoints; progress: ResyncProgress };

async function begunResync(deps: FlightDeps, why: string): Promise<Begun | null> {
  const points = await deps.store.points();
  const progress = readResync(points.resync);
  if (progress !== null) return { points, progress };
  if (!deps.isCurrent()) return null;
  // refused for its cursor alone: what it says was confirmed had been looked at before
  const heard = why.startsWith(SYNC_REFUSALS.floor) ? { heard: ackedOf(points) } : {};
  const fresh: ResyncProgress = { why: cut(why), page: null, ...heard };
  await moveResync(deps, points, fresh);
  return { points: { ...points, resync: writeResync(fresh) }, progress: fresh };
}

function moveResync(deps: FlightDeps, points: StreamPoints, progress: ResyncProgress): Promise<unknown> {
  return deps.store.take({
    restamps: [],
    changes: [],
    expect: { epoch: points.epoch, resync: points.resync },
    set: { resync: writeResync(progress) },
  });
}

async function mergePage(
  deps: FlightDeps,
  { points, progress, historyFrom }: Begun & { historyFrom: string | null },
  answer: SnapshotAnswer,
): Promise<Outcome> {
  if (!deps.isCurrent()) return ABANDONED;
  if (progress.page === null)
    await deps.store.beginSnapshot(Math.min(SYNC_SCHEMA, answer.schema ?? FIRST_SCHEMA));
  const { epoch, head } = answer.resync;
  const { returns, server_now_ms: hostedNowMs } = answer;
  const after = answer.next;
  const isOtherLife = isAnotherLife(points.timeline, answer.timeline);
  const heard = isOtherLife || progress.heard === undefined ? {} : { heard: progress.heard };
  const page = { epoch, head, after, historyFrom };
  const moved: ResyncProgress = { why: progress.why, page, ...heard };
  const expect = { epoch: points.epoch, resync: points.resync };
  const pieces = piecesOf(answer.rows);
  for (const [place, rows] of pieces.entries()) {
    const isEnd = place === pieces.length - 1;
    await deps.store.take({
      restamps: place === 0 ? answer.restamps : [],
      ...(place === 0 && returns !== undefined ? { returns: { returns, hostedNowMs } } : {}),
      changes: [],
      rows,
      isSettled: answer.asks_of_accounts === false,
      ...heard,
      expect,
      set: {
        ...(isEnd && after !== null ? { resync: writeResync(moved) } : {}),
        ...(isEnd && after === null ? { timeline: answer.timeline } : {}),
      },
    });
    deps.progress();
    if (!deps.isCurrent()) return ABANDONED;
  }
  if (after !== null) return { is: 'page', rows: answer.rows.length, isLast: false };
  return logDifference(deps, { epoch, cursor: head });
}

/** Slice by slice, so that control writes in between; a restart goes on with the next one. */
async function logDifference(deps: FlightDeps, end: { epoch: number; cursor: LogPoint }): Promise<Outcome> {
  for (;;) {
    if (await deps.store.logDifference(end)) return { is: 'page', rows: 0, isLast: true };
    deps.progress();
    if (!deps.isCurrent()) return ABANDONED;
  }
}

/** At least one piece: a page without rows may carry stamps. */
function piecesOf(rows: readonly WireRow[]): (readonly WireRow[])[] {
  const pieces: (readonly WireRow[])[] = [];
  for (let from = 0; from === 0 || from < rows.length; from += TUNING.rowsPerUnit) {
    pieces.push(rows.slice(from, from + TUNING.rowsPerUnit));
  }
  return pieces;
}
