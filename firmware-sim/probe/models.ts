import type { PondValues } from './pond-day.ts';

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
