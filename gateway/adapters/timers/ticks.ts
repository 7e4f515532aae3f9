import { createTask, type ScheduledTask } from 'node-cron';

/** Work that the program does again and again by itself. */
export type Tick = { name: string; run: () => Promise<void> | void } & (
  | { /** A rate, seconds: measured on the monotonic clock, whatever the wall clock does. */ everyS: number }
  | {
      /** Meant by the calendar: five cron fields, UTC. What a step of the clock passes over is not caught up. */ at: string;
    }
);

const BEAT_MS = 1_000;
/** A timer may fire a millisecond early; a beat comes after the second that it stands for. */
const AFTER_THE_SECOND_MS = 5;

/**
 * The pulse of the program: one beat a second on the monotonic clock. A rate is counted in monotonic time, a calendar
 * pattern is asked at each new minute of `now` whether it means this one. So a step of the wall clock, in any direction
 * and of any length, moves no rate, and costs one question per pattern. Beats that a busy or stopped process missed are
 * not made up for: a task that came due meanwhile runs once. A task that takes longer than its rate is not piled up.
 * `now`: the instance's time, ms since 1970; only its minute counts.
 */
export function startTicks(
  ticks: readonly Tick[],
  onError: (name: string, error: unknown) => void,
  now: () => number,
): { stop: () => Promise<void> } {
  const running = new Map<string, Promise<void>>();
  const startedAt = performance.now() + phaseMs(now());
  const due = ticks.map((tick, place) => ({ tick, isDue: dueCheck(tick, place, startedAt, now) }));
  let timer: NodeJS.Timeout | null = null;

  function beat(): void {
    const at = performance.now();
    for (const { tick, isDue } of due) {
      try {
        if (isDue(at)) run(tick);
      } catch (error) {
        onError(tick.name, error);
      }
    }
    arm();
  }

  function arm(): void {
    const sinceBeat = (performance.now() - startedAt) % BEAT_MS;
    timer = setTimeout(beat, BEAT_MS - (sinceBeat < 0 ? sinceBeat + BEAT_MS : sinceBeat));
  }

  function run({ name, run: work }: Tick): void {
    if (running.has(name)) return;
    const done = Promise.resolve()
      .then(work)
      .catch((error: unknown) => onError(name, error))
      .finally(() => running.delete(name));
    running.set(name, done);
  }

  arm();
  return {
    async stop() {
      if (timer !== null) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}

/** Beats fall just after whole seconds of the clock at the start, so that what is due at a second is not seen a second late. */
function phaseMs(nowMs: number): number {
  return BEAT_MS - (nowMs % BEAT_MS) + AFTER_THE_SECOND_MS;
}

function dueCheck(tick: Tick, place: number, startedAt: number, now: () => number): (at: number) => boolean {
  if ('at' in tick) return calendarCheck(tick, now);
  const everyMs = tick.everyS * 1000;
  // tasks of one rate take turns instead of coming all in one second
  let dueAt = startedAt + (place % tick.everyS) * BEAT_MS;
  return (at) => {
    if (at < dueAt) return false;
    dueAt += Math.ceil((at - dueAt + 1) / everyMs) * everyMs;
    return true;
  };
}

/** node-cron reads the pattern; it is never started, because its own timers follow the wall clock. */
function calendarCheck(
  { name, at: pattern }: { name: string; at: string },
  now: () => number,
): () => boolean {
  const task: ScheduledTask = createTask(`0 ${pattern}`, () => undefined, { name, timezone: 'Etc/UTC' });
  let askedMinute = minuteOf(now());
  return () => {
    const minute = minuteOf(now());
    if (minute === askedMinute) return false;
    askedMinute = minute;
    return task.match(new Date(minute * 60_000));
  };
}

const minuteOf = (ms: number): number => Math.floor(ms / 60_000);
