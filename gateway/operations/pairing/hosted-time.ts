import { askSignedTime } from '#adapters/sync/hosted-time.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { needsHostedTime } from '#core/clock-trust.ts';
import type { Log } from '#core/kernel.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';

/** An answer that took longer tells too little. */
const LONGEST_MS = 10_000;

/**
 * Asks the hosted instance for the time while this gateway's own clock is not to be trusted. What follows from the new
 * time is the same as when a person sets it: nothing is made up for, schedules go on from there.
 */
export function createHostedTime(deps: {
  clock: Pick<DisciplinedClock, 'state' | 'confirmByHosted'>;
  monotonic: () => number;
  log: Log;
  paired: () => Promise<Paired | null>;
}) {
  const { clock, monotonic, log } = deps;
  return {
    /** Four times a minute. */
    async look(): Promise<void> {
      if (!needsHostedTime(clock.state())) return;
      const known = await deps.paired();
      if (known === null || known.state !== 'paired') return;
      try {
        const { serverNowMs, roundTripMs } = await askSignedTime(
          { url: known.hosted_url, key: known.hosted_key },
          { monotonic },
        );
        if (roundTripMs > LONGEST_MS) return;
        if (clock.confirmByHosted(Math.round(serverNowMs + roundTripMs / 2)))
          log.warn({}, 'the hosted instance signed the time; this gateway goes by it now');
      } catch (error) {
        log.debug({ err: error }, 'the hosted instance was not asked for the time; it is asked again');
      }
    },
  };
}
