/** A disk that did not take the story of a schedule is asked again this often. */
const TELL_AGAIN_MS = 5_000;

export type ToldEvents = {
  /** The instant up to which the events of every control point are told; null: never looked. */
  lookedAt: () => number | null;
  /** False while the disk is not to be asked again yet. */
  mayTell: () => boolean;
  /** From when on the events of this control point are still to be told. */
  sinceOf: (controlPointId: string, now: number) => number;
  /** After a look: whose events are on disk now, whether the disk refused some, and whether all work fitted in. */
  keep: (now: number, look: { told: readonly string[]; isRefused: boolean; isWhole: boolean }) => void;
};

/** Up to when schedule events have been told. What did not fit in a look, or on the disk, is not passed over. */
export function createToldEvents(
  deps: { monotonic: () => number },
  startedWith: { lookedAt: number | null },
): ToldEvents {
  const toldUpTo = new Map<string, number>();
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
    keep(now, { told, isRefused, isWhole }) {
      if (isRefused) againAt = deps.monotonic() + TELL_AGAIN_MS;
      if (isWhole && !isRefused) {
        lookedAt = now;
        toldUpTo.clear();
        return;
      }
      lookedAt ??= now;
      for (const id of told) toldUpTo.set(id, now);
    },
  };
}
