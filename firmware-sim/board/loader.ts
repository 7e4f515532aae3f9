import { createHash } from 'node:crypto';
import { type Chip, FLASH_ID } from './chip.ts';
import { createFlashDownload, type Flash, SECTOR_BYTES } from './flash.ts';
import {
  createSlipReader,
  done,
  encodeSlip,
  failed,
  type LoaderAnswer,
  type LoaderMode,
  OP,
  statusBytes,
  xorChecksum,
} from './loader-codes.ts';

// Reading the flash back: MD5 of a range, 64 bytes at a time (ROM), or as a stream with acknowledgements (stub).

type FlashRange = { at: number; length: number; blockBytes: number; inFlight: number };

type FlashReading = {
  md5(at: number, length: number, mode: 'rom' | 'stub'): LoaderAnswer;
  slow(at: number, length: number): LoaderAnswer;
  fits(range: FlashRange): boolean;
  start(range: FlashRange): void;
  isUnderWay(): boolean;
  /** A frame of the host during a stream: how many bytes it has, in four bytes. False for any other, which ends the stream. */
  acknowledge(frame: Uint8Array): boolean;
};

const SLOW_BYTES = 64;

const MAX_BLOCK_BYTES = 0x10000;

// The chip's registers as far as a loader looks at them: fuses, the divider of the serial line, the SPI controller.

type Registers = {
  read(address: number): number;
  write(address: number, value: number, mask: number): void;
  reset(): void;
};

const CRYSTAL_HZ = 40_000_000;

const SPI_USER_COMMAND = 1 << 18;

const READ_FLASH_ID = 0x9f;

const READ_STATUS = 0x05;

/** A loader touches a few dozen; a broken one shall not fill the memory. */
const MAX_WRITTEN = 1_024;

// The loader in the chip's ROM, and the faster one (the "stub") a host loads into its RAM. Same frames, small differences:
// the ROM answers with four status bytes and MD5 as text, the stub with two and MD5 as bytes, and only the stub erases
// the whole chip and streams the flash. The stub acknowledges a block before it writes it, and tells a fault of the flash
// with the next one or at the end. Protocol: Espressif's serial protocol page.

export type Loader = {
  feed(bytes: Uint8Array): void;
  /** Which of the two answers. */
  mode(): LoaderMode;
};

export type LoaderDeps = {
  chip: Chip;
  flash: Flash;
  send: (bytes: Uint8Array) => void;
  baud: () => number;
  /** Holds from the next byte on. */
  setBaud: (baud: number) => void;
  /** The host let the chip go: it starts what lies in the flash. */
  leave: () => void;
};

/** Longer than the longest request: 16 KiB of data and two headers. */
const MAX_FRAME_BYTES = 0x4000 + 64;
const SYNC_ANSWERS = 8;
const MAX_BAUD = 5_000_000;
/** What secure download takes away. */
const LOCKED_OUT: ReadonlySet<number> = new Set([
  OP.readRegister,
  OP.writeRegister,
  OP.memBegin,
  OP.memData,
  OP.memEnd,
  OP.readSlow,
]);

/** The loader as after a reset into download mode. */
export function createLoader(deps: LoaderDeps): Loader {
  const { chip, flash } = deps;
  const registers = createRegisters(chip, deps.baud);
  const download = createFlashDownload(flash);
  let mode: LoaderMode = 'rom';
  let ram: { expected: number } | null = null;
  let hasLoadedRam = false;

  const sendFrame = (frame: Uint8Array) => deps.send(encodeSlip(frame));
  const reading = createFlashReading(flash, sendFrame);
  const answer = (op: number, { value, data, error }: LoaderAnswer) => {
    const status = statusBytes(mode, op, error);
    const frame = new Uint8Array(8 + data.length + status.length);
    const view = new DataView(frame.buffer);
    frame[0] = 0x01;
    frame[1] = op;
    view.setUint16(2, data.length + status.length, true);
    view.setUint32(4, value >>> 0, true);
    frame.set(data, 8);
    frame.set(status, 8 + data.length);
    sendFrame(frame);
  };

  const hear = (frame: Uint8Array) => {
    // While the flash is streamed, the host's frames are the count of what has arrived; a host that gives up asks anew.
    if (reading.isUnderWay() && reading.acknowledge(frame)) return;
    if (frame.length < 8 || frame[0] !== 0x00) return;
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const op = view.getUint8(1);
    const data = frame.subarray(8);
    if (view.getUint16(2, true) !== data.length) return answer(op, failed('malformed'));
    run({ op, data, checksum: view.getUint32(4, true), word: wordsOf(data) });
  };

  const run = ({ op, data, checksum, word }: Request) => {
    if (chip.isLocked && LOCKED_OUT.has(op)) return answer(op, failed('unknown'));
    switch (op) {
      case OP.sync:
        // Any other value than 0 says "ROM": a host that finds 0 uses the stub it had loaded before.
        for (let i = 0; i < SYNC_ANSWERS; i += 1)
          answer(op, done({ value: mode === 'stub' ? 0 : 0x20120707 }));
        return;
      case OP.readRegister:
        return answer(op, data.length < 4 ? failed('malformed') : done({ value: registers.read(word(0)) }));
      case OP.writeRegister:
        for (let at = 0; at + 4 <= data.length / 4; at += 4)
          registers.write(word(at), word(at + 1), word(at + 2));
        return answer(op, data.length < 16 ? failed('malformed') : done());
      case OP.spiAttach:
      case OP.spiParameters:
        return answer(op, done());
      case OP.changeBaud:
        return changeBaud(word(0));
      case OP.securityInfo:
        return answer(op, chip.securityInfo === null ? failed('unknown') : done({ data: chip.securityInfo }));
      case OP.memBegin:
        ram = { expected: 0 };
        return answer(op, done());
      case OP.memData:
        return answer(op, takeRam(data, checksum, word));
      case OP.memEnd:
        return endRam(word(0), word(1));
      default:
        return runFlash({ op, data, checksum, word });
    }
  };

  const runFlash = ({ op, data, checksum, word }: Request) => {
    switch (op) {
      case OP.flashBegin:
        return answer(op, download.begin({ form: 'plain', mode }, data, word));
      case OP.deflateBegin:
        return answer(op, download.begin({ form: 'deflated', mode }, data, word));
      case OP.flashData:
        return answer(op, download.take('plain', data, checksum));
      case OP.deflateData:
        return answer(op, download.take('deflated', data, checksum));
      case OP.flashEnd:
      case OP.deflateEnd:
        return endFlash(op, word(0));
      case OP.md5:
        return answer(op, reading.md5(word(0), word(1), mode));
      case OP.readSlow:
        return answer(op, mode === 'rom' ? reading.slow(word(0), word(1)) : failed('unknown'));
      default:
        return mode === 'stub' ? runStub({ op, data, word }) : answer(op, failed('unknown'));
    }
  };

  /** The ROM leaves for the program either way; the stub stays unless all went well and it is told to restart (0). */
  const endFlash = (op: number, staysPut: number) => {
    const ended = download.end(mode);
    answer(op, ended);
    if (mode === 'rom' || (ended.error === null && staysPut === 0)) deps.leave();
  };
  const runStub = ({ op, word }: Pick<Request, 'op' | 'data' | 'word'>) => {
    switch (op) {
      case OP.eraseFlash:
        flash.erase(0, flash.size);
        return answer(op, done());
      case OP.eraseRegion: {
        const isWhole = word(0) % SECTOR_BYTES === 0 && word(1) % SECTOR_BYTES === 0;
        return answer(op, isWhole && flash.erase(word(0), word(1)) ? done() : failed('flash'));
      }
      case OP.readFlash: {
        const range = { at: word(0), length: word(1), blockBytes: word(2), inFlight: word(3) };
        if (!reading.fits(range)) return answer(op, failed('flash'));
        answer(op, done());
        return reading.start(range);
      }
      case OP.runUserCode:
        return deps.leave();
      default:
        return answer(op, failed('unknown'));
    }
  };

  const changeBaud = (baud: number) => {
    if (baud < 300 || baud > MAX_BAUD) return answer(OP.changeBaud, failed('malformed'));
    answer(OP.changeBaud, done());
    deps.setBaud(baud);
  };
  const takeRam = (data: Uint8Array, checksum: number, word: Request['word']): LoaderAnswer => {
    if (ram === null) return failed('order');
    const block = data.subarray(16);
    if (block.length !== word(0) || data.length < 16) return failed('malformed');
    if (xorChecksum(block) !== (checksum & 0xff)) return failed('checksum');
    const sequence = word(1);
    // A host whose answer was lost sends the same block again.
    if (sequence !== ram.expected && sequence !== ram.expected - 1) return failed('order');
    ram.expected = sequence + 1;
    hasLoadedRam = true;
    return done();
  };
  const endRam = (staysPut: number, entry: number) => {
    answer(OP.memEnd, done());
    ram = null;
    if (staysPut !== 0 || entry === 0) return;
    if (!hasLoadedRam) return deps.leave();
    // What a host loads into this RAM is its stub: the bytes are not run, their effect is this.
    mode = 'stub';
    registers.reset();
    sendFrame(new TextEncoder().encode('OHAI'));
  };

  const reader = createSlipReader(MAX_FRAME_BYTES, hear);
  return { feed: reader.feed, mode: () => mode };
}

type Request = { op: number; data: Uint8Array; checksum: number; word: (index: number) => number };

/** Little-endian words; one that is not there reads as 0. */
function wordsOf(data: Uint8Array): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return (index) => (index * 4 + 4 <= data.length ? view.getUint32(index * 4, true) : 0);
}

/** `baud` tells the rate of the line: from it the loader works out the crystal. */
function createRegisters(chip: Chip, baud: () => number): Registers {
  const written = new Map<number, number>();
  const commandAt = chip.spi.base;
  const w0At = chip.spi.base + chip.spi.w0;

  const store = (address: number, value: number) => {
    if (written.has(address) || written.size < MAX_WRITTEN) written.set(address, value >>> 0);
  };
  const runSpi = () => {
    const opcode = (written.get(chip.spi.base + chip.spi.usr2) ?? 0) & 0xff;
    if (opcode === READ_FLASH_ID) store(w0At, FLASH_ID);
    else if (opcode === READ_STATUS) store(w0At, 0);
  };
  const placed = (address: number) => {
    const { mirror } = chip;
    const within = mirror === null ? -1 : address - mirror.from;
    return mirror !== null && within >= 0 && within < mirror.size ? mirror.to + within : address;
  };
  return {
    read: (asked) => {
      const address = placed(asked);
      if (address === chip.uartDividerAt) return Math.floor(CRYSTAL_HZ / baud());
      return chip.fixed.get(address) ?? written.get(address) ?? 0;
    },
    write: (asked, value, mask) => {
      const address = placed(asked);
      store(address, ((written.get(address) ?? 0) & ~mask) | (value & mask));
      if (address !== commandAt || (value & mask & SPI_USER_COMMAND) === 0) return;
      runSpi();
      // done: the loader waits for this bit to clear
      store(commandAt, 0);
    },
    reset: () => written.clear(),
  };
}

function createFlashReading(flash: Flash, sendFrame: (frame: Uint8Array) => void): FlashReading {
  let stream: (FlashRange & { sent: number; hash: ReturnType<typeof createHash> }) | null = null;

  const isInside = (at: number, length: number) => at + length <= flash.size;
  const push = (acknowledged: number) => {
    if (stream === null) return;
    while (stream.sent < stream.length && stream.sent - acknowledged < stream.inFlight) {
      const length = Math.min(stream.blockBytes, stream.length - stream.sent);
      const block = flash.read(stream.at + stream.sent, length);
      stream.sent += length;
      stream.hash.update(block);
      sendFrame(block);
    }
    if (acknowledged < stream.length) return;
    sendFrame(stream.hash.digest());
    stream = null;
  };
  return {
    md5: (at, length, mode) => {
      if (!isInside(at, length)) return failed('flash');
      const hash = createHash('md5').update(flash.read(at, length));
      return done({ data: mode === 'stub' ? hash.digest() : new TextEncoder().encode(hash.digest('hex')) });
    },
    slow: (at, length) => {
      if (length > SLOW_BYTES || !isInside(at, length)) return failed('readLength');
      return done({ data: flash.read(at, SLOW_BYTES) });
    },
    fits: ({ at, length, blockBytes, inFlight }) =>
      isInside(at, length) && length > 0 && blockBytes > 0 && blockBytes <= MAX_BLOCK_BYTES && inFlight > 0,
    start: (range) => {
      stream = { ...range, sent: 0, hash: createHash('md5') };
      push(0);
    },
    isUnderWay: () => stream !== null,
    acknowledge: (frame) => {
      if (frame.length === 4) push(new DataView(frame.buffer, frame.byteOffset, 4).getUint32(0, true));
      else stream = null;
      return frame.length === 4;
    },
  };
}
