import {
  LANES,
  type LanePoints,
  type LogPoint,
  type PullAnswer,
  type PullRequest,
  pullAnswer,
  type Restamp,
  type WireChange,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { ask } from './ask.ts';
import type { SyncStore } from './ports.ts';
import type { FlightDeps, Outcome } from './state.ts';
import { ackedOf, ackedPoints, cursorOf, headOf, isAnotherLife, judgeClaim } from './step.ts';
import { TUNING } from './tuning.ts';

/** Fetches what the hosted instance has for this gateway behind the cursor, and merges it. */
export async function askPull(deps: FlightDeps, { limit }: { limit: number }): Promise<Outcome> {
  const points = await deps.store.points();
  const cursor = cursorOf(points);
  const request: PullRequest = { epoch: points.epoch, cursor, acked: ackedOf(points), limit };
  const askedAt = deps.monotonic();
  const asked = await ask(deps, 'pull', pullAnswer, request);
  if (!asked.ok) return asked.outcome;
  const { answer } = asked;
  if (answer.head < cursor.seq) return { is: 'amiss', why: 'the hosted instance lost changes it had told' };
  const unsound = whyUnsound(deps, cursor, answer.rows);
  if (unsound !== null) return { is: 'failed', why: 'broken', detail: unsound };
  return deps.inTurn(() => merge(deps, { before: points, askedAt }, answer));
}

/** A bit that fell over on the way, or a row that somebody changed: the chain does not come out. */
export function whyUnsound(
  deps: Pick<FlightDeps, 'chainAfter'>,
  cursor: LogPoint,
  rows: readonly WireChange[],
): string | null {
  let chain = cursor.chain;
  for (const [place, row] of rows.entries()) {
    if (row.seq !== cursor.seq + 1 + place) return `change ${row.seq} of the feed stands out of order`;
    chain = deps.chainAfter(chain, row);
    if (chain !== row.chain) return `change ${row.seq} of the feed is not as it was written`;
  }
  return null;
}

async function merge(
  deps: FlightDeps,
  { before, askedAt }: { before: StreamPoints; askedAt: number },
  answer: PullAnswer,
): Promise<Outcome> {
  const told = { atMs: answer.server_now_ms, elapsedMs: () => deps.monotonic() - askedAt };
  const nothing: Outcome = { is: 'pulled', rows: 0, more: true, cursor: before.in_core_seq };
  if (!deps.isCurrent()) return nothing;
  const points = await deps.store.points();
  const judged = await judgeFacts(deps.store, points, { answer, sent: ackedOf(before), in: answer.in });
  if ('is' in judged) return judged;
  if (points.epoch !== before.epoch || points.in_core_seq !== before.in_core_seq) return nothing;
  // before what comes with it: rows of such a farm must not be run first
  if (answer.moved !== undefined) await deps.store.noteMoved(answer.moved);
  let cursor = cursorOf(points);
  // stamps set anew stand before everything that may rest on them, and in the same unit as the confirmation
  let first = { restamps: answer.restamps, set: judged.set };
  for (const slice of slices(answer.rows)) {
    const last = slice.at(-1) ?? cursor;
    const expect = { epoch: points.epoch, in_core_seq: cursor.seq, in_core_chain: cursor.chain };
    const set = { ...first.set, in_core_seq: last.seq, in_core_chain: last.chain };
    const isNews = slice.length > 0 || first.restamps.length > 0 || Object.keys(first.set).length > 0;
    if (isNews) await deps.store.take({ restamps: first.restamps, changes: slice, told, expect, set });
    cursor = { seq: last.seq, chain: last.chain };
    first = { restamps: [], set: {} };
    deps.progress();
    if (!deps.isCurrent()) break;
  }
  await deps.store.forgetKeptAside(answer.kept_aside, answer.in);
  return { is: 'pulled', rows: answer.rows.length, more: answer.more, cursor: cursor.seq };
}

/**
 * At most so many rows to a unit, cut where a transaction of the other side ends if one ends in time: control writes in
 * between, and people do not see half of what belongs together. One empty slice when there are no rows.
 */
export function slices(rows: readonly WireChange[]): (readonly WireChange[])[] {
  const cut: (readonly WireChange[])[] = [];
  let from = 0;
  do {
    let to = Math.min(rows.length, from + TUNING.rowsPerUnit);
    if (to < rows.length) {
      const open = rows[to]?.tx;
      const begin = rows.findIndex((row, place) => place >= from && row.tx === open);
      if (begin > from) to = begin;
    }
    cut.push(rows.slice(from, to));
    from = to;
  } while (from < rows.length);
  return cut;
}

type Facts = {
  answer: { timeline: string; restamps: readonly Restamp[] };
  /** What was known to be confirmed when the request left. */
  sent: LanePoints;
  in: Partial<LanePoints>;
  /** It answered hello and goes on: under whatever life of its database, it has all that this side counts on. */
  isGreeting?: true;
};

type Amiss = Extract<Outcome, { is: 'amiss' | 'another life' }>;

/** What every answer tells besides: how far our log was applied, and which stamps were set anew. */
export function takeFacts(deps: FlightDeps, facts: Facts): Promise<Amiss | null> {
  return deps.inTurn(async () => {
    if (!deps.isCurrent()) return null;
    const points = await deps.store.points();
    const judged = await judgeFacts(deps.store, points, facts);
    if ('is' in judged) return judged;
    const { restamps } = facts.answer;
    if (restamps.length > 0 || Object.keys(judged.set).length > 0) {
      await deps.store.take({ restamps, changes: [], expect: { epoch: points.epoch }, set: judged.set });
    }
    return null;
  });
}

/** The points that move by an answer, or what is amiss with it. */
async function judgeFacts(
  store: Pick<SyncStore, 'chainAt'>,
  points: StreamPoints,
  { answer, sent, in: claims, isGreeting }: Facts,
): Promise<Amiss | { set: Partial<StreamPoints> }> {
  const { timeline } = answer;
  if (isGreeting !== true && isAnotherLife(points.timeline, timeline)) return { is: 'another life' };
  const set: Partial<StreamPoints> = timeline === points.timeline ? {} : { timeline };
  for (const lane of LANES) {
    const claimed = claims[lane];
    if (claimed === undefined) continue;
    const verdict = judgeClaim({
      claimed,
      sent: sent[lane],
      acked: ackedOf(points)[lane],
      head: headOf(points)[lane],
      ownChain: await store.chainAt(lane, claimed.seq),
    });
    if (verdict.is === 'amiss') return { is: 'amiss', why: `${lane}: ${verdict.why}` };
    if (verdict.is === 'news') Object.assign(set, ackedPoints(lane, claimed));
  }
  return { set };
}
