// Figures are computed in full precision and rounded once, where they leave. A figure that is not known stays null.

/** Half away from zero at that many decimals, by the decimal figure people see: 1.005 is 1.01, not 1.00. */
export function roundTo<N extends number | null>(value: N, decimals: number): N;
export function roundTo(value: number | null, decimals: number): number | null {
  if (value === null || !Number.isFinite(value)) return value;
  const [digits = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const scaled = Math.round(Number(`${digits}e${Number(exponent) + decimals}`));
  const [figure = '0', power = '0'] = String(scaled).split('e');
  const rounded = Number(`${figure}e${Number(power) - decimals}`);
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

/** Weight of an animal or gain per day, g: 2 decimals, below 1 g 4. */
export function grams<N extends number | null>(value: N): N {
  return roundTo(value, value !== null && Math.abs(value) < 1 ? 4 : 2);
}

/** Biomass, feed, harvests: 3 decimals. */
export function kilograms<N extends number | null>(value: N): N {
  return roundTo(value, 3);
}

export function money<N extends number | null>(value: N): N {
  return roundTo(value, 2);
}

export function percent<N extends number | null>(value: N): N {
  return roundTo(value, 2);
}

/** FCA and other ratios and rates. */
export function ratio<N extends number | null>(value: N): N {
  return roundTo(value, 2);
}
