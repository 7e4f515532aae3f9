import { compose } from '#app/compose.ts';
import { readConfig } from '#runtime/config.ts';
import { flagsFor } from './gateway.ts';

const silent = () => undefined;

/** A gateway on this data folder in this process: all of it but sockets and the pulse. */
export function composeHere(data: string): ReturnType<typeof compose> {
  return compose(readConfig(flagsFor(data), {}), {
    wallClock: () => Date.now(),
    monotonic: () => performance.now(),
    random: Math.random,
    pause: async () => undefined,
    clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
}
