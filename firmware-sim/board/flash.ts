import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

// The SPI flash of the board: erased bytes are FF, writing only clears bits, as on the real chip.

export const SECTOR_BYTES = 4_096;
export const FLASH_BYTES = 4 * 1_048_576;

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

export type FlashWear = {
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
