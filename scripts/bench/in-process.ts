import { compose } from '#app/compose.ts';
import { readConfig } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { flagsFor } from './gateway.ts';

const silent = () => undefined;

/** The machine's own world, without a log. */
export const quietWorld = (): World => ({
  wallClock: () => Date.now(),
  monotonic: () => performance.now(),
  random: Math.random,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
  log: { debug: silent, info: silent, warn: silent, error: silent },
});

/** A gateway on this data folder in this process: all of it but sockets and the pulse. */
export function composeHere(data: string): ReturnType<typeof compose> {
  return compose(readConfig(flagsFor(data), {}), { ...quietWorld(), pause: async () => undefined });
}
