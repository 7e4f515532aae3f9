import type { SimClock } from '#sim/sim-clock.ts';
import { createManualClock } from '#sim/sim-clock.ts';

/**
 * A clock for real sockets in accelerated time: it moves a little at each turn of the event loop, so that a slow machine
 * makes the night longer but never makes a message late.
 */
export function createPacedClock(stepMs = 50): SimClock {
  const clock = createManualClock();
  const timer = setInterval(() => clock.advance(stepMs), 2);
  return {
    ...clock,
    stop: () => {
      clearInterval(timer);
      clock.stop();
    },
  };
}
