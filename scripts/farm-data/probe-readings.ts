import { measurement } from '#contract/resources/water-quality.ts';
import { createChance } from './chance.ts';
import {
  createRowBuffer,
  DAY_MS,
  type Grown,
  HOUR_MS,
  iso,
  MINUTE_MS,
  OFFSET_MS,
  UNTOUCHED,
  written,
} from './grown.ts';

const EVERY_MS = 15 * MINUTE_MS;
/** Oxygen is lowest at six in the morning. */
const DAWN_MS = 6 * HOUR_MS;

/** What a probe in one pond has sent every quarter of an hour: oxygen, temperature and pH through day and night. */
export function* probeReadings(options: {
  seed: number;
  pondId: string;
  days: number;
  until: string;
}): Generator<Grown> {
  const chance = createChance(options.seed);
  const { emit, taken } = createRowBuffer();
  const untilMs = Date.parse(options.until);
  const firstMs = Math.ceil((untilMs - options.days * DAY_MS) / EVERY_MS) * EVERY_MS;
  for (let unixMs = firstMs; unixMs <= untilMs; unixMs += EVERY_MS) {
    const dayShare = ((unixMs + OFFSET_MS - DAWN_MS) % DAY_MS) / DAY_MS;
    const light = (1 - Math.cos(2 * Math.PI * dayShare)) / 2;
    emit(measurement, {
      ...UNTOUCHED,
      id: chance.uuid(unixMs),
      pond_id: options.pondId,
      measurement_date: iso(unixMs),
      temperature: written(chance.normal(27.6 + 2.2 * light, 0.15), 2),
      dissolved_oxygen: written(chance.normal(4.9 + 2.9 * light, 0.2), 2),
      ph: written(chance.normal(7.85 + 0.4 * light, 0.03), 2),
      salinity: null,
      alkalinity: null,
      ammonia: null,
      nitrite: null,
      nitrate: null,
      transparency: null,
      notes: null,
      source: 'probe',
      created_by: null,
      created_at: iso(unixMs),
    });
    if (light < 0.001) yield* taken();
  }
  yield* taken();
}
