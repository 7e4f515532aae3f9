import type { CommandFrame, GatewayFrame, HostedFrame } from '#contract/sync/wire.ts';
import type { SyncClientDeps } from './ports.ts';

/** A line that needs longer for the way there and back carries no orders. */
const MOST_ROUND_TRIP_MS = 10_000;

type Still = Extract<HostedFrame, { is: 'still' }>;
type Asked = { atMs: number; answered: (lateAtMs: number | null) => void; callOff: () => void };

/**
 * Whether an order from afar still counts, proved without the clock of either side: a frame may have been held back on its
 * way for any time, and the process may have stood still. The gateway asks once it has read the order, and what counts is
 * the answer: from the question on, by the gateway's own time, which goes on while the machine sleeps.
 */
export function stillAsker(
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
