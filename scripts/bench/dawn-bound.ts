import {
  courseOf,
  drawPond,
  eveningMgL,
  mgLAt,
  randomFrom,
  type SimulatedNight,
} from './simulated-nights.ts';

// What hardly anybody can beat who knows only the readings: the chance of a low dawn by the very distribution that the nights are
// drawn from, of two hundred thousand other ponds each weighed by how well it would have made these readings.

const PONDS = 200_000;
/** Ponds of nearly the same biomass that a night is compared with where that is known. */
const OF_A_KIND = 20_000;
const READING_ERROR = 0.2;
/** Beyond it a pond weighs nothing. */
const MOST_SQUARES = 40;

export type Bound = (night: SimulatedNight, levelMgL: number, isBiomassKnown: boolean) => number;

/** The chance that dawn lies below the level, by the best of all predictors; for hand readings. */
export function bestPredictor(seed = 777): Bound {
  const { between } = randomFrom(seed);
  const ponds = Array.from({ length: PONDS }, () => {
    const pond = drawPond(between);
    return { kgPerM3: pond.kgPerM3, course: courseOf(pond, eveningMgL(between, pond)) };
  }).toSorted((a, b) => a.kgPerM3 - b.kgPerM3);

  return ({ pond, readings, dawnHour }, levelMgL, isBiomassKnown) => {
    const place = ponds.findIndex(({ kgPerM3 }) => kgPerM3 >= pond.kgPerM3);
    const from = isBiomassKnown ? Math.max(0, Math.min(place, PONDS - OF_A_KIND / 2) - OF_A_KIND / 2) : 0;
    let [all, low] = [0, 0];
    for (const { course } of isBiomassKnown ? ponds.slice(from, from + OF_A_KIND) : ponds) {
      let squares = 0;
      for (const { hour, mgL } of readings) {
        squares += ((mgLAt(course, hour) - mgL) / READING_ERROR) ** 2;
        if (squares > MOST_SQUARES) break;
      }
      if (squares > MOST_SQUARES) continue;
      const weight = Math.exp(-squares / 2);
      all += weight;
      if (mgLAt(course, dawnHour) < levelMgL) low += weight;
    }
    return all === 0 ? Number((readings.at(-1)?.mgL ?? 0) < levelMgL) : low / all;
  };
}
