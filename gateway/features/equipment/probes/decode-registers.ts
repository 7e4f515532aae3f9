import {
  type ProbeParameter,
  type ProbeRegister,
  probeRegister,
  type Quality,
  type QualityReason,
} from '#contract/resources/probes.ts';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import { roundTo } from '#core/rounding.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { Water } from '#science/water-limits.ts';
import type { ProfileRow, RegisterRead } from './ports.ts';
import { type Profile, SHIPPED_PROFILES } from './shipped-profiles.ts';

/** What a register says: its value in the parameter's unit, or why there is none. */
type Decoded = {
  parameter: ProbeParameter;
  value: number | null;
  fault: 'NOT_MEASURED' | 'OUT_OF_RANGE' | null;
};

/** Registers read at once, most; a Modbus answer holds 125. */
const MOST_WORDS = 125;
const widthOf = ({ type }: ProbeRegister) => (type === 'i16' || type === 'u16' ? 1 : 2);

/** The profile of that id: a shipped one, or one of these. */
export function profileOf(id: string, own: readonly ProfileRow[]): Profile | null {
  const shipped = SHIPPED_PROFILES.find((profile) => profile.id === id);
  if (shipped !== undefined) return shipped;
  const row = own.find((profile) => profile.id === id);
  return row === undefined ? null : profileOfRow(row);
}

export function profileOfRow(row: ProfileRow): Profile {
  const registers = row.registers.flatMap((register) => {
    const parsed = probeRegister.safeParse(register);
    return parsed.success ? [parsed.data] : [];
  });
  return { id: row.id, name: row.name, notes: row.notes, serial: null, registers };
}

/**
 * The reads that bring all registers of a profile. Only what touches is read together: many probes refuse a read that
 * runs over an address they do not know.
 */
export function readsOf(registers: readonly ProbeRegister[], unitId: number): RegisterRead[] {
  const sorted = [...registers].sort((a, b) => a.function_code - b.function_code || a.address - b.address);
  const reads: RegisterRead[] = [];
  for (const register of sorted) {
    const last = reads.at(-1);
    const end = register.address + widthOf(register);
    const touches =
      last !== undefined &&
      last.functionCode === register.function_code &&
      register.address <= last.address + last.count &&
      end - last.address <= MOST_WORDS;
    if (touches) last.count = Math.max(last.count, end - last.address);
    else {
      reads.push({
        unitId,
        functionCode: register.function_code,
        address: register.address,
        count: widthOf(register),
      });
    }
  }
  return reads;
}

/** 16-bit registers as they came, by `function:address`. */
type Words = ReadonlyMap<string, number>;
export const wordKey = (functionCode: number, address: number) => `${functionCode}:${address}`;

/** A register's value from the words that came; missing ones count as not measured. */
export function decode(register: ProbeRegister, words: Words): Decoded {
  const { parameter, min, max } = register;
  const raw = rawOf(register, words);
  if (raw === null || !Number.isFinite(raw) || register.not_measured.includes(raw))
    return { parameter, value: null, fault: 'NOT_MEASURED' };
  // finer than any probe; floats come with digits of no meaning
  const value = roundTo(raw * register.scale + register.offset, 4);
  const isOutside = (min !== null && value < min) || (max !== null && value > max);
  return { parameter, value, fault: isOutside ? 'OUT_OF_RANGE' : null };
}

function rawOf(register: ProbeRegister, words: Words): number | null {
  const first = words.get(wordKey(register.function_code, register.address));
  if (first === undefined) return null;
  if (register.type === 'u16') return first;
  if (register.type === 'i16') return (first << 16) >> 16;
  const second = words.get(wordKey(register.function_code, register.address + 1));
  if (second === undefined) return null;
  return wideOf(register, [first >> 8, first & 0xff, second >> 8, second & 0xff]);
}

function wideOf({ type, word_order }: ProbeRegister, wire: readonly number[]): number {
  const view = new DataView(new ArrayBuffer(4));
  // the digit tells which byte of the value stands at that place of the wire
  wire.forEach((byte, place) => view.setUint8(Number(word_order[place]) - 1, byte));
  if (type === 'f32') return view.getFloat32(0);
  return type === 'i32' ? view.getInt32(0) : view.getUint32(0);
}

/** Values of a pond's water as a measurement has them; null: not measured. */
export type WaterValues = Record<WaterField, number | null>;

export const NOTHING_MEASURED: Readonly<WaterValues> = {
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

/** What a measurement takes at all; a probe of whatever profile must not make a row that is refused. */
const MOST: Readonly<WaterValues> = {
  temperature: 60,
  dissolved_oxygen: 50,
  ph: 14,
  salinity: 100,
  alkalinity: 1000,
  ammonia: 100,
  nitrite: 100,
  nitrate: 1000,
  transparency: 500,
};

export function fitsMeasurement(field: WaterField, value: number): boolean {
  return value >= (field === 'temperature' ? -5 : 0) && value <= (MOST[field] ?? 0);
}

export function isWaterField(parameter: ProbeParameter): parameter is WaterField {
  return WATER_FIELDS.some((field) => field === parameter);
}

/** To 3 decimals, as fine as the finest kit. Of an even number of values the lower of the two in the middle: never one that was not measured. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return roundTo(sorted[Math.floor((sorted.length - 1) / 2)] ?? null, 3);
}

export type JudgedValue = {
  parameter: ProbeParameter;
  value: number | null;
  quality: Exclude<Quality, 'stale'>;
  reason: QualityReason | null;
};

/** What is remembered of one value of one probe. Times on the clock that only grows. */
export type ValueMemory = {
  last: number;
  /** When it last became another value. */
  changedAt: number;
  /** The last value that was believed. */
  believed: number | null;
  believedAt: number;
  /** Where it may have leapt to, and how often in a row it was seen there. */
  leap: { to: number; seen: number } | null;
};

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A change between two readings that water does not make; seen three times in a row it is believed all the same. */
const LEAPS: Readonly<Partial<Record<ProbeParameter, number>>> = {
  dissolved_oxygen: 2,
  oxygen_saturation: 30,
  temperature: 3,
  ph: 1,
  salinity: 8,
  conductivity: 12,
};
const SEEN_TO_BELIEVE = 3;
/** After that long without a reading there is nothing to leap from. */
const LEAP_WITHIN_MS = 10 * MINUTE_MS;

/** Values that always move a little where there is life; salinity may well stand still for days. */
const STANDS_STILL_AFTER_MS: Readonly<Partial<Record<ProbeParameter, number>>> = {
  dissolved_oxygen: 6 * HOUR_MS,
  oxygen_saturation: 6 * HOUR_MS,
  ph: 6 * HOUR_MS,
  temperature: 12 * HOUR_MS,
};

/** Judges the values of one reading; `memory` is changed to what is to be remembered. */
export function judgeValues(
  water: Water,
  memory: Map<ProbeParameter, ValueMemory>,
  decoded: readonly Decoded[],
  monotonic: number,
): JudgedValue[] {
  const doubted = implausible(water, decoded);
  return decoded.map(({ parameter, value, fault }) => {
    if (value === null) return { parameter, value, quality: 'fault', reason: 'NOT_MEASURED' };
    if (fault !== null) return { parameter, value, quality: 'fault', reason: fault };
    const next = remembered(memory.get(parameter) ?? null, parameter, value, monotonic);
    memory.set(parameter, next);
    if (doubted.has(parameter)) return { parameter, value, quality: 'suspect', reason: 'IMPLAUSIBLE' };
    if (next.leap !== null) return { parameter, value, quality: 'suspect', reason: 'LEAP' };
    if (monotonic - next.changedAt >= (STANDS_STILL_AFTER_MS[parameter] ?? Number.POSITIVE_INFINITY))
      return { parameter, value, quality: 'suspect', reason: 'STANDS_STILL' };
    return { parameter, value, quality: 'good', reason: null };
  });
}

function remembered(
  before: ValueMemory | null,
  parameter: ProbeParameter,
  value: number,
  at: number,
): ValueMemory {
  const changedAt = before === null || before.last !== value ? at : before.changedAt;
  const leap = leapOf(before, parameter, value, at);
  return leap === null
    ? { last: value, changedAt, believed: value, believedAt: at, leap }
    : {
        last: value,
        changedAt,
        believed: before?.believed ?? null,
        believedAt: before?.believedAt ?? at,
        leap,
      };
}

function leapOf(before: ValueMemory | null, parameter: ProbeParameter, value: number, at: number) {
  const most = LEAPS[parameter];
  if (before === null || most === undefined || before.believed === null) return null;
  if (at - before.believedAt > LEAP_WITHIN_MS || Math.abs(value - before.believed) <= most) return null;
  const isSameLeap = before.leap !== null && Math.abs(value - before.leap.to) <= most / 2;
  const seen = isSameLeap && before.leap !== null ? before.leap.seen + 1 : 1;
  return seen >= SEEN_TO_BELIEVE ? null : { to: value, seen };
}

function implausible(water: Water, decoded: readonly Decoded[]): ReadonlySet<ProbeParameter> {
  const sample: WaterValues = { ...NOTHING_MEASURED };
  for (const { parameter, value, fault } of decoded) {
    if (fault === null && parameter in sample) Object.assign(sample, { [parameter]: value });
  }
  const found = implausibilitiesOf(water, sample).filter(({ kind }) => kind !== 'OXYGEN_DOUBTFUL');
  return new Set(found.map(({ parameter }) => parameter));
}
