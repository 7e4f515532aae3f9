import type { Kernel } from '#core/kernel.ts';
import type { Outcome } from './ports.ts';

/** One address may be wrong in a way that looks like an outage; three different ones in a row are one. */
const STRIKES = 3;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

export type OutageWatch = {
  note: (outcome: Outcome, channelId: string) => void;
  rest: (ms: number) => void;
  isResting: () => boolean;
};

/** Sees that there is no way out at all, so that a thousand messages do not each find out. */
export function createOutageWatch(
  deps: Pick<Kernel, 'random'> & { monotonic: () => number; hasOneWayOut: boolean },
): OutageWatch {
  const unreachable = new Set<string>();
  const state = { restUntil: 0, rests: 0 };
  const rest = (ms: number) => {
    state.restUntil = Math.max(state.restUntil, deps.monotonic() + ms);
  };
  return {
    note(outcome, channelId) {
      if (outcome.is === 'later') return outcome.of === 'all' ? rest(outcome.afterMs) : undefined;
      if (!deps.hasOneWayOut) return;
      if (outcome.is !== 'unreachable') {
        unreachable.clear();
        state.rests = 0;
        return;
      }
      unreachable.add(channelId);
      if (unreachable.size < STRIKES) return;
      unreachable.clear();
      const most = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** state.rests);
      state.rests = Math.min(state.rests + 1, 10);
      rest(most / 2 + (deps.random() * most) / 2);
    },
    rest,
    isResting: () => deps.monotonic() < state.restUntil,
  };
}
