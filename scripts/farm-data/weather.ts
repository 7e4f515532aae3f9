import type { Chance } from './chance.ts';

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
