import { StaleError } from '#core/errors.ts';
import { failureOf } from './ask.ts';
import { askHello } from './ask-hello.ts';
import { askPull } from './ask-pull.ts';
import { askPush } from './ask-push.ts';
import { askSnapshot } from './ask-snapshot.ts';
import { liveTalk } from './live-talk.ts';
import type { SyncClientDeps } from './ports.ts';
import {
  type Ask,
  type Effect,
  type FlightDeps,
  initialState,
  type Outcome,
  SLOTS,
  type SyncEvent,
  type SyncState,
  type Timer,
} from './state.ts';
import { inTurns, step } from './step.ts';

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
