import type { Chance } from '../chance.ts';
import type { VirtualTime } from '../virtual-time.ts';

// One connection after another between a gateway and its hosted instance. What is sent on one comes in its order or not at
// all, and for any time not yet: that a frame is read says nothing of when it was sent.

export type Way = 'down' | 'up';

export type Connection = {
  isDead: boolean;
  send(way: Way, arrive: () => void): void;
};

export type Line = {
  open(): Connection;
  /** From now on each frame that way takes so long. */
  slow(way: Way, ms: number): void;
  /** Nothing arrives that way for so long, and then all of it at once. */
  hold(way: Way, ms: number): void;
  heal(): void;
};

const USUAL_MS = { least: 20, most: 250 };

export function createLine(time: VirtualTime, chance: Chance): Line {
  const ways = {
    down: { slowMs: 0, heldUntil: 0 },
    up: { slowMs: 0, heldUntil: 0 },
  };
  return {
    open() {
      const arrivesAt = { down: 0, up: 0 };
      const connection: Connection = {
        isDead: false,
        send(way, arrive) {
          const { slowMs, heldUntil } = ways[way];
          const takes = chance.between(USUAL_MS.least, USUAL_MS.most) + slowMs;
          const at = Math.max(time.now() + takes, heldUntil, arrivesAt[way]);
          arrivesAt[way] = at;
          time.after(at - time.now(), () => {
            if (!connection.isDead) arrive();
          });
        },
      };
      return connection;
    },
    slow(way, ms) {
      ways[way].slowMs = ms;
    },
    hold(way, ms) {
      ways[way].heldUntil = time.now() + ms;
    },
    heal() {
      for (const way of [ways.down, ways.up]) way.slowMs = 0;
    },
  };
}
