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

// Register tables of real probes, written down from the makers' manuals, independently of the gateway's.

type Type = 'i16' | 'u16' | 'f32';
type Place = { address: number; of: keyof PondValues; type: Type; times?: number };

export type Model = {
  functionCodes: readonly number[];
  places: readonly Place[];
  /** Registers that can be written, with what they hold at first. */
  settings?: Readonly<Record<number, number>>;
};

export const MODELS = {
  'in-situ-odo': {
    functionCodes: [4],
    places: [
      { address: 0x00, of: 'oxygen_saturation', type: 'f32' },
      { address: 0x02, of: 'dissolved_oxygen', type: 'f32' },
      { address: 0x06, of: 'temperature', type: 'f32' },
      { address: 0x10, of: 'salinity', type: 'f32' },
    ],
  },
  'supmea-do7013': {
    functionCodes: [3],
    places: [
      { address: 0, of: 'temperature', type: 'i16', times: 10 },
      { address: 1, of: 'dissolved_oxygen', type: 'i16', times: 100 },
      { address: 2, of: 'oxygen_saturation', type: 'i16', times: 10 },
    ],
  },
  'hach-ldo': {
    functionCodes: [3],
    places: [
      { address: 0, of: 'dissolved_oxygen', type: 'u16', times: 1000 },
      { address: 1, of: 'temperature', type: 'i16', times: 100 },
    ],
    settings: { 13: 0 },
  },
  'supmea-ph': {
    functionCodes: [3],
    places: [
      { address: 1, of: 'ph', type: 'f32' },
      { address: 3, of: 'temperature', type: 'f32' },
    ],
    settings: { 0x24: 0 },
  },
  'seeed-ec-salinity': {
    functionCodes: [3, 4],
    places: [
      { address: 0, of: 'temperature', type: 'i16', times: 100 },
      { address: 2, of: 'conductivity', type: 'u16', times: 1000 },
      { address: 3, of: 'salinity', type: 'u16', times: 1000 },
    ],
  },
} as const satisfies Record<string, Model>;
export type ModelName = keyof typeof MODELS;

export const isModelName = (word: string): word is ModelName => Object.hasOwn(MODELS, word);

/** 16-bit registers by address. `hasNoValue`: floats are NaN, integers what their makers send instead. */
export function registersOf(
  model: Model,
  values: PondValues,
  { hasNoValue, isSwapped }: { hasNoValue: boolean; isSwapped: boolean },
): Map<number, number> {
  const registers = new Map<number, number>();
  for (const { address, of, type, times = 1 } of model.places) {
    if (type !== 'f32') {
      const whole = Math.round(values[of] * times);
      const word = type === 'u16' ? Math.min(0xffff, Math.max(0, whole)) : whole;
      registers.set(address, (hasNoValue ? 0x8000 : word) & 0xffff);
      continue;
    }
    const view = new DataView(new ArrayBuffer(4));
    if (hasNoValue) view.setUint32(0, 0xffffffff);
    else view.setFloat32(0, values[of]);
    registers.set(address, view.getUint16(isSwapped ? 2 : 0));
    registers.set(address + 1, view.getUint16(isSwapped ? 0 : 2));
  }
  return registers;
}
