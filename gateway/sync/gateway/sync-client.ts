import {
  type LogPoint,
  type PushRequest,
  pushAnswer,
  SYNC_REFUSALS,
  type SyncLane,
  type WireChange,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { ask, failureOf } from './ask.ts';
import { askHello } from './ask-hello.ts';
import { askPull, takeFacts } from './ask-pull.ts';
import { askSnapshot } from './ask-snapshot.ts';
import { liveTalk } from './live-talk.ts';
import type { SyncClientDeps } from './ports.ts';
import {
  type Ask,
  type BatchSize,
  type Effect,
  type FlightDeps,
  initialState,
  type Outcome,
  SLOTS,
  type SyncEvent,
  type SyncState,
  type Timer,
} from './state.ts';
import { ackedOf, cursorOf, headOf, inTurns, step } from './step.ts';

export type SyncClient = ReturnType<typeof createSyncClient>;

/**
 * The gateway's side of the sync, alive: it hears, steps, and carries out what the step wants. Nothing it does throws
 * into the rest of the program, and control never waits for it.
 */
export function createSyncClient(deps: SyncClientDeps) {
  const inTurn = inTurns();
  const timers = new Map<Timer, () => void>();
  const underWay = new Set<Promise<void>>();
  const own = { state: initialState(), isStopped: false };
  const talk = liveTalk(deps);

  function hear(event: SyncEvent): void {
    if (own.isStopped) return;
    const { state, effects } = step(own.state, event, deps.monotonic());
    own.state = state;
    for (const effect of effects) carryOut(effect);
  }

  function carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'ask':
        return fly(effect.id, effect.ask);
      case 'wake':
        return wake(effect.timer, effect.after);
      case 'open socket':
        return deps.line?.open(talk.handlers(hear));
      case 'close socket':
        return deps.line?.close();
      case 'drop connections':
        return deps.transport.dropConnections?.();
      case 'tell':
        return deps.log[effect.level](effect.fields, effect.sentence);
    }
  }

  function wake(timer: Timer, [from, to]: readonly [number, number]): void {
    timers.get(timer)?.();
    const callOff = deps.later(from + deps.random() * (to - from), () => {
      timers.delete(timer);
      hear({ is: 'due', timer });
    });
    timers.set(timer, callOff);
  }

  function fly(id: number, asked: Ask): void {
    const isCurrent = () => !own.isStopped && SLOTS.some((slot) => own.state.flights[slot]?.id === id);
    const progress = () => hear({ is: 'progress', id });
    const flight: Promise<void> = outcomeOf({ ...deps, isCurrent, progress, inTurn }, asked)
      .then((outcome) => hear({ is: 'done', id, outcome }))
      .catch((error: unknown) => deps.log.error({ err: error }, 'the sync made a mistake; it goes on'))
      .finally(() => underWay.delete(flight));
    underWay.add(flight);
  }

  return {
    /** `isPaired` false: it waits for `hear({ is: 'paired' })`. */
    start(isPaired: boolean): void {
      own.isStopped = false;
      hear({ is: 'started', isPaired });
    },
    hear,
    state: (): SyncState => own.state,
    /** Speaks on the live socket, if there is one. */
    talk,
    /** Resolves when nothing is under way any more; what came too late is dropped. */
    async stop(): Promise<void> {
      own.isStopped = true;
      for (const callOff of timers.values()) callOff();
      timers.clear();
      talk.stop();
      deps.line?.close();
      deps.transport.dropConnections?.();
      await Promise.all(underWay);
    },
  };
}

/** What became of a request; a mistake of ours or a full disk is one more reason to try again later. */
async function outcomeOf(deps: FlightDeps, asked: Ask): Promise<Outcome> {
  try {
    switch (asked.kind) {
      case 'hello':
        return await askHello(deps);
      case 'push':
        return await askPush(deps, asked);
      case 'pull':
        return await askPull(deps, asked);
      case 'snapshot':
        return await askSnapshot(deps, asked);
    }
  } catch (error) {
    const isExpected = error instanceof StaleError;
    if (!isExpected)
      deps.log.warn({ err: error }, 'the database did not take a step of the sync; it is tried again');
    return { ...failureOf(error), why: 'storage' };
  }
}

/** Sends the oldest rows that are not confirmed. The same rows again do no harm: the other side applies what is new. */
async function askPush(
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
