import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { createSlipReader, encodeSlip } from '#sim/board/loader-codes.ts';
import { block, SYNC, type TableBoard, words, xor } from './a-board.ts';

// What the chip maker's own tool asks of a board and how it reads the answers, put down from the description of the
// protocol: it cannot be had on every machine that tests this. Its generations differ in where they look for the status.

export type ReferenceChip = {
  name: 'ESP32' | 'ESP32-C3';
  /** Newer chips say their id; the first one is known by a value in its ROM. */
  id: number | null;
  magic: number;
  fuses: { macLow: number; macHigh: number };
  spi: { base: number; usr: number; usr2: number; w0: number };
  /** Where the divider of the line lies, for the chip whose crystal is worked out from it. */
  divider: number | null;
};

export const CHIPS: readonly ReferenceChip[] = [
  {
    name: 'ESP32',
    id: null,
    magic: 0x00f01d83,
    fuses: { macLow: 0x3ff5a004, macHigh: 0x3ff5a008 },
    spi: { base: 0x3ff42000, usr: 0x1c, usr2: 0x24, w0: 0x80 },
    divider: 0x3ff40014,
  },
  {
    name: 'ESP32-C3',
    id: 5,
    magic: 0x1b31506f,
    fuses: { macLow: 0x60008844, macHigh: 0x60008848 },
    spi: { base: 0x60002000, usr: 0x18, usr2: 0x20, w0: 0x58 },
    divider: null,
  },
];

/** `last`: the status is the last bytes, four of every ROM but the oldest chip's; `behind`: two behind the data expected. */
export type StatusRule = 'last' | 'behind';

export class Refused extends Error {
  /** The status as the tool prints it, e.g. `0107` or `c100`. */
  readonly status: string;
  constructor(status: string) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

/** A client of a board on the table. Every method throws Refused, or an Error when the answer has another form. */
export function createReferenceClient(
  { board, ask, heard }: TableBoard,
  chip: ReferenceChip,
  rule: StatusRule,
) {
  let isStub = false;
  let baud = 115_200;
  const blockBytes = () => (isStub ? 0x4000 : 0x400);

  function command(op: number, data: readonly number[] | Uint8Array, check = 0) {
    const frame = ask(op, Uint8Array.from(data), check).find(
      (one) => one.length >= 8 && one[0] === 1 && one[1] === op,
    );
    if (frame === undefined) throw new Error(`no answer to ${op}`);
    const view = Buffer.from(frame);
    if (view.readUInt16LE(2) !== frame.length - 8) throw new Error('the answer is not as long as it says');
    return { value: view.readUInt32LE(4), data: view.subarray(8) };
  }

  function check(
    op: number,
    sent: readonly number[] | Uint8Array,
    how: { sum?: number; bytes?: number } = {},
  ) {
    const { bytes = 0 } = how;
    const { value, data } = command(op, sent, how.sum);
    const length = rule === 'last' && !isStub ? 4 : 2;
    const at = rule === 'last' ? data.length - length : data.length < bytes + 2 ? 0 : bytes;
    if (data.length < length) throw new Error(`only ${data.length} bytes of status`);
    const status = data.subarray(at, at + 2);
    if (status[0] !== 0) throw new Refused(status.toString('hex'));
    const rest = rule === 'last' ? data.subarray(0, at) : data.subarray(0, bytes);
    return { value, rest };
  }

  const read = (address: number) => check(0x0a, words(address)).value;
  const write = (address: number, value: number) => check(0x09, words(address, value, 0xffff_ffff, 0));

  return {
    connect() {
      if (ask(0x08, SYNC).length !== 8) throw new Error('no eight answers to SYNC');
      let id: number | null = null;
      try {
        id = check(0x14, [], { bytes: 20 }).rest.readUInt32LE(12);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
      if (id !== chip.id) throw new Error(`the id is ${id}`);
      if (read(0x40001000) !== chip.magic) throw new Error('another magic value');
    },
    mac() {
      const both = Buffer.from([...words(read(chip.fuses.macLow)), ...words(read(chip.fuses.macHigh))]);
      return [...both.subarray(0, 6).reverse()].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
    },
    crystalMhz: () =>
      chip.divider === null ? 40 : (baud * (read(chip.divider) & 0xf_ffff)) / 1e6 > 33 ? 40 : 26,
    loadStub() {
      for (const at of [0x40090000, 0x3ffe8000]) {
        const part = new Uint8Array(0x100).fill(0xdb);
        check(0x05, words(part.length, 1, 0x1800, at));
        check(0x07, block(part, 0), { sum: xor(part) });
      }
      const frames = ask(0x06, words(0, 0x40090000));
      if (Buffer.from(frames.at(-1) ?? []).toString('latin1') !== 'OHAI') throw new Error('no stub');
      isStub = true;
    },
    /** The chip's own loader takes its clock for another one: it is asked for what makes the wanted rate of that. */
    changeBaud(wanted: number) {
      let asked = wanted;
      if (chip.name === 'ESP32' && !isStub) {
        const calculated = (((read(0x3ff5f06c) >> 7) & 0x1ff_ffff) * 15_625 * (read(0x3ff5a010) & 0xff)) / 40;
        asked = Math.floor((wanted * calculated) / (calculated > 33e6 ? 40e6 : 26e6));
      }
      // whatever the answer is, the tool changes its own rate now
      command(0x0f, words(asked, isStub ? baud : 0));
      baud = wanted;
      return board.baud();
    },
    flashId() {
      const { base, usr, usr2, w0 } = chip.spi;
      const before = [read(base + usr), read(base + usr2)] as const;
      write(base + usr, 0x9000_0000);
      write(base + usr2, 0x7000_009f);
      write(base + w0, 0);
      write(base, 1 << 18);
      if ((read(base) & (1 << 18)) !== 0) throw new Error('the flash does not answer');
      const id = read(base + w0);
      write(base + usr, before[0]);
      write(base + usr2, before[1]);
      return id;
    },
    attach() {
      check(0x0d, isStub ? words(0) : words(0, 0));
      check(0x0b, words(0, 4 * 2 ** 20, 0x10000, 0x1000, 0x100, 0xffff));
    },
    writePlain(at: number, image: Uint8Array) {
      const size = blockBytes();
      const blocks = Math.ceil(image.length / size);
      const more = isStub || chip.name !== 'ESP32' ? words(0) : [];
      check(0x02, [...words(image.length, blocks, size, at), ...more]);
      for (let number = 0; number < blocks; number += 1) {
        const part = new Uint8Array(size).fill(0xff);
        part.set(image.subarray(number * size, (number + 1) * size));
        check(0x03, block(part, number), { sum: xor(part) });
      }
      // the ROM is not told the end: it would leave
      if (isStub) check(0x04, words(1));
    },
    writeDeflated(at: number, image: Uint8Array) {
      const packed = deflateSync(image, { level: 9 });
      const size = blockBytes();
      const blocks = Math.ceil(packed.length / size);
      const erased = isStub ? image.length : Math.ceil(image.length / size) * size;
      const more = isStub || chip.name !== 'ESP32' ? words(0) : [];
      check(0x10, [...words(erased, blocks, size, at), ...more]);
      for (let number = 0; number < blocks; number += 1) {
        const part = packed.subarray(number * size, (number + 1) * size);
        check(0x11, block(part, number), { sum: xor(part) });
      }
      if (isStub) check(0x12, words(1));
    },
    md5(at: number, length: number) {
      const { rest } = check(0x13, words(at, length, 0, 0), { bytes: isStub ? 16 : 32 });
      return isStub ? rest.toString('hex') : rest.toString('latin1');
    },
    read(at: number, length: number) {
      if (isStub) return streamed(at, length);
      const pieces: Buffer[] = [];
      for (let done = 0; done < length; done += 64) {
        const piece = Math.min(64, length - done);
        pieces.push(check(0x0e, words(at + done, piece), { bytes: 64 }).rest.subarray(0, piece));
      }
      return Buffer.concat(pieces);
    },
    eraseRegion: (at: number, length: number) => check(0xd1, words(at, length)),
    eraseAll: () => check(0xd0, []),
    check,
    restart() {
      check(0x02, [...words(0, 0, blockBytes(), 0), ...(isStub || chip.name !== 'ESP32' ? words(0) : [])]);
      check(0x04, words(0));
    },
  };

  function streamed(at: number, length: number): Buffer {
    const frames = ask(0xd2, words(at, length, 0x1000, 64)).slice(1);
    let got = Buffer.alloc(0);
    for (;;) {
      const [piece] = frames.splice(0, 1);
      if (piece === undefined) throw new Error('the stream ended early');
      if (got.length === length) {
        if (!createHash('md5').update(got).digest().equals(piece)) throw new Error('the stream was damaged');
        return got;
      }
      got = Buffer.concat([got, piece]);
      heard();
      board.feed(encodeSlip(Uint8Array.from(words(got.length))));
      createSlipReader(0x2000, (frame) => frames.push(frame)).feed(heard());
    }
  }
}
