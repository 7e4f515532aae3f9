/**
 * Oxygen that water in contact with air holds, mg/L at 1 atm: Benson & Krause (1984), the equation of the USGS tables.
 * Valid for 0–40 °C and 0–40 ppt; null outside. Ponds at 1000 m hold about 11 % less; shrimp farms lie at the sea.
 */
export function oxygenSaturationMgL(temperatureC: number, salinityPpt: number): number | null {
  const isKnown = temperatureC >= 0 && temperatureC <= 40 && salinityPpt >= 0 && salinityPpt <= 40;
  if (!isKnown) return null;
  const k = temperatureC + 273.15;
  const fresh = -139.34411 + 1.575701e5 / k - 6.642308e7 / k ** 2 + 1.2438e10 / k ** 3 - 8.621949e11 / k ** 4;
  const salting = 0.017674 - 10.754 / k + 2140.7 / k ** 2;
  return Math.exp(fresh - salinityPpt * salting);
}

/** Oxygen as a share of saturation, per cent; above 100 in the sun of an afternoon. Null where the table ends. */
export function oxygenSaturationPercent(water: {
  oxygenMgL: number;
  temperatureC: number;
  salinityPpt: number;
}): number | null {
  const full = oxygenSaturationMgL(water.temperatureC, water.salinityPpt);
  return full === null ? null : (100 * water.oxygenMgL) / full;
}
