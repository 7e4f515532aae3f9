// Motors draw six to eight times their current while they start. After a power cut, or at 18:00 with forty ponds, starting
// them all at once trips the feeder; so they start one by one. Stopping is never delayed: only starts come here.

export type WantedStart = {
  id: string;
  /** Motors on one feeder; null: the farm's own group. */
  start_group: string | null;
  /** Place in the queue, lowest first; null: after all that have one. */
  start_order: number | null;
  power_kw: number;
};

/** Instants are ms on one clock, best on the one that only grows. */
export type StartSlot = { id: string; start_at: number };

export type StartQueue = {
  now: number;
  waiting: readonly WantedStart[];
  /** Last start by group; the key of the farm's own group is null. */
  lastStartAtByGroup: ReadonlyMap<string | null, number>;
  stepMs?: number;
};

export const START_STEP_MS = 5000;

/**
 * When each waiting motor may start: in its group at most one per step, by `start_order`, then the largest first (it
 * needs the feeder least loaded), then by id. Those due have `start_at` <= now. Asked again later with the starts made
 * since, the others keep their times.
 */
export function startSlots({
  now,
  waiting,
  lastStartAtByGroup,
  stepMs = START_STEP_MS,
}: StartQueue): StartSlot[] {
  const nextFreeByGroup = new Map<string | null, number>();
  const slots: StartSlot[] = [];
  for (const start of [...waiting].sort(byPlaceInQueue)) {
    const group = start.start_group;
    const startAt = nextFreeByGroup.get(group) ?? firstFree(lastStartAtByGroup.get(group), now, stepMs);
    nextFreeByGroup.set(group, startAt + stepMs);
    slots.push({ id: start.id, start_at: startAt });
  }
  // Stable: at the same instant the groups' queues keep their order.
  return slots.sort((a, b) => a.start_at - b.start_at);
}

function firstFree(lastStartAt: number | undefined, now: number, stepMs: number): number {
  if (lastStartAt === undefined) return now;
  // A last start in the future means that the clock was set back: one step is enough, not the whole difference.
  return Math.max(now, Math.min(lastStartAt, now) + stepMs);
}

function byPlaceInQueue(a: WantedStart, b: WantedStart): number {
  const byOrder = placeOf(a) - placeOf(b);
  if (byOrder !== 0 && !Number.isNaN(byOrder)) return byOrder;
  return b.power_kw - a.power_kw || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Infinity minus itself is not a number, hence the check above. */
function placeOf(start: WantedStart): number {
  return start.start_order ?? Number.POSITIVE_INFINITY;
}
