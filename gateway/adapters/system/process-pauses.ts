import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessPause, ProcessPauses } from '#core/clock-trust.ts';
import type { Log } from '#core/kernel.ts';

type PauseDeps = {
  /** Milliseconds that only grow; on some systems they stand still while the machine sleeps. */
  monotonic: () => number;
  /** How long the machine has been on, with the time it slept, ms. */
  uptimeMs: () => number;
  /** How finely the system tells that time, ms: some tell whole seconds. */
  uptimeGrainMs?: number;
  log: Log;
  /** How often it is looked at, ms of real time; a farm that lives faster looks more often. */
  beatMs?: number;
};

/** A process that did not come round for this long stood still. Nothing of ours holds it up for half of that. */
const GAP_MS = 10_000;
const BEAT_MS = 1_000;
const WHOLE_SECONDS_MS = 1_000;
/** The two clocks are read one after the other: closely, or once more, for a process may be held up in between. */
const CLOSE_MS = 2;
const READINGS = 3;
/** Two clocks of one machine never run as differently as this; what they differ by in a beat is no sleep. */
const MOST_DRIFT = 500e-6;
/** Of a process that stands still again and again the latest are enough. */
const MOST_KEPT = 100;

/**
 * Notices that this process, or its machine, stood still: it was stopped, a virtual machine was paused, a card hung, a
 * computer slept. Told by a beat that did not come, and by the time since the machine was switched on, which goes on in
 * its sleep while the monotonic clock may not. A step of the wall clock moves neither. Whoever asks sees a pause that
 * the beat has not noticed yet: after one the timers of others may come first.
 */
export function watchPauses(deps: PauseDeps): ProcessPauses & {
  /** The monotonic clock with the sleep of the machine counted in: what waits waits on it. */
  monotonic: () => number;
  stop: () => void;
} {
  const pauses: ProcessPause[] = [];
  const listeners = new Set<(pause: ProcessPause) => void>();
  /** Less than this may be rounding. */
  const leastSleepMs = 2 * (deps.uptimeGrainMs ?? WHOLE_SECONDS_MS);
  let last = readClocks(deps);
  let asleepMs = 0;
  /** By how much the machine is ahead of the monotonic clock and what was counted of it: short sleeps add up. */
  let beyondMs = 0;
  const monotonic = () => deps.monotonic() + asleepMs;

  function check(): void {
    const now = readClocks(deps);
    const gapMs = now.monotonic - last.monotonic;
    const driftMs = Math.min(Math.abs(beyondMs), gapMs * MOST_DRIFT) * Math.sign(beyondMs);
    beyondMs = Math.max(-leastSleepMs, beyondMs - driftMs + now.uptimeMs - last.uptimeMs - gapMs);
    const sleptMs = beyondMs >= leastSleepMs ? beyondMs : 0;
    beyondMs -= sleptMs;
    const from = last.monotonic + asleepMs;
    last = now;
    asleepMs += sleptMs;
    if (gapMs + sleptMs <= GAP_MS) return;
    const pause = { from, to: now.monotonic + asleepMs };
    pauses.push(pause);
    if (pauses.length > MOST_KEPT) pauses.shift();
    deps.log.warn(
      { forS: Math.round((pause.to - pause.from) / 1000), sleptS: Math.round(sleptMs / 1000) },
      'this process stood still; what it did not hear meanwhile is taken for nobody else’s silence',
    );
    for (const listener of listeners) listener(pause);
  }

  const timer = setInterval(check, deps.beatMs ?? BEAT_MS).unref();
  return {
    monotonic,
    all() {
      check();
      return pauses;
    },
    lastResumedAt() {
      check();
      return pauses.at(-1)?.to ?? null;
    },
    onResume: (listener) => void listeners.add(listener),
    stop: () => clearInterval(timer),
  };
}

/** Both at one moment, as nearly as it goes. */
function readClocks({ monotonic, uptimeMs }: Pick<PauseDeps, 'monotonic' | 'uptimeMs'>) {
  const read = () => {
    const from = monotonic();
    const uptime = uptimeMs();
    return { monotonic: from, uptimeMs: uptime, apartMs: monotonic() - from };
  };
  let best = read();
  for (let n = 1; n < READINGS && best.apartMs > CLOSE_MS; n += 1) {
    const again = read();
    if (again.apartMs < best.apartMs) best = again;
  }
  return best;
}

const RESOLUTION_MS = 10;
/** From here on a person notices, and a controller's answer comes late. */
const LATE_MS = 250;

type Delays = {
  /** 99th percentile since the last reset, ms beyond what was asked for. */
  p99: () => number;
  reset: () => void;
  stop: () => void;
};

/** Delays of the event loop as the runtime measures them. */
export function measuredDelays(): Delays {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    p99: () => Math.max(0, histogram.percentile(99) / 1e6 - RESOLUTION_MS),
    reset: () => histogram.reset(),
    stop: () => histogram.disable(),
  };
}

/** Watches that the event loop turns: whatever holds it up holds up heartbeats and orders. */
export function watchEventLoop(deps: { log: Log; delays: Delays }) {
  const last = { p99: 0 };
  return {
    /** Called once a minute. */
    look(): void {
      last.p99 = Math.round(deps.delays.p99());
      deps.delays.reset();
      if (last.p99 > LATE_MS) {
        deps.log.warn({ p99Ms: last.p99 }, 'the event loop was held up; heartbeats and orders came late');
      }
    },
    p99Ms: () => last.p99,
    health: (): { ok: boolean; detail?: string } =>
      last.p99 <= LATE_MS
        ? { ok: true }
        : { ok: false, detail: `held up for ${last.p99} ms (p99 of a minute)` },
    stop: deps.delays.stop,
  };
}

/** Work that may wait says so: control gets the processor first, and when memory runs out this goes first. */
export function standBack(): void {
  setPriority(10);
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // another system than Linux
  }
}
