import type { POND_CONDITIONS } from '#contract/resources/feeding.ts';
import { DAY_MS, wallOf } from '#core/zone-clock.ts';
import { nh3ToActOn } from '#science/ammonia.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { AmmoniaReading, FeedingConditions } from '#science/feeding-adjustments.ts';
import type { BatchToFeed } from '#science/feeding-ration.ts';
import { speciesOf } from '#science/survival.ts';
import { nh3In } from '#science/water-limits.ts';
import { populationIn, weighingIn } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';
import type { LatestWater, Reading } from './ports.ts';

export type Seen = { condition: (typeof POND_CONDITIONS)[number]; daysAgo: number } | null;

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Readings this close to dawn speak for the day's lowest oxygen. */
const DAWN_WITHIN_HOURS = 2;

/** What today's ration depends on, from the pond's water and what was seen there. */
export function conditionsOf(
  science: Pick<ScienceConstants, 'water' | 'aeration'>,
  water: LatestWater | undefined,
  seen: Seen,
  when: { nowMs: number; timezone: string },
): FeedingConditions {
  const ageHours = ({ at }: Reading) => Math.max(0, (when.nowMs - Date.parse(at)) / HOUR_MS);
  const aged = (reading: Reading | null) =>
    reading === null ? null : { value: reading.value, ageHours: ageHours(reading) };
  return {
    temperatureC: aged(water?.temperature ?? null),
    dissolvedOxygen: aged(water?.oxygen[0] ?? null),
    dawnOxygen: aged(lowDawn(science.aeration, water?.oxygen ?? [], when.timezone)),
    ammoniaNh3N: water === undefined ? null : poisonousAmmonia(science.water, water, ageHours),
    event: seen === null ? null : { kind: seen.condition, daysAgo: seen.daysAgo },
  };
}

/** How far back readings are asked for. */
export function readingsSince(feeding: ScienceConstants['feeding'], nowMs: number) {
  const { temperature, ammonia, oxygen } = feeding.readingFreshHours;
  const before = (hours: number) => new Date(nowMs - hours * HOUR_MS).toISOString();
  return { any: before(Math.max(temperature, ammonia)), oxygen: before(oxygen) };
}

/** The lowest oxygen of the last dawn, where a later reading is better; null: there is none, or it is the newest itself. */
function lowDawn(
  { fixedNight }: ScienceConstants['aeration'],
  readings: readonly Reading[],
  timezone: string,
): Reading | null {
  const [newest, ...before] = readings;
  if (newest === undefined) return null;
  const dawnHour = Number(fixedNight.dawn.slice(0, 2)) + Number(fixedNight.dawn.slice(3, 5)) / 60;
  const isAtDawn = ({ at }: Reading) => {
    const hour = hourOfDay(Date.parse(at), timezone);
    const apart = Math.abs(hour - dawnHour);
    return Math.min(apart, DAY_HOURS - apart) <= DAWN_WITHIN_HOURS;
  };
  return before
    .filter((reading) => isAtDawn(reading) && reading.value < newest.value)
    .reduce<Reading | null>(
      (lowest, reading) => (lowest === null || reading.value < lowest.value ? reading : lowest),
      null,
    );
}

/** Hours since midnight by the farm's clock. */
export function hourOfDay(instantMs: number, timezone: string): number {
  const wall = wallOf(timezone, instantMs);
  return (wall - Math.floor(wall / DAY_MS) * DAY_MS) / HOUR_MS;
}

/** Un-ionised ammonia; of a farm that posts total ammonia the part of it, at its worst where that cannot be worked out. */
function poisonousAmmonia(
  science: ScienceConstants['water'],
  { ammonia, temperature, ph, salinity }: LatestWater,
  ageHours: (reading: Reading) => number,
): AmmoniaReading | null {
  if (ammonia === null) return null;
  const nh3 = nh3In(science, {
    ammonia: ammonia.value,
    temperature: temperature?.value ?? null,
    ph: ph?.value ?? null,
    salinity: salinity?.value ?? null,
  });
  const aged = { value: nh3ToActOn(nh3), ageHours: ageHours(ammonia) };
  return nh3.isKnown ? aged : { ...aged, gaps: nh3.gaps };
}

/** A batch as the ration of one of its ponds looks at it; `warmDays` is its age at 28 °C, where that is known. */
export function batchToRation(
  state: BatchState,
  pondId: string | null,
  warmDays: number | null = null,
): BatchToFeed {
  const day = Math.max(0, state.daysActive);
  const population = pondId === null ? state.population : populationIn(state, pondId);
  const weighing = pondId === null ? state.latestBiometry : weighingIn(state, pondId);
  return {
    species: speciesOf(state.batch.species).species,
    initialWeightG: state.batch.initial_avg_weight,
    day,
    warmDays: warmDays ?? day,
    lastWeighing:
      weighing === null
        ? null
        : {
            day: weighing.measurementDay,
            weightG: pondId === null ? weighing.batchWeightG : weighing.average_weight_g,
          },
    population,
    stocked: state.survivalRate > 0 ? (population * 100) / state.survivalRate : 0,
  };
}
