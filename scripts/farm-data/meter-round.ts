import { farmRecord } from '#contract/resources/farm-records.ts';
import type { Deps } from './batch-life.ts';
import { RECORD } from './batch-work.ts';
import { createChance } from './chance.ts';
import { at, iso } from './grown.ts';
import { recorderOf } from './places.ts';

const READ_DAYS_AGO = 60;
const SHIFTS = [6, 14, 22] as const;
const FORGOTTEN = 0.04;
const KWH_OF_POND = 55;

/** The electricity meter of the last two months, read at each shift; by dice of its own. */
export function readMeter({ emit, places, day }: Deps, lastDay: number): void {
  const firstDay = lastDay - READ_DAYS_AGO;
  if (day < firstDay || day === lastDay) return;
  SHIFTS.forEach((hour, shift) => {
    const chance = createChance(day * 1_000 + 951 + shift);
    const n = (day - firstDay) * SHIFTS.length + shift;
    const used = places.ponds.length * KWH_OF_POND * (n + 0.3 * Math.sin(n));
    const unixMs = at(day, hour, chance.whole(0, 20));
    if (chance.happens(FORGOTTEN)) return;
    emit(farmRecord, {
      ...RECORD,
      id: chance.uuid(unixMs),
      farm_id: places.farmId,
      pond_id: null,
      kind: 'METER',
      happened_at: iso(unixMs),
      text: null,
      amount: Math.round(41_200 + used),
      unit: 'kWh',
      meter: 'Medidor geral',
      created_by: recorderOf(places),
      created_at: iso(unixMs),
    });
  });
}
