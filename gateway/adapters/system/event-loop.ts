import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '#core/kernel.ts';

const RESOLUTION_MS = 10;
/** From here on a person notices, and a controller's answer comes late. */
export const LATE_MS = 250;

export type Delays = {
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
