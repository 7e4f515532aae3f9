import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Flash } from './flash.ts';

// Which program the second-stage loader starts: by the partition table, and by what an update over the air has chosen.

const TABLE_AT = 0x8000;
const TABLE_BYTES = 0xc00;
const ROW_BYTES = 32;
/** Where the program lies on a board without a table. */
const APP_AT = 0x1_0000;
const SECTOR = 4_096;

export type BootChoice = { at: number } | { damaged: true; text: string };

type Row = { type: number; subtype: number; at: number };

export function chooseProgram(flash: Flash): BootChoice {
  const table = Buffer.from(flash.read(TABLE_AT, TABLE_BYTES));
  // the boards of this simulator come without one
  if (table.every((byte) => byte === 0xff)) return { at: APP_AT };
  const rows = readRows(table);
  if (rows === null) return { damaged: true, text: 'flash_parts: Incorrect MD5 checksum or magic number' };
  const slots = rows.filter(({ type, subtype }) => type === 0 && subtype >= 0x10 && subtype < 0x20);
  const factory = rows.find(({ type, subtype }) => type === 0 && subtype === 0);
  const noted = rows.find(({ type, subtype }) => type === 1 && subtype === 0);
  const sequence = noted === undefined ? 0 : newestChoice(flash, noted.at);
  const updated = sequence === 0 ? undefined : slots[(sequence - 1) % slots.length];
  const chosen = updated ?? factory ?? slots[0];
  return chosen === undefined
    ? { damaged: true, text: 'boot: no app partition in the table' }
    : { at: chosen.at };
}

/** Null for a table that the loader does not take. */
function readRows(table: Buffer): Row[] | null {
  const rows: Row[] = [];
  for (let at = 0; at < TABLE_BYTES; at += ROW_BYTES) {
    const row = table.subarray(at, at + ROW_BYTES);
    const magic = row.toString('hex', 0, 2);
    if (magic === 'ffff') return rows;
    if (magic === 'aa50') rows.push({ type: row[2] ?? 0, subtype: row[3] ?? 0, at: row.readUInt32LE(4) });
    else if (magic !== 'ebeb' || row.toString('hex', 16) !== md5(table.subarray(0, at))) return null;
  }
  return null;
}

function newestChoice(flash: Flash, at: number): number {
  const copies = [at, at + SECTOR].map((place) => Buffer.from(flash.read(place, 32)));
  return Math.max(
    ...copies.map((copy) => {
      const [sequence, state] = [copy.readUInt32LE(0), copy.readUInt32LE(24)];
      const isSealed = crc32(copy.subarray(0, 4), 0xffff_ffff) === copy.readUInt32LE(28);
      return sequence !== 0xffff_ffff && isSealed && state !== 3 && state !== 4 ? sequence : 0;
    }),
  );
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
