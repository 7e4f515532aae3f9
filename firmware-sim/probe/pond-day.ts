// The water of a pond through a day, as probes see it: oxygen falls all night until shortly after dawn, and rises with
// the light; temperature and pH follow.

export type PondValues = {
  /** °C */
  temperature: number;
  /** mg/L */
  dissolved_oxygen: number;
  /** % */
  oxygen_saturation: number;
  ph: number;
  /** ppt */
  salinity: number;
  /** mS/cm */
  conductivity: number;
};

const HOUR_MS = 3_600_000;
const DAWN_H = 5.5;
const BEST_H = 15.5;

/** `hour` of the day, 0 to 24; `random` gives the small unrest of every water, 0 to 1. */
export function pondAt(hour: number, random: () => number): PondValues {
  const light = lightAt(((hour % 24) + 24) % 24);
  const unrest = (size: number) => (random() - 0.5) * 2 * size;
  const temperature = 27.2 + 2.6 * lightAt((((hour - 1) % 24) + 24) % 24) + unrest(0.03);
  const dissolved_oxygen = Math.max(0, 3.4 + 5.2 * light + unrest(0.05));
  const salinity = 18 + unrest(0.02);
  return {
    temperature,
    dissolved_oxygen,
    oxygen_saturation: (dissolved_oxygen / saturationMgL(temperature)) * 100,
    ph: 7.6 + 0.9 * light + unrest(0.01),
    salinity,
    conductivity: salinity * 1.62,
  };
}

export const hourOf = (unixMs: number, zoneHours: number): number =>
  (unixMs / HOUR_MS + zoneHours + 24 * 365) % 24;

/** 0 at dawn, 1 in the afternoon; the way down takes longer than the way up. */
function lightAt(hour: number): number {
  const sinceDawn = (hour - DAWN_H + 24) % 24;
  const rise = BEST_H - DAWN_H;
  const share = sinceDawn < rise ? sinceDawn / rise : 1 - (sinceDawn - rise) / (24 - rise);
  return (1 - Math.cos(Math.PI * share)) / 2;
}

/** Roughly what brackish water holds; exact enough for a simulated probe. */
const saturationMgL = (temperatureC: number): number => 13.1 - 0.2 * temperatureC;
