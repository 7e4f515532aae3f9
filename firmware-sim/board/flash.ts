import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32, inflateSync } from 'node:zlib';
import { done, failed, type LoaderAnswer, type LoaderMode, xorChecksum } from './loader-codes.ts';

// The SPI flash of the board: erased bytes are FF, writing only clears bits, as on the real chip.

export const SECTOR_BYTES = 4_096;
const FLASH_BYTES = 4 * 1_048_576;

export type Flash = {
  readonly size: number;
  read(at: number, length: number): Uint8Array;
  isErased(): boolean;
  /** False where a cell refuses or the range lies outside. */
  write(at: number, bytes: Uint8Array): boolean;
  /** Erases every sector the range touches; false outside the chip. */
  erase(at: number, length: number): boolean;
  close(): void;
};

type FlashWear = {
  /** Sectors (by any address in them) whose cells keep a wrong bit and do not say so. */
  badBlockAt?: number | undefined;
  /** Sectors that refuse to be written and say so. */
  deadBlockAt?: number | undefined;
};

/**
 * Flash of 4 MiB whose sectors are allocated when they are first written, kept in `file` when one is given.
 * Throws when the file is not the size of the flash.
 */
export function createFlash(options: { file?: string | undefined } & FlashWear = {}): Flash {
  const sectors = new Map<number, Uint8Array>();
  const store = options.file === undefined ? null : openStore(options.file, sectors);
  const badSector = sectorOf(options.badBlockAt);
  const deadSector = sectorOf(options.deadBlockAt);
  const fits = (at: number, length: number) => at >= 0 && length >= 0 && at + length <= FLASH_BYTES;

  const change = (index: number, alter: (sector: Uint8Array) => void) => {
    const sector = sectors.get(index) ?? new Uint8Array(SECTOR_BYTES).fill(0xff);
    alter(sector);
    sectors.set(index, sector);
    if (store !== null) writeSync(store, sector, 0, SECTOR_BYTES, index * SECTOR_BYTES);
  };
  return {
    size: FLASH_BYTES,
    read: (at, length) => {
      const out = new Uint8Array(length).fill(0xff);
      for (const piece of piecesOf(at, Math.min(length, FLASH_BYTES - at))) {
        const sector = sectors.get(piece.index);
        if (sector !== undefined)
          out.set(sector.subarray(piece.within, piece.within + piece.length), piece.done);
      }
      return out;
    },
    isErased: () => sectors.size === 0,
    write: (at, bytes) => {
      if (!fits(at, bytes.length)) return false;
      for (const piece of piecesOf(at, bytes.length)) {
        if (piece.index === deadSector) return false;
        change(piece.index, (sector) => {
          for (let i = 0; i < piece.length; i += 1) {
            const cell = piece.within + i;
            sector[cell] = (sector[cell] ?? 0xff) & (bytes[piece.done + i] ?? 0xff);
          }
          // One bit of a worn sector always reads as written.
          if (piece.index === badSector) sector[piece.within] = (sector[piece.within] ?? 0xff) ^ 0x01;
        });
      }
      return true;
    },
    erase: (at, length) => {
      if (!fits(at, length)) return false;
      const end = Math.ceil((at + length) / SECTOR_BYTES);
      for (let index = Math.floor(at / SECTOR_BYTES); index < end; index += 1) {
        if (!sectors.has(index)) continue;
        if (store !== null) change(index, (sector) => sector.fill(0xff));
        sectors.delete(index);
      }
      return true;
    },
    close: () => {
      if (store !== null) closeSync(store);
    },
  };
}

function sectorOf(at: number | undefined): number | null {
  return at === undefined ? null : Math.floor(at / SECTOR_BYTES);
}

type Piece = { index: number; within: number; length: number; done: number };

function* piecesOf(at: number, length: number): Generator<Piece> {
  for (let done = 0; done < length; ) {
    const within = (at + done) % SECTOR_BYTES;
    const piece = Math.min(SECTOR_BYTES - within, length - done);
    yield { index: Math.floor((at + done) / SECTOR_BYTES), within, length: piece, done };
    done += piece;
  }
}

function openStore(file: string, sectors: Map<number, Uint8Array>): number {
  const isNew = !existsSync(file);
  // The flash holds the controller's key: for its owner alone.
  const store = openSync(file, isNew ? 'w+' : 'r+', 0o600);
  if (isNew) {
    writeSync(store, new Uint8Array(FLASH_BYTES).fill(0xff));
    return store;
  }
  if (fstatSync(store).size !== FLASH_BYTES) {
    closeSync(store);
    throw new Error(`${file} is no flash of a simulated board: it must be ${FLASH_BYTES} bytes long.`);
  }
  for (let index = 0; index * SECTOR_BYTES < FLASH_BYTES; index += 1) {
    const sector = new Uint8Array(SECTOR_BYTES);
    readSync(store, sector, 0, SECTOR_BYTES, index * SECTOR_BYTES);
    if (sector.some((byte) => byte !== 0xff)) sectors.set(index, sector);
  }
  return store;
}

// A download into the flash, plain or deflated: begin (erases), blocks in order, end.

type FlashDownload = {
  begin(
    how: { form: Form; mode: LoaderMode },
    data: Uint8Array,
    word: (index: number) => number,
  ): LoaderAnswer;
  take(form: Form, data: Uint8Array, checksum: number): LoaderAnswer;
  end(mode: LoaderMode): LoaderAnswer;
};

type Form = 'plain' | 'deflated';
type UnderWay = {
  form: Form;
  mode: LoaderMode;
  /** What became of a block that the stub had acknowledged already. */
  late: LoaderAnswer | null;
  /** Bytes to be written, deflated or not. */
  size: number;
  blocks: number;
  blockBytes: number;
  at: number;
  expected: number;
  held: Uint8Array[];
  heldBytes: number;
};

const BLOCK_HEADER_BYTES = 16;
const MAX_BLOCK_BYTES = 0x4000;

export function createFlashDownload(flash: Flash): FlashDownload {
  let underWay: UnderWay | null = null;

  const writeBlock = (load: UnderWay, block: Uint8Array): LoaderAnswer => {
    if (load.form === 'plain') {
      const at = load.at + load.expected * load.blockBytes;
      return flash.write(at, fitted(block, at, flash.size)) ? done() : failed('flash');
    }
    load.held.push(block.slice());
    load.heldBytes += block.length;
    if (load.heldBytes > flash.size) return failed('inflate');
    return load.expected + 1 < load.blocks ? done() : writeInflated(flash, load);
  };
  return {
    begin: ({ form, mode }, data, word) => {
      if (data.length < 16) return failed('malformed');
      const [size, blocks, blockBytes, at] = [word(0), word(1), word(2), word(3)];
      if (blockBytes > MAX_BLOCK_BYTES) return failed('malformed');
      if (!flash.erase(at, size)) return failed('flash');
      underWay = {
        form,
        mode,
        late: null,
        size,
        blocks,
        blockBytes,
        at,
        expected: 0,
        held: [],
        heldBytes: 0,
      };
      return done();
    },
    take: (form, data, checksum) => {
      if (underWay === null || underWay.form !== form) return failed('order');
      if (underWay.late !== null) return underWay.late;
      if (data.length < BLOCK_HEADER_BYTES) return failed('malformed');
      const view = new DataView(data.buffer, data.byteOffset, data.length);
      const block = data.subarray(BLOCK_HEADER_BYTES);
      if (view.getUint32(0, true) !== block.length || block.length > underWay.blockBytes)
        return failed('malformed');
      if (xorChecksum(block) !== (checksum & 0xff)) return failed('checksum');
      const sequence = view.getUint32(4, true);
      // A host whose answer was lost sends the same block again; it is written already.
      if (sequence === underWay.expected - 1) return done();
      if (sequence !== underWay.expected || sequence >= underWay.blocks) return failed('order');
      const answer = writeBlock(underWay, block);
      if (answer.error === null || underWay.mode === 'stub') underWay.expected += 1;
      if (underWay.mode === 'rom') return answer;
      if (answer.error !== null) underWay.late = answer;
      return done();
    },
    end: (mode) => {
      const ended = underWay;
      underWay = null;
      if (mode === 'rom') return done();
      return ended === null ? failed('order') : (ended.late ?? done());
    },
  };
}

/** The last plain block is padded and may reach over the end of the chip. */
function fitted(block: Uint8Array, at: number, size: number): Uint8Array {
  return block.subarray(0, Math.max(0, size - at));
}

function writeInflated(flash: Flash, load: UnderWay): LoaderAnswer {
  let plain: Uint8Array;
  try {
    plain = inflateSync(Buffer.concat(load.held), { maxOutputLength: Math.max(1, flash.size - load.at) });
  } catch {
    return failed('inflate');
  }
  load.held = [];
  // The ROM is told a size in whole blocks, so it may announce more than it sends, never less.
  if (plain.length > load.size) return failed('inflate');
  if (plain.length + MAX_BLOCK_BYTES < load.size) return failed('tooLittle');
  return flash.write(load.at, plain) ? done() : failed('flash');
}

// Which program the second-stage loader starts: by the partition table, and by what an update over the air has chosen.

const TABLE_AT = 0x8000;
const TABLE_BYTES = 0xc00;
const ROW_BYTES = 32;
/** Where the program lies on a board without a table. */
const APP_AT = 0x1_0000;
const SECTOR = 4_096;

type BootChoice = { at: number } | { damaged: true; text: string };

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
