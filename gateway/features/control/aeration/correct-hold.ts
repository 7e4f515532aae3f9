import type { PondHeld } from '#science/closed-loop.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { PondOfPoint } from './aired-ponds.ts';
import { type LoopClock, usableOxygen } from './pond-readings.ts';
import type { OxygenRow } from './ports.ts';

const MINUTE_MS = 60_000;

/** What was corrected in a pond since it was read last. */
export type Corrected = {
  /** When the first of the low readings among them was stored, ms since 1970: what they began may end. null: none was low. */
  lowStoredAt: number | null;
};

/**
 * What a person has corrected in an oxygen reading, for those who follow its pond; null: nothing that says how the water
 * was. A value that was only taken away says nothing about the water, and lets nothing go.
 */
export function correctionOf(
  constants: ScienceConstants,
  ponds: readonly Pick<PondOfPoint, 'levels'>[],
  { before, after }: { before: OxygenRow; after: OxygenRow },
): Corrected | null {
  const [was, is] = [usableOxygen(constants, before), usableOxygen(constants, after)];
  if (was === null || is === null) return null;
  if (was === is && before.measurement_date === after.measurement_date) return null;
  const wasLow = ponds.some(({ levels }) => was <= Math.max(levels.onMgL ?? 0, levels.emergencyMgL ?? 0));
  return { lowStoredAt: wasLow ? Date.parse(after.created_at) : null };
}

/** Corrections by pond, until what the pond asks for was worked out anew. */
export function createCorrections() {
  const byPond = new Map<string, Corrected>();
  return {
    ponds: () => byPond.keys(),
    note(pondId: string, correction: Corrected | null): void {
      if (correction === null) return;
      const known = [byPond.get(pondId)?.lowStoredAt ?? null, correction.lowStoredAt];
      const low = known.filter((at) => at !== null);
      byPond.set(pondId, { lowStoredAt: low.length === 0 ? null : Math.min(...low) });
    },
    take(pondId: string): Corrected | null {
      const correction = byPond.get(pondId) ?? null;
      byPond.delete(pondId);
      return correction;
    },
  };
}

/**
 * What a pond asks for after a correction: as if the value had been right at once. What began before a low reading that
 * was corrected goes on until a fresh reading, though no worse than the readings tell. A motor has its minimum run all
 * the same (`isWaiting`: to be asked again then).
 */
export function heldAfterCorrection(
  { minimumRunMinutes }: Pick<ScienceConstants['aeration'], 'minimumRunMinutes'>,
  facts: {
    held: PondHeld | null;
    /** Worked out anew from the readings as they are now. */
    replayed: PondHeld | null;
    correction: Corrected;
    clock: LoopClock;
  },
): { held: PondHeld | null; isWaiting: boolean } {
  const { held, replayed, correction, clock } = facts;
  const needed = replayed?.wish === 'OFF' ? null : replayed;
  if (held === null || held.wish === 'OFF') return { held: needed ?? held, isWaiting: false };
  const ranMs = clock.monotonic - held.sinceMs;
  const isBegunBySlip = correction.lowStoredAt !== null && clock.now - ranMs >= correction.lowStoredAt;
  if (!isBegunBySlip)
    return { held: needed === null ? held : { ...held, wish: needed.wish }, isWaiting: false };
  if (needed !== null) return { held: needed, isWaiting: false };
  const isWaiting = ranMs < minimumRunMinutes * MINUTE_MS;
  return { held: isWaiting ? held : null, isWaiting };
}
