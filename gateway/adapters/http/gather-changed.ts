import type { ChangedKind } from '#contract/events/stream.ts';
import type { ChangedFor } from '#core/tell-changed.ts';

const EVERY_MS = 1000;

type Place = { to: ChangedFor; kinds: Set<ChangedKind> };

/**
 * Gathers what changed: the first word goes out at once, what follows within a second goes together at its end. So each
 * kind is told once a second at most to the same people, and the last word always comes.
 */
export function gatherChanged(deps: {
  later: (ms: number, run: () => void) => void;
  tell: (to: ChangedFor, kinds: ChangedKind[]) => void;
}): { add: (kind: ChangedKind, to: ChangedFor) => void; forget: () => void } {
  /** Those who were told within the last second, and what is to be told them at its end. */
  const resting = new Map<string, Place>();
  function rest(key: string, place: Place): void {
    deps.later(EVERY_MS, () => {
      const kinds = [...place.kinds];
      place.kinds.clear();
      if (kinds.length === 0) return void resting.delete(key);
      deps.tell(place.to, kinds);
      rest(key, place);
    });
  }
  return {
    add(kind, to) {
      const key = keyOf(to);
      const known = resting.get(key);
      if (known !== undefined) return void known.kinds.add(kind);
      const place: Place = { to, kinds: new Set() };
      resting.set(key, place);
      deps.tell(to, [kind]);
      rest(key, place);
    },
    /** While nobody listens nothing is kept: who comes next begins with a snapshot. */
    forget() {
      for (const { kinds } of resting.values()) kinds.clear();
    },
  };
}

function keyOf(to: ChangedFor): string {
  if (typeof to === 'string') return to;
  return 'userId' in to ? `user ${to.userId}` : `${to.who} ${to.farmId}`;
}
