/** Lets a bounded number send at once: what is critical first, and with slots of its own. */
export type SendGate = {
  /** Resolves when there is a slot. What it answers gives the slot back; calling that again changes nothing. */
  enter: (isCritical: boolean) => Promise<() => void>;
};

export function createSendGate(slots: number): SendGate {
  // one in four is kept for what is critical
  const mostFor = (isCritical: boolean) => (isCritical ? slots : Math.max(1, slots - (slots >> 2)));
  const waiting: Record<'critical' | 'other', (() => void)[]> = { critical: [], other: [] };
  const state = { inside: 0 };

  function letIn(): void {
    for (const isCritical of [true, false]) {
      const line = waiting[isCritical ? 'critical' : 'other'];
      while (state.inside < mostFor(isCritical)) {
        const enterNow = line.shift();
        if (enterNow === undefined) break;
        state.inside += 1;
        enterNow();
      }
    }
  }

  function slot(): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      state.inside -= 1;
      letIn();
    };
  }

  return {
    async enter(isCritical) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting[isCritical ? 'critical' : 'other'].push(resolve);
      letIn();
      await promise;
      return slot();
    },
  };
}
