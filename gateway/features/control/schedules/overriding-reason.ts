import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { type ControlView, type OverridingReason, targetOf } from '../control-view.ts';
import type { Wish } from './wish.ts';

// A stronger reason for the target that holds already is an event of its own: it raises the version, so that a hand at
// the controller no longer stands against it, and it is logged and shown. When it ends, the weaker one is shown again.

export const SHOWN_REASON_PREFIX = 'shown_reason:';

/** A hand that works against the reason is answered by a new version: at first so long after the last one, then rarer. */
const FIRST_REPEAT_MS = 60_000;
const LAST_REPEAT_MS = 15 * 60_000;
/** What was reported longer ago says nothing of a hand now. */
const REPORT_HOLDS_MS = 90_000;

/** The reason for a wish that goes before orders and hands; null: it is none of these. */
export function overridingReason({ row }: Pick<ControlView, 'row'>, wish: Wish): OverridingReason | null {
  if (row.locked_out) return 'LOCK_OUT';
  return wish.details['demand'] === 'EMERGENCY_OXYGEN' ? 'EMERGENCY_OXYGEN' : null;
}

/**
 * Remembers which reason was announced last for each control point, on disk too: once for each start of the reason, not at
 * every look, nor again after a restart.
 */
export function createShownReasons(deps: {
  monotonic: () => number;
  /** Notes of an earlier run. */
  stored: () => Promise<readonly { id: string; value: string }[]>;
}) {
  const shownById = new Map<string, OverridingReason>();
  const storedById = new Map<string, OverridingReason>();
  const announcedById = new Map<string, { at: number; repeats: number }>();
  let isLoaded = false;

  function isByHandAgainst(view: ControlView, target: string): boolean {
    const { id } = view.row;
    const { current, source, lastReportMonotonic, isLost } = view.presence;
    const announced = announcedById.get(id);
    const now = deps.monotonic();
    if (current === target && announced !== undefined) announcedById.set(id, { ...announced, repeats: 0 });
    const isHeard = lastReportMonotonic !== null && now - lastReportMonotonic <= REPORT_HOLDS_MS && !isLost;
    if (current === null || current === target || source !== 'manual' || !isHeard) return false;
    const waitMs = Math.min(LAST_REPEAT_MS, FIRST_REPEAT_MS * 2 ** (announced?.repeats ?? 0));
    return announced === undefined || now - announced.at >= waitMs;
  }

  return {
    /** Until it succeeds once, an earlier run's reasons are announced again at worst. */
    async load(): Promise<void> {
      if (isLoaded) return;
      for (const { id, value } of await deps.stored()) {
        if (value !== 'LOCK_OUT' && value !== 'EMERGENCY_OXYGEN') continue;
        const controlPointId = id.slice(SHOWN_REASON_PREFIX.length);
        storedById.set(controlPointId, value);
        if (!shownById.has(controlPointId)) shownById.set(controlPointId, value);
      }
      isLoaded = true;
    },
    /** Whether this reason is to become an order of its own, though the target stays as it is. */
    needsOrder(view: ControlView, reason: OverridingReason | null): boolean {
      const { target_status, target_origin } = targetOf(view);
      const shown = shownById.get(view.row.id) ?? null;
      const isShown = target_origin === 'SAFETY';
      if (reason === null) return shown !== null && isShown;
      // the order of a lock-out comes with it
      if (shown !== reason) return reason === 'EMERGENCY_OXYGEN' || !isShown;
      // an order of a person was given over it; announced again once that one is done
      if (!isShown) return view.openOrder === null && view.unsaved === null;
      return isByHandAgainst(view, target_status);
    },
    /** True when what is remembered is not what holds. */
    isOther: (id: string, reason: OverridingReason | null): boolean => (shownById.get(id) ?? null) !== reason,
    /** The rows that note it. */
    changes(id: string, reason: OverridingReason | null): Change[] {
      if ((storedById.get(id) ?? null) === reason) return [];
      const key = `${SHOWN_REASON_PREFIX}${id}`;
      return [reason === null ? purge(instanceValue, key) : put(instanceValue, { id: key, value: reason })];
    },
    /** It was announced; `isStored`: its rows are on disk. */
    record(id: string, reason: OverridingReason | null, { isStored }: { isStored: boolean }): void {
      const isSame = shownById.get(id) === reason;
      const repeats = isSame ? (announcedById.get(id)?.repeats ?? -1) + 1 : 0;
      if (reason === null) {
        shownById.delete(id);
        announcedById.delete(id);
      } else {
        shownById.set(id, reason);
        announcedById.set(id, { at: deps.monotonic(), repeats });
      }
      if (!isStored) return;
      if (reason === null) storedById.delete(id);
      else storedById.set(id, reason);
    },
    /** Control points for which something is remembered. */
    ids: (): string[] => [...new Set([...shownById.keys(), ...storedById.keys()])],
  };
}
