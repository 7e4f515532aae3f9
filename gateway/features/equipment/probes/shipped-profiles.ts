import { type ProbeParameter, type ProbeRegister, probeRegister } from '#contract/resources/probes.ts';
import { WATER_UNITS } from '#science/water-limits.ts';

export type Profile = {
  id: string;
  name: string;
  notes: string | null;
  /** As the maker delivers it. */
  serial: { baud: number; parity: 'none' | 'even' | 'odd'; unit_id: number } | null;
  registers: readonly ProbeRegister[];
};

export const UNITS: Readonly<Record<ProbeParameter, string>> = {
  ...WATER_UNITS,
  oxygen_saturation: '%',
  conductivity: 'mS/cm',
};

const of = (registers: readonly Record<string, unknown>[]): readonly ProbeRegister[] =>
  registers.map((register) => probeRegister.parse(register));

/** Probes common in aquaculture, by the register tables of their makers' manuals. */
export const SHIPPED_PROFILES: readonly Profile[] = [
  {
    id: 'in-situ-odo',
    name: 'In-Situ / Xylem optical oxygen (RDO, ODO)',
    notes: 'Oxygen follows the salinity that is set in the probe.',
    serial: { baud: 19_200, parity: 'even', unit_id: 1 },
    registers: of([
      { parameter: 'oxygen_saturation', function_code: 4, address: 0x0000, type: 'f32', min: 0, max: 500 },
      { parameter: 'dissolved_oxygen', function_code: 4, address: 0x0002, type: 'f32', min: 0, max: 50 },
      { parameter: 'temperature', function_code: 4, address: 0x0006, type: 'f32', min: -5, max: 50 },
      { parameter: 'salinity', function_code: 4, address: 0x0010, type: 'f32', min: 0, max: 100 },
    ]),
  },
  {
    id: 'supmea-do7013',
    name: 'Supmea SUP-DO7013 optical oxygen',
    notes: null,
    serial: { baud: 9600, parity: 'none', unit_id: 1 },
    registers: of([
      { parameter: 'temperature', address: 0, scale: 0.1, min: -5, max: 60 },
      { parameter: 'dissolved_oxygen', address: 1, scale: 0.01, min: 0, max: 20 },
      { parameter: 'oxygen_saturation', address: 2, scale: 0.1, min: 0, max: 300 },
    ]),
  },
  {
    id: 'hach-ldo',
    name: 'Hach LDO',
    notes: 'Set the salinity of the pond in the probe (register 40014).',
    serial: { baud: 19_200, parity: 'none', unit_id: 247 },
    registers: of([
      { parameter: 'dissolved_oxygen', address: 0, type: 'u16', scale: 0.001, min: 0, max: 20 },
      { parameter: 'temperature', address: 1, scale: 0.01, min: -5, max: 50 },
    ]),
  },
  {
    id: 'supmea-ph',
    name: 'Supmea pH',
    notes: 'The order of the bytes is a setting of the probe (register 0x24); here 1234.',
    serial: { baud: 9600, parity: 'none', unit_id: 1 },
    registers: of([
      { parameter: 'ph', address: 0x0001, type: 'f32', min: 0, max: 14 },
      { parameter: 'temperature', address: 0x0003, type: 'f32', min: -10, max: 130 },
    ]),
  },
  {
    id: 'seeed-ec-salinity',
    name: 'Seeed conductivity and salinity',
    notes: null,
    serial: { baud: 9600, parity: 'none', unit_id: 1 },
    registers: of([
      { parameter: 'temperature', address: 0x0000, scale: 0.01, min: -10, max: 80 },
      { parameter: 'conductivity', address: 0x0002, type: 'u16', scale: 0.001, min: 0, max: 65 },
      { parameter: 'salinity', address: 0x0003, type: 'u16', scale: 0.001, min: 0, max: 65 },
    ]),
  },
];
