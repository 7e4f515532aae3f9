/** Where the boot loader looks for the table, on every chip of the family. */
export const TABLE_OFFSET = 0x8000;
export const TABLE_SIZE = 0xc00;

const ENTRY = 32;
const MAGIC = 0x50aa;
const APP = 0;
const DATA = 1;
const NVS = 2;

export type Partition = { name: string; kind: 'app' | 'nvs' | 'other'; offset: number; size: number };

/** The partitions of a table, in its order; none where there is no table. Never throws. */
export function readPartitions(table: Buffer): Partition[] {
  const found: Partition[] = [];
  for (let at = 0; at + ENTRY <= Math.min(table.length, TABLE_SIZE); at += ENTRY) {
    if (table.readUInt16LE(at) !== MAGIC) break;
    const [type, subtype] = [table.readUInt8(at + 2), table.readUInt8(at + 3)];
    found.push({
      name: table
        .subarray(at + 12, at + 28)
        .toString('latin1')
        .replace(/\0.*$/s, '')
        .replace(/[^\x20-\x7e]/g, '?'),
      kind: type === APP ? 'app' : type === DATA && subtype === NVS ? 'nvs' : 'other',
      offset: table.readUInt32LE(at + 4),
      size: table.readUInt32LE(at + 8),
    });
  }
  return found;
}
