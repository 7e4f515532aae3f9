/** Lets a bounded number send at once: what is critical first, and with slots of its own. */
export type SendGate = {
  /**
   * Resolves when there is a slot. What it answers gives the slot back; calling that again changes nothing. `place`: where
   * it goes, of which each has half of the slots at most, so that one that never answers holds up no other, and of that
   * half, too, one in four is for what is critical: nearly all browsers have one place. null: all goes the same way.
   */
  enter: (isCritical: boolean, place: string | null) => Promise<() => void>;
};

type Waiting = { place: string | null; enterNow: () => void };

export function createSendGate(slots: number): SendGate {
  // one in four is kept for what is critical
  const shareFor = (isCritical: boolean, all: number) => (isCritical ? all : Math.max(1, all - (all >> 2)));
  const mostPerPlace = Math.max(1, slots >> 1);
  const waiting: Record<'critical' | 'other', Waiting[]> = { critical: [], other: [] };
  const insideByPlace = new Map<string, number>();
  const state = { inside: 0 };
  const insideOf = (place: string) => insideByPlace.get(place) ?? 0;
  const hasRoom = ({ place }: Waiting, isCritical: boolean) =>
    place === null || insideOf(place) < shareFor(isCritical, mostPerPlace);

  function letIn(): void {
    for (const isCritical of [true, false]) {
      const line = waiting[isCritical ? 'critical' : 'other'];
      while (state.inside < shareFor(isCritical, slots)) {
        const at = line.findIndex((one) => hasRoom(one, isCritical));
        const [next] = at < 0 ? [] : line.splice(at, 1);
        if (next === undefined) break;
        count(next.place, 1);
        next.enterNow();
      }
    }
  }

  function count(place: string | null, change: 1 | -1): void {
    state.inside += change;
    if (place === null) return;
    const inside = insideOf(place) + change;
    if (inside === 0) insideByPlace.delete(place);
    else insideByPlace.set(place, inside);
  }

  function slot(place: string | null): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      count(place, -1);
      letIn();
    };
  }

  return {
    async enter(isCritical, place) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting[isCritical ? 'critical' : 'other'].push({ place, enterNow: resolve });
      letIn();
      await promise;
      return slot(place);
    },
  };
}
