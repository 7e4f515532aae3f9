import { MAX_MISSED, type MissedEvent } from './follow-clock-step.ts';

/** A disk that did not take the story of a schedule is asked again this often. */
const TELL_AGAIN_MS = 5_000;

export type ToldEvents = {
  /** The instant up to which the events of every control point are told; null: never looked. */
  lookedAt: () => number | null;
  /** False while the disk is not to be asked again yet. */
  mayTell: () => boolean;
  /** From when on the events of this control point are still to be told. */
  sinceOf: (controlPointId: string, now: number) => number;
  /** Events of this control point that the disk refused: they came about, whatever its schedules say since. */
  refusedOf: (controlPointId: string, now: number) => readonly MissedEvent[];
  /** After a look: whose events are on disk now, which the disk refused, and whether all work fitted in. */
  keep: (
    now: number,
    look: {
      told: readonly string[];
      refused: ReadonlyMap<string, readonly MissedEvent[]>;
      isWhole: boolean;
    },
  ) => void;
};

/** Up to when schedule events have been told. What did not fit in a look, or on the disk, is not passed over. */
export function createToldEvents(
  deps: { monotonic: () => number },
  startedWith: { lookedAt: number | null },
): ToldEvents {
  const toldUpTo = new Map<string, number>();
  const refusedById = new Map<string, readonly MissedEvent[]>();
  let { lookedAt } = startedWith;
  let againAt = Number.NEGATIVE_INFINITY;
  return {
    lookedAt: () => lookedAt,
    mayTell: () => deps.monotonic() >= againAt,
    sinceOf(id, now) {
      const own = toldUpTo.get(id) ?? Number.NEGATIVE_INFINITY;
      // a clock that was set back misses nothing
      return Math.min(Math.max(lookedAt ?? now, own), now);
    },
    refusedOf: (id, now) =>
      (refusedById.get(id) ?? [])
        // a clock that was set back is not there yet
        .filter(({ event }) => event.at <= now)
        .map(({ event }) => ({ event, lateness_ms: now - event.at })),
    keep(now, { told, refused, isWhole }) {
      if (refused.size > 0) againAt = deps.monotonic() + TELL_AGAIN_MS;
      if (isWhole && refused.size === 0) {
        lookedAt = now;
        toldUpTo.clear();
        refusedById.clear();
        return;
      }
      lookedAt ??= now;
      for (const id of told) {
        toldUpTo.set(id, now);
        refusedById.delete(id);
      }
      // a restart works them out again from `lookedAt`
      for (const [id, events] of refused) {
        toldUpTo.set(id, now);
        refusedById.set(id, events.slice(-MAX_MISSED));
      }
    },
  };
}
