import type { Tick } from '#adapters/timers/ticks.ts';

/** The regular tasks of a program whose time is simulated: each runs when its second comes, one after the other. */
export function createPulse(): {
  startTicks: (
    ticks: readonly Tick[],
    onError: (name: string, error: unknown) => void,
  ) => { stop: () => Promise<void> };
  /** Runs what is due at this time and waits until it is done. */
  at: (ms: number) => Promise<void>;
} {
  let tasks: { isDue: (atMs: number) => boolean; run: () => Promise<void> }[] = [];
  return {
    startTicks(ticks, onError) {
      tasks = ticks
        // it watches the broker by the machine's own time, and writes nothing
        .filter(({ name }) => name !== 'broker')
        .map((tick) => ({
          isDue: matcher(tick),
          run: async () => {
            try {
              await tick.run();
            } catch (error) {
              onError(tick.name, error);
            }
          },
        }));
      return {
        async stop() {
          tasks = [];
        },
      };
    },
    async at(ms) {
      for (const task of tasks) if (task.isDue(ms)) await task.run();
    },
  };
}

/** True at the seconds of a rate, and in the first second of an hour for what is meant by the calendar. */
function matcher(tick: Tick): (atMs: number) => boolean {
  const everyS = 'everyS' in tick ? tick.everyS : 3_600;
  return (atMs) => Math.floor(atMs / 1000) % everyS === 0;
}
