import { type ProbeParameter, type ProbeRegister, probeRegister } from '#contract/resources/probes.ts';
import { roundTo } from '#core/rounding.ts';
import type { ProfileRow, RegisterRead } from './ports.ts';
import { type Profile, SHIPPED_PROFILES } from './shipped-profiles.ts';

/** What a register says: its value in the parameter's unit, or why there is none. */
export type Decoded = {
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
export type Words = ReadonlyMap<string, number>;
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
