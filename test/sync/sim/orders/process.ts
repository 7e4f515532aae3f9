import type { Chance } from '../chance.ts';
import type { VirtualTime } from '../virtual-time.ts';

type Waiting = { isTimer: boolean; run: () => void };

/**
 * A process that may stand still at any moment: what comes meanwhile waits, and afterwards timers and frames are run
 * together, in no order but that of the frames. `asleep`: its machine sleeps, and its monotonic clock stands, too.
 */
export function createProcess(time: VirtualTime, chance: Chance) {
  const own = { life: 0, standsUntil: 0, sleptMs: 0, sleptSince: null as number | null };
  let waiting: Waiting[] = [];
  /** Asynchronous work that is not waiting for the process to go on. */
  const work = { open: 0 };

  const monotonic = () => (own.sleptSince ?? time.now()) - own.sleptMs;

  function enter(isTimer: boolean, run: () => void): void {
    if (time.now() < own.standsUntil) waiting.push({ isTimer, run });
    else run();
  }

  function goOn(): void {
    if (time.now() < own.standsUntil) return;
    if (own.sleptSince !== null) own.sleptMs += time.now() - own.sleptSince;
    own.sleptSince = null;
    const missed = waiting;
    waiting = [];
    const timers = missed.filter(({ isTimer }) => isTimer);
    const frames = missed.filter(({ isTimer }) => !isTimer);
    while (timers.length + frames.length > 0) {
      const from = frames.length === 0 || (timers.length > 0 && chance.of(0.5)) ? timers : frames;
      from.shift()?.run();
    }
  }

  function standStill(ms: number, how: { asleep: boolean } = { asleep: false }): void {
    if (time.now() + ms <= own.standsUntil) return;
    own.standsUntil = time.now() + ms;
    if (how.asleep) own.sleptSince ??= time.now();
    time.after(ms, goOn);
  }

  function later(ms: number, run: () => void): () => void {
    const { life } = own;
    const dueAt = monotonic() + ms;
    let isOff = false;
    const look = () => {
      if (isOff || life !== own.life) return;
      if (own.sleptSince !== null) return enter(true, look);
      const leftMs = dueAt - monotonic();
      if (leftMs > 0) time.after(leftMs, look);
      else enter(true, () => isOff || life !== own.life || run());
    };
    time.after(ms, look);
    return () => {
      isOff = true;
    };
  }

  return {
    monotonic,
    later,
    standStill,
    stands: () => time.now() < own.standsUntil,
    life: () => own.life,
    /** A frame came, or a connection. */
    arrive: (run: () => void) => enter(false, run),
    /** What it held in memory is gone, and what it was about to do. */
    die(): void {
      own.life += 1;
      own.standsUntil = time.now();
      if (own.sleptSince !== null) own.sleptMs += time.now() - own.sleptSince;
      own.sleptSince = null;
      waiting = [];
      work.open = 0;
    },
    busy: () => work.open,
    /** Work of this life; of one that died nothing is heard any more. */
    async doing<Answer>(run: () => Promise<Answer>): Promise<Answer> {
      const { life } = own;
      work.open += 1;
      try {
        return await run();
      } finally {
        if (life === own.life) work.open -= 1;
        // a dead process does nothing more
        if (life !== own.life) await new Promise(() => undefined);
      }
    },
    /** May stand still here for a while, with whatever is half done. */
    async mayStandStill(share: number, mostMs: number): Promise<void> {
      if (!chance.of(share)) return;
      const { life } = own;
      // short ones more often: most of what decides is over within seconds
      const ms = Math.round(200 + (mostMs - 200) * chance.unit() ** 3);
      standStill(ms, { asleep: chance.of(0.3) });
      work.open -= 1;
      await new Promise<void>((resolve) => enter(false, () => life === own.life && resolve()));
      work.open += 1;
    },
  };
}

export type SimulatedProcess = ReturnType<typeof createProcess>;
