import {
  type LogPoint,
  type PushRequest,
  pushAnswer,
  SYNC_REFUSALS,
  type SyncLane,
  type WireChange,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { ask } from './ask.ts';
import type { BatchSize } from './batch-size.ts';
import type { FlightDeps, Outcome } from './state.ts';
import { ackedOf, cursorOf, headOf } from './step.ts';
import { takeFacts } from './take-facts.ts';

/** Sends the oldest rows that are not confirmed. The same rows again do no harm: the other side applies what is new. */
export async function askPush(
  deps: FlightDeps,
  { lane, size }: { lane: SyncLane; size: BatchSize },
): Promise<Outcome> {
  const points = await deps.store.points();
  const after = ackedOf(points)[lane];
  if (headOf(points)[lane].seq <= after.seq) return { is: 'nothing' };
  const coreAcked = points.acked_core_seq;
  const { rows, isFull } = await deps.store.outRows({ lane, after: after.seq, coreAcked, ...size });
  if (rows.length === 0 && lane === 'history') return { is: 'resting' };
  const isWhole = rows[0]?.seq === after.seq + 1;
  if (!isWhole) return { is: 'amiss', why: `${lane}: the change log of this gateway has a hole` };
  if (!comesOut(deps, after.chain, rows))
    return { is: 'amiss', why: `${lane}: the change log of this gateway does not say any more what it said` };
  const request: PushRequest = {
    epoch: points.epoch,
    lane,
    after,
    cursor: cursorOf(points),
    needs_core: lane === 'history' ? coreAcked : 0,
    rows: [...rows],
  };
  const asked = await ask(deps, 'push', pushAnswer, request);
  const sent = { points, lane, rows, wasFull: isFull };
  if (asked.ok) return confirmed(deps, sent, asked);
  if (asked.outcome.is === 'refused' && asked.outcome.code === SYNC_REFUSALS.gap && asked.in !== undefined) {
    return wentOnElsewhere(deps, sent, asked.in, asked.outcome);
  }
  return asked.outcome;
}

/**
 * Changes that speak of a person who is gone were forgotten after they were confirmed; a card forgets by itself. Either would be
 * refused over there again and again: everything is compared instead.
 */
function comesOut(
  deps: Pick<FlightDeps, 'chainAfter'>,
  before: string,
  rows: readonly WireChange[],
): boolean {
  let chain = before;
  for (const row of rows) {
    chain = deps.chainAfter(chain, row);
    if (chain !== row.chain) return false;
  }
  return true;
}

type Sent = { points: StreamPoints; lane: SyncLane; rows: readonly WireChange[]; wasFull: boolean };

async function confirmed(
  deps: FlightDeps,
  { points, lane, rows, wasFull }: Sent,
  { answer, tookMs }: { answer: ReturnType<typeof pushAnswer.parse>; tookMs: number },
): Promise<Outcome> {
  const amiss = await takeFacts(deps, { answer, sent: ackedOf(points), in: { [lane]: answer.in } });
  if (amiss !== null) return amiss;
  if (answer.in.seq <= ackedOf(points)[lane].seq) {
    return {
      is: 'failed',
      why: 'broken',
      detail: 'the hosted instance took the push and applied none of it',
    };
  }
  const aside = new Set(answer.parked);
  if (aside.size > 0)
    await deps.store.noteKeptAside(
      lane,
      rows.filter(({ seq }) => aside.has(seq)),
    );
  return { is: 'pushed', rows: rows.length, tookMs, wasFull, more: await hasMore(deps, lane) };
}

/** An acknowledgement was lost, or the other side lost what it had: which of the two, the chains tell. */
async function wentOnElsewhere(
  deps: FlightDeps,
  { points, lane }: Sent,
  applied: LogPoint,
  refused: Outcome,
): Promise<Outcome> {
  const answer = { timeline: points.timeline, restamps: [] };
  const amiss = await takeFacts(deps, { answer, sent: ackedOf(points), in: { [lane]: applied } });
  if (amiss !== null) return amiss;
  if (applied.seq <= ackedOf(points)[lane].seq) return refused;
  return { is: 'pushed', rows: 0, tookMs: 0, wasFull: false, more: await hasMore(deps, lane) };
}

async function hasMore(deps: FlightDeps, lane: SyncLane): Promise<boolean> {
  const points = await deps.store.points();
  return headOf(points)[lane].seq > ackedOf(points)[lane].seq;
}
