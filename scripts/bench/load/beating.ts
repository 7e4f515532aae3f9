import { schedule } from 'node-cron';
import { startTicks, type Tick } from '#adapters/timers/ticks.ts';
import { answerCalls } from '../remote.ts';

// A process that does nothing but beat: the pulse of the gateway, or as many tasks of node-cron, each by its own timer.

/** How often the regular tasks of a paired gateway come, seconds. */
const TASKS_BY_RATE = [
  [1, 6],
  [2, 6],
  [3, 1],
  [5, 8],
  [15, 2],
  [30, 3],
  [60, 8],
  [300, 2],
  [600, 1],
] as const;
const RATES: readonly number[] = TASKS_BY_RATE.flatMap(([everyS, tasks]) =>
  Array<number>(tasks).fill(everyS),
);

export type Beating = {
  /** Beats for so long and answers the processor time it took, ms. */
  beat: (input: { by: 'pulse' | 'node-cron'; forMs: number }) => Promise<number>;
};

answerCalls({
  async beat({ by, forMs }) {
    const stop = by === 'pulse' ? beatByPulse() : beatByCron();
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, forMs));
    const { user, system } = process.cpuUsage(before);
    await stop();
    return (user + system) / 1000;
  },
} satisfies Beating);

function beatByPulse(): () => Promise<void> {
  const ticks = RATES.map((everyS, place): Tick => ({ name: `${place}`, everyS, run: () => undefined }));
  const { stop } = startTicks(
    ticks,
    (_name, error) => {
      throw error;
    },
    Date.now,
  );
  return stop;
}

function beatByCron(): () => Promise<void> {
  const tasks = RATES.map((everyS) => schedule(patternOf(everyS), () => undefined, { timezone: 'Etc/UTC' }));
  return async () => {
    for (const task of tasks) await task.destroy();
  };
}

function patternOf(everyS: number): string {
  if (everyS < 60) return everyS === 1 ? '* * * * * *' : `*/${everyS} * * * * *`;
  return everyS === 60 ? '20 * * * * *' : `20 */${everyS / 60} * * * *`;
}
