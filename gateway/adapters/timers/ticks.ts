import { type ScheduledTask, schedule } from 'node-cron';

export type Tick = {
  name: string /** A node-cron pattern, seconds first. */;
  every: string;
  run: () => Promise<void> | void;
};

/**
 * Runs each tick on its pattern, one at a time: a tick that takes longer than its pattern is not piled up. node-cron is
 * the pulse only; what is due follows from the facts at each tick, never from the pulse that brought it.
 */
export function startTicks(
  ticks: readonly Tick[],
  onError: (name: string, error: unknown) => void,
): { stop: () => Promise<void> } {
  const running = new Map<string, Promise<void>>();
  const tasks: ScheduledTask[] = ticks.map(({ name, every, run }) =>
    schedule(
      every,
      () => {
        if (running.has(name)) return;
        const done = Promise.resolve()
          .then(run)
          .catch((error: unknown) => onError(name, error))
          .finally(() => running.delete(name));
        running.set(name, done);
      },
      { timezone: 'Etc/UTC' },
    ),
  );
  return {
    async stop() {
      for (const task of tasks) await task.destroy();
      await Promise.all(running.values());
    },
  };
}
