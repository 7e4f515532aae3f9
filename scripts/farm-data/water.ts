import { measurement } from '#contract/resources/water-quality.ts';
import type { WaterSample } from '#science/water-limits.ts';
import type { Chance } from './chance.ts';
import { at, type Emit, iso, UNTOUCHED, written } from './grown.ts';
import type { PondPlace } from './places.ts';

/** One day over the farm. */
export type Weather = { meanC: number; isRainy: boolean; rainShare: number };

/**
 * The coast of Ceará: pond water of 28 to 30 °C, warmest in February, coolest in August; rain from January to May, next
 * to none afterwards. Warm and cool spells last some days.
 */
export function createWeather(chance: Chance): (day: number) => Weather {
  let spellC = 0;
  let rainShare = 0.3;
  return (day) => {
    const yearShare = (day % 365.25) / 365.25;
    const season = Math.cos(2 * Math.PI * (yearShare - 45 / 365.25));
    spellC = 0.8 * spellC + chance.normal(0, 0.28);
    const isRainy = chance.happens(season > 0 ? 0.08 + 0.35 * season : 0.04);
    // salinity follows the rain of the last weeks
    rainShare = 0.97 * rainShare + (isRainy ? 0.03 : 0);
    return { meanC: 28.9 + 0.9 * season + spellC - (isRainy ? 0.5 : 0), isRainy, rainShare };
  };
}

// What people measure: oxygen, temperature and pH at dawn and in the afternoon, the laboratory once a week.

/** What the water carries: shrimp in kg per m³, and for how long it has been fed. */
export type Load = { kgPerM3: number; days: number };
export type Measured = { id: string; pond: PondPlace; unixMs: number; sample: WaterSample };

type Today = { chance: Chance; emit: Emit; day: number; weather: Weather; recorderId: string };

const LAB_EVERY_DAYS = 7;
const NOT_MEASURED: WaterSample = {
  temperature: null,
  dissolved_oxygen: null,
  ph: null,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
};

/** The measurements of one pond on one day, in order. */
export function measurePond(today: Today, pond: PondPlace, load: Load): Measured[] {
  const { chance, day } = today;
  const rounds: [number, WaterSample][] = [
    [at(day, 5, chance.whole(5, 50)), dawn(today, load)],
    [at(day, 15, chance.whole(5, 50)), afternoon(today, load)],
  ];
  if ((day + pond.cod.charCodeAt(pond.cod.length - 1)) % LAB_EVERY_DAYS === 0)
    rounds.splice(1, 0, [at(day, 9, chance.whole(0, 55)), laboratory(today, load)]);
  return rounds.map(([unixMs, sample]) => {
    const id = chance.uuid(unixMs);
    today.emit(measurement, {
      ...UNTOUCHED,
      ...sample,
      id,
      pond_id: pond.id,
      measurement_date: iso(unixMs),
      notes: null,
      source: 'manual',
      created_by: today.recorderId,
      created_at: iso(unixMs),
    });
    return { id, pond, unixMs, sample };
  });
}

/** All night the water breathes and nothing gives it back: the more shrimp, the lower the morning. */
function dawn({ chance, weather }: Today, load: Load): WaterSample {
  const oxygen = 5.75 - 2.1 * load.kgPerM3 ** 0.7 - (weather.isRainy ? 0.3 : 0);
  return {
    ...NOT_MEASURED,
    temperature: written(chance.normal(weather.meanC - 0.9, 0.5), 1),
    dissolved_oxygen: written(Math.max(0.6, chance.normal(oxygen, 0.5)), 1),
    ph: written(chance.normal(7.84 - 0.1 * load.kgPerM3, 0.13), 1),
  };
}

function afternoon({ chance, weather }: Today, load: Load): WaterSample {
  const bloom = 1.2 * Math.min(1, load.kgPerM3 / 0.3);
  return {
    ...NOT_MEASURED,
    temperature: written(chance.normal(weather.meanC + (weather.isRainy ? 0.4 : 1.2), 0.5), 1),
    dissolved_oxygen: written(
      Math.max(3.5, chance.normal(6.8 + bloom - (weather.isRainy ? 1.5 : 0), 0.7)),
      1,
    ),
    ph: written(chance.normal(8.2 + 0.06 * bloom - (weather.isRainy ? 0.2 : 0), 0.13), 1),
    transparency: written(Math.max(15, chance.normal(46 - 9 * bloom, 4)), 0),
  };
}

/** Nitrogen builds up with feed and days; ammonia is what a kit shows as un-ionised. */
function laboratory({ chance, weather }: Today, load: Load): WaterSample {
  const richness = Math.min(1.5, load.kgPerM3 / 0.4 + load.days / 400);
  const skewed = (median: number) => median * Math.exp(chance.normal(0, 0.45));
  return {
    ...NOT_MEASURED,
    temperature: written(chance.normal(weather.meanC, 0.3), 1),
    ph: written(chance.normal(7.98, 0.1), 1),
    salinity: written(Math.max(2, chance.normal(34 - 45 * weather.rainShare, 1.2)), 1),
    alkalinity: written(Math.max(60, chance.normal(120, 15)), 0),
    ammonia: written(skewed(0.022 + 0.03 * richness), 3),
    nitrite: written(skewed(0.02 + 0.04 * richness), 3),
    nitrate: written(skewed(2 + 5 * richness), 1),
    transparency: written(Math.max(15, chance.normal(40, 5)), 0),
  };
}
