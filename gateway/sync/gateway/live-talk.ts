import type { CommandFrame, GatewayFrame, HostedFrame, LiveState } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import type { LiveHandlers, SyncClientDeps } from './ports.ts';
import type { SyncEvent } from './state.ts';

/** A line that needs longer for the way there and back carries no orders. */
const MOST_ROUND_TRIP_MS = 10_000;

type Still = Extract<HostedFrame, { is: 'still' }>;
type Asked = { atMs: number; answered: (lateAtMs: number | null) => void; callOff: () => void };

/**
 * Whether an order from afar still counts, proved without the clock of either side: a frame may have been held back on its
 * way for any time, and the process may have stood still. The gateway asks once it has read the order, and what counts is
 * the answer: from the question on, by the gateway's own time, which goes on while the machine sleeps.
 */
function stillAsker(
  deps: Pick<SyncClientDeps, 'later' | 'monotonic'>,
  send: (frame: GatewayFrame) => boolean,
) {
  const open = new Map<string, Asked>();
  const own = { asked: 0 };

  function settle(ask: string, lateAt: (asked: Asked) => number | null): void {
    const asked = open.get(ask);
    if (asked === undefined) return;
    open.delete(ask);
    asked.callOff();
    asked.answered(lateAt(asked));
  }

  return {
    /** From when on it is late, monotonic; null: the line broke, and it is sent again over the next one. */
    ask({ id }: CommandFrame): Promise<number | null> {
      own.asked += 1;
      const ask = String(own.asked);
      return new Promise((resolve) => {
        open.set(ask, {
          atMs: deps.monotonic(),
          answered: resolve,
          callOff: deps.later(MOST_ROUND_TRIP_MS, () => settle(ask, () => Number.NEGATIVE_INFINITY)),
        });
        if (!send({ is: 'ask_still', id, ask })) settle(ask, () => null);
      });
    },
    answer({ ask, left_ms }: Still): void {
      settle(ask, ({ atMs }) =>
        left_ms === null ? Number.NEGATIVE_INFINITY : atMs + Math.min(left_ms, MOST_ROUND_TRIP_MS),
      );
    },
    /** Nothing that was asked over that line is answered any more. */
    closed(): void {
      for (const ask of open.keys()) settle(ask, () => null);
    },
  };
}

const GATHER_MS = 1_000;
/** About a third of what one frame may weigh. */
const MOST_POINTS = 2_000;

type Report = Extract<GatewayFrame, { is: 'report' }>;

/** What is said on the live socket: orders taken, how the control points stand, how far the log goes. */
export function liveTalk(deps: Pick<SyncClientDeps, 'line' | 'live' | 'later' | 'log' | 'monotonic'>) {
  const changed = new Set<string>();
  const own = { isOpen: false, callOff: null as (() => void) | null, aliveAtMs: null as number | null };
  const send = (frame: GatewayFrame): boolean => own.isOpen && (deps.line?.send(frame) ?? false);

  const still = stillAsker(deps, send);

  function tellLive(isAll: boolean): void {
    const points = deps.live?.livePoints() ?? [];
    const told = isAll ? points : points.filter(({ id }) => changed.has(id));
    changed.clear();
    // the first piece replaces what was known, the others are added to it
    for (let from = 0; from < told.length || (isAll && from === 0); from += MOST_POINTS) {
      send(liveFrame(told.slice(from, from + MOST_POINTS), isAll && from === 0));
    }
  }

  /** Hundreds of heartbeats a second become one frame. */
  function gather(id: string): void {
    if (!own.isOpen) return;
    changed.add(id);
    own.callOff ??= deps.later(GATHER_MS, () => {
      own.callOff = null;
      tellLive(false);
    });
  }

  async function take(frame: CommandFrame): Promise<void> {
    if (deps.live === null) return;
    const receivedAtMs = deps.monotonic();
    try {
      const lateAtMs =
        frame.answers_still === true ? await still.ask(frame) : receivedAtMs + frame.ttl_ms - frame.age_ms;
      if (lateAtMs !== null) send(await deps.live.takeCommand(frame, lateAtMs));
    } catch (error) {
      // it was not carried out, or it tells so by itself; the hosted instance asks again over the next line
      if (error instanceof AppError)
        deps.log.warn({ command: frame.id, reason: error.message }, 'an order from afar was not taken');
      else deps.log.error({ err: error, command: frame.id }, 'an order from afar could not be taken');
    }
  }

  const stops = [deps.live?.onCommandState((frame) => void send(frame)), deps.live?.onLive(gather)];
  return {
    handlers(hear: (event: SyncEvent) => void): LiveHandlers {
      return {
        opened() {
          own.isOpen = true;
          own.aliveAtMs = deps.monotonic();
          tellLive(true);
          hear({ is: 'socket opened' });
        },
        closed() {
          own.isOpen = false;
          still.closed();
          hear({ is: 'socket closed' });
        },
        alive() {
          own.aliveAtMs = deps.monotonic();
        },
        command: (frame) => void take(frame),
        still: still.answer,
        poke: (head) => hear({ is: 'poked', head }),
        pause: (ms) => hear({ is: 'paused', ms }),
        revoked: () => hear({ is: 'told revoked' }),
      };
    },
    /** When the other end last showed that it lives, monotonic; null: never. */
    aliveAtMs: () => own.aliveAtMs,
    report: (report: Omit<Report, 'is'>): boolean => send({ is: 'report', ...report }),
    /** Silence until then is meant: a planned power cut, work on the box. */
    outage: (outage: { until_ms: number; reason: string }): boolean => send({ is: 'outage', ...outage }),
    stop(): void {
      own.callOff?.();
      for (const stop of stops) stop?.();
    },
  };
}

function liveFrame(points: readonly LiveState[], isAll: boolean): GatewayFrame {
  return { is: 'live', is_all: isAll, points: [...points] };
}
