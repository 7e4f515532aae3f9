import { createHash } from 'node:crypto';

/** Where the boot loader looks for the table, on every chip of the family. */
export const TABLE_OFFSET = 0x8000;
export const TABLE_SIZE = 0xc00;

const ROW = 32;
const ROW_MAGIC = 0x50aa;
const DIGEST_MAGIC = 0xebeb;
const DIGEST_AT = 16;
const END_MAGIC = 0xffff;
const APP = 0;
const DATA = 1;
const NVS = 2;
const OTA_DATA = 0;
const FACTORY = 0;
const FIRST_SLOT = 0x10;
const LAST_SLOT = 0x1f;

export type Partition = {
  name: string;
  /** `otadata`: which of the slots starts. */
  kind: 'app' | 'nvs' | 'otadata' | 'other';
  /** Of a program: the one it comes with, the number of its slot for updates; null: another one. */
  slot: 'factory' | number | null;
  offset: number;
  size: number;
};

/** The partitions of a table, in its order; none where there is no table. Never throws. */
export function readPartitions(table: Buffer): Partition[] {
  const found: Partition[] = [];
  for (let at = 0; at + ROW <= Math.min(table.length, TABLE_SIZE); at += ROW) {
    if (table.readUInt16LE(at) !== ROW_MAGIC) break;
    const [type, subtype] = [table.readUInt8(at + 2), table.readUInt8(at + 3)];
    found.push({
      name: table
        .subarray(at + 12, at + 28)
        .toString('latin1')
        .replace(/\0.*$/s, '')
        .replace(/[^\x20-\x7e]/g, '?'),
      kind: kindOf(type, subtype),
      slot: type === APP ? slotOf(subtype) : null,
      offset: table.readUInt32LE(at + 4),
      size: table.readUInt32LE(at + 8),
    });
  }
  return found;
}

/**
 * Whether a boot loader would take the table: rows, the MD5 over them where the table carries one, an end. One with a
 * single wrong bit is not taken, and then nothing on the board starts.
 */
export function isSoundTable(table: Buffer): boolean {
  let hasDigest = false;
  for (let at = 0; at + ROW <= Math.min(table.length, TABLE_SIZE); at += ROW) {
    const magic = table.readUInt16LE(at);
    if (magic === END_MAGIC) return true;
    if (magic === DIGEST_MAGIC) {
      const said = table.subarray(at + DIGEST_AT, at + ROW);
      if (hasDigest || !createHash('md5').update(table.subarray(0, at)).digest().equals(said)) return false;
      hasDigest = true;
    } else if (magic !== ROW_MAGIC || hasDigest) return false;
  }
  return false;
}

function kindOf(type: number, subtype: number): Partition['kind'] {
  if (type === APP) return 'app';
  if (type !== DATA) return 'other';
  return subtype === NVS ? 'nvs' : subtype === OTA_DATA ? 'otadata' : 'other';
}

function slotOf(subtype: number): Partition['slot'] {
  if (subtype === FACTORY) return 'factory';
  return subtype >= FIRST_SLOT && subtype <= LAST_SLOT ? subtype - FIRST_SLOT : null;
}
