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
  let tasks: { isDue: (at: Date) => boolean; run: () => Promise<void> }[] = [];
  return {
    startTicks(ticks, onError) {
      tasks = ticks
        // it watches the broker by the machine's own time, and writes nothing
        .filter(({ name }) => name !== 'broker')
        .map(({ name, every, run }) => ({
          isDue: matcher(every),
          run: async () => {
            try {
              await run();
            } catch (error) {
              onError(name, error);
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
      const date = new Date(ms);
      for (const task of tasks) if (task.isDue(date)) await task.run();
    },
  };
}

/** Second, minute and hour of a node-cron pattern, as far as the gateway uses them: `*`, `*` with a step, a number. */
function matcher(pattern: string): (at: Date) => boolean {
  const [second, minute, hour] = pattern.split(' ').map(fieldMatcher);
  return (at) =>
    (second?.(at.getUTCSeconds()) ?? true) &&
    (minute?.(at.getUTCMinutes()) ?? true) &&
    (hour?.(at.getUTCHours()) ?? true);
}

function fieldMatcher(field: string): (value: number) => boolean {
  if (field === '*') return () => true;
  const step = /^\*\/(\d+)$/.exec(field)?.[1];
  if (step !== undefined) return (value) => value % Number(step) === 0;
  return (value) => value === Number(field);
}
