import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert } from '#core/changes.ts';
import type { App } from './app.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 30_000;
const ROWS_A_COMMIT = 5_000;

/** Straight into the database: what a probe that writes every 30 s said of a pond, newest now; 86,400 readings are 30 days. */
export async function aProbeWrote(
  { kernel, clock }: App,
  {
    pondId,
    days,
    oxygenAt,
  }: {
    pondId: string;
    days: number;
    /** null: it was silent. `tide` goes up and down once a day between -1 and 1. */
    oxygenAt: (at: number, tide: number) => number | null;
  },
): Promise<void> {
  const last = Math.floor(clock.now() / EVERY_MS) * EVERY_MS;
  const rows = Array.from({ length: (days * DAY_MS) / EVERY_MS }, (_, n) => last - n * EVERY_MS).flatMap(
    (at): Change[] => {
      const tide = Math.sin((at / DAY_MS) * 2 * Math.PI);
      const oxygen = oxygenAt(at, tide);
      if (oxygen === null) return [];
      const instant = new Date(at).toISOString();
      const row = insert(measurement, {
        id: kernel.newId(),
        pond_id: pondId,
        measurement_date: instant,
        temperature: 28 + tide,
        dissolved_oxygen: oxygen,
        ph: 7.8 + tide / 4,
        salinity: 20 + tide,
        alkalinity: null,
        ammonia: 0.1 + tide / 50,
        nitrite: 0.2 + tide / 20,
        nitrate: null,
        transparency: null,
        notes: null,
        source: 'probe',
        created_by: null,
        clock_quality: 'trusted',
        created_at: instant,
        updated_at: null,
      });
      return [row];
    },
  );
  for (let from = 0; from < rows.length; from += ROWS_A_COMMIT)
    await kernel.commit({ changes: rows.slice(from, from + ROWS_A_COMMIT), actor: null });
}
