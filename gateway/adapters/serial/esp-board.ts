import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { ESPError } from 'esptool-js';
import { asEspTrouble, EspTrouble, refusalOf } from './esp-trouble.ts';
import { type Connecting, diagnosed, type Greeted, greet, MAGIC_REGISTER, ROM_BAUD } from './greet-board.ts';
import type { SerialLink } from './open-port.ts';

export type ChipFacts = {
  /** `ESP32`, `ESP32-C3`, … */
  chip: string;
  description: string;
  revision: number | null;
  mac: string;
  crystal_mhz: number;
  /** Manufacturer and type of the flash as it says them, e.g. `ef4016`. */
  flash_id: string;
  flash_bytes: number;
};

/** A board in its loader. All throw EspTrouble, PortTrouble or what the job was aborted with. */
export type EspBoard = {
  /** Read once, when first asked. */
  facts: () => Promise<ChipFacts>;
  /** The chip's number in the head of an image; null for chips whose images have none. */
  imageChipId: number | null;
  bootloaderOffset: number;
  baud: number;
  /** Writes a piece at a multiple of 4,096; what is erased is its sectors. `sent`: bytes of the image so far. */
  write: (address: number, image: Uint8Array, sent: (bytes: number) => void) => Promise<void>;
  /** MD5 of the flash as the chip reads it, in hex. */
  md5: (address: number, length: number) => Promise<string>;
  read: (address: number, length: number) => Promise<Buffer>;
  eraseAll: () => Promise<void>;
  /** Multiples of 4,096. */
  eraseRegion: (address: number, length: number) => Promise<void>;
  /** Starts the program, also when the job was taken back: only a lost port keeps it from that. */
  run: () => Promise<void>;
  /** Forgets answers that are under way, after a fault. */
  settle: () => Promise<void>;
  /** Stops listening; the port stays open. */
  release: () => Promise<void>;
  /** Why the board fell silent, as far as a short question shows it. */
  diagnose: (silent: EspTrouble) => Promise<EspTrouble>;
};

const FLASH_BEGIN = 0x02;
const FLASH_END = 0x04;
const SPI_SET_PARAMS = 0x0b;
const DEFL_BEGIN = 0x10;
const DEFL_DATA = 0x11;
const DEFL_END = 0x12;
const FLASH_MD5 = 0x13;
const ERASE_FLASH = 0xd0;
const ERASE_REGION = 0xd1;
const READ_FLASH = 0xd2;

/** Longer than a box under load lets this process wait. */
const TIMEOUT_MS = 5_000;
/** A board without reset lines leaves its loader after three seconds of silence: it is asked again before that. */
const TIMEOUT_WITHOUT_LINES_MS = 2_000;
const CHIP_ERASE_MS = 120_000;
const ERASE_MS_PER_MB = 30_000;
const WRITE_MS_PER_MB = 40_000;
const MD5_MS_PER_MB = 8_000;
const BLOCK_TRIES = 5;
const READ_BLOCK = 4_096;
const READ_WINDOW = 64;
const SECTOR = 4_096;

type Question = {
  what: string;
  op: number;
  data?: Uint8Array;
  check?: number;
  timeoutMs?: number;
  bytes?: number;
};

export function createEspBoard({ loader, transport, chip }: Greeted): EspBoard {
  const answerMs = transport.hasLines ? TIMEOUT_MS : TIMEOUT_WITHOUT_LINES_MS;
  let facts: ChipFacts | null = null;

  /** Asks the stub; answers so many bytes of its data. */
  async function ask({ what, op, data = new Uint8Array(), check = 0, ...rest }: Question): Promise<Buffer> {
    const { timeoutMs = answerMs, bytes = 0 } = rest;
    const [, answer] = await loader.command(op, data, check, true, timeoutMs).catch((error: unknown) => {
      throw error instanceof ESPError ? asEspTrouble(what, error) : error;
    });
    const status = answer.length < bytes + 2 ? answer : answer.subarray(bytes);
    const [first = 0, second = 0] = status;
    if (first !== 0) throw refusalOf(what, first, second);
    if (answer.length < bytes + 2) throw new EspTrouble('disturbed', `${what}: the answer is cut short`);
    return Buffer.from(answer.subarray(0, bytes));
  }

  async function readFacts(): Promise<ChipFacts> {
    const id = await loader.readFlashId();
    const size = 2 ** ((id >> 16) & 0xff);
    if (id === 0 || (id & 0xff_ffff) === 0xff_ffff || size < 2 ** 18 || size > 2 ** 28)
      throw new EspTrouble(
        'flash',
        `the flash chip does not tell its size (id 0x${(id >>> 0).toString(16)})`,
      );
    await ask({
      what: 'set the size of the flash',
      op: SPI_SET_PARAMS,
      data: words(0, size, 65_536, SECTOR, 256, 0xffff),
    });
    return {
      chip: chip.CHIP_NAME,
      description: (await chip.getChipDescription(loader)).trim(),
      revision: chip.getChipRevision ? await chip.getChipRevision(loader) : null,
      mac: await chip.readMac(loader),
      crystal_mhz: await chip.getCrystalFreq(loader),
      flash_id: Buffer.from([id & 0xff, (id >> 8) & 0xff, (id >> 16) & 0xff]).toString('hex'),
      flash_bytes: size,
    };
  }

  async function write(address: number, image: Uint8Array, sent: (bytes: number) => void): Promise<void> {
    const packed = deflateSync(image, { level: 9 });
    const blockBytes = loader.FLASH_WRITE_SIZE;
    const blocks = Math.ceil(packed.length / blockBytes);
    // the stub erases sector by sector while it writes
    const timeoutMs = answerMs + Math.ceil((image.length / blocks / 1e6) * WRITE_MS_PER_MB);
    await ask({
      what: `begin to write at ${at(address)}`,
      op: DEFL_BEGIN,
      data: words(image.length, blocks, blockBytes, address),
    });
    for (let block = 0; block < blocks; block += 1) {
      const piece = packed.subarray(block * blockBytes, (block + 1) * blockBytes);
      await sendBlock({
        what: `write block ${block + 1} of ${blocks} at ${at(address)}`,
        op: DEFL_DATA,
        data: Buffer.concat([words(piece.length, block, 0, 0), piece]),
        check: loader.checksum(piece),
        timeoutMs,
      });
      sent(Math.round((image.length * (block + 1)) / blocks));
    }
    // 1: stay in the loader
    await ask({ what: 'end writing', op: DEFL_END, data: words(1) });
  }

  /** A refused block was not taken and may be sent again; one without an answer may have been. */
  async function sendBlock(question: Question): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await ask(question);
        return;
      } catch (error) {
        const isRefused = error instanceof EspTrouble && error.fault === 'disturbed';
        if (!isRefused || attempt === BLOCK_TRIES) throw error;
        await transport.drainInput(50, 50);
      }
    }
  }

  async function read(address: number, length: number): Promise<Buffer> {
    const what = `read ${length} bytes at ${at(address)}`;
    await ask({ what, op: READ_FLASH, data: words(address, length, READ_BLOCK, READ_WINDOW) });
    const out = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const piece = await nextFrame(what);
      if (piece.length > length - done || piece.length > READ_BLOCK)
        throw new EspTrouble('disturbed', `${what}: a piece is too long`);
      out.set(piece, done);
      done += piece.length;
      await transport.write(words(done));
    }
    const digest = await nextFrame(what);
    if (!createHash('md5').update(out).digest().equals(digest))
      throw new EspTrouble('disturbed', `${what}: what arrived is not what the board sent`);
    return out;
  }

  async function nextFrame(what: string): Promise<Uint8Array> {
    try {
      return await transport.read(answerMs);
    } catch (error) {
      throw error instanceof ESPError ? asEspTrouble(what, error) : error;
    }
  }

  const leave = () =>
    ask({ what: 'leave the loader', op: FLASH_BEGIN, data: words(0, 0, loader.FLASH_WRITE_SIZE, 0) });

  return {
    async facts() {
      facts ??= await readFacts().catch((error: unknown) => {
        throw error instanceof ESPError ? asEspTrouble('read what the board is', error) : error;
      });
      return facts;
    },
    imageChipId: chip.IMAGE_CHIP_ID ?? null,
    bootloaderOffset: chip.BOOTLOADER_FLASH_OFFSET,
    baud: transport.baudrate,
    write,
    async md5(address, length) {
      const what = `check ${length} bytes at ${at(address)}`;
      const timeoutMs = answerMs + (length / 1e6) * MD5_MS_PER_MB;
      const digest = await ask({
        what,
        op: FLASH_MD5,
        data: words(address, length, 0, 0),
        timeoutMs,
        bytes: 16,
      });
      return digest.toString('hex');
    },
    read,
    async eraseAll() {
      await ask({ what: 'erase the flash', op: ERASE_FLASH, timeoutMs: CHIP_ERASE_MS });
    },
    async eraseRegion(address, length) {
      const timeoutMs = answerMs + (length / 1e6) * ERASE_MS_PER_MB;
      await ask({
        what: `erase at ${at(address)}`,
        op: ERASE_REGION,
        data: words(address, length),
        timeoutMs,
      });
    },
    async run() {
      if (await transport.resetIntoProgram()) return;
      transport.outliveTheJob();
      await leave().catch(async () => {
        // whatever was under way took the question for a part of itself, and is over now
        await transport.drainInput(100, 100);
        await leave();
      });
      await ask({ what: 'start the program', op: FLASH_END, data: words(0) });
    },
    settle: () => transport.drainInput(100, 100),
    release: () => transport.disconnect(),
    diagnose: (silent) => diagnosed(silent, { loader, transport }),
  };
}

function words(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => out.writeUInt32LE(value >>> 0, index * 4));
  return out;
}

const at = (address: number) => `0x${address.toString(16)}`;

const CHANGE_BAUDRATE = 0x0f;
const PROBE_TIMEOUT_MS = 500;

/**
 * Brings the board at the port into its loader, finds out which chip it is, starts the flasher stub and changes to the
 * faster baud; where the cable cannot do that, it goes on at 115,200. Throws EspTrouble, PortTrouble or the signal's
 * reason.
 */
export async function connectBoard(link: SerialLink, how: Connecting): Promise<EspBoard> {
  const board = await greet(link, how);
  if (how.baud === ROM_BAUD || (await changeBaud(board, link, how.baud))) return createEspBoard(board);
  how.say('slow');
  await board.transport.disconnect();
  try {
    return createEspBoard(await greet(link, how));
  } catch (error) {
    // taken back before it moved a line, it left the board in the loader of the first time
    await board.transport.resetIntoProgram().catch(() => false);
    throw error;
  }
}

async function changeBaud({ loader, transport }: Greeted, link: SerialLink, baud: number): Promise<boolean> {
  const question = Buffer.alloc(8);
  question.writeUInt32LE(baud, 0);
  // the stub wants to know what it speaks now
  question.writeUInt32LE(ROM_BAUD, 4);
  try {
    await loader.command(CHANGE_BAUDRATE, question);
    await transport.changeBaudrate(baud);
    await pause(20);
    await transport.drainInput(30, 30);
    await loader.readReg(MAGIC_REGISTER, PROBE_TIMEOUT_MS).catch(async () => {
      await loader.readReg(MAGIC_REGISTER, PROBE_TIMEOUT_MS);
    });
    return true;
  } catch {
    link.lost.throwIfAborted();
    return false;
  }
}
