// Numbers of the loader's protocol.

export const OP = {
  flashBegin: 0x02,
  flashData: 0x03,
  flashEnd: 0x04,
  memBegin: 0x05,
  memEnd: 0x06,
  memData: 0x07,
  sync: 0x08,
  writeRegister: 0x09,
  readRegister: 0x0a,
  spiParameters: 0x0b,
  spiAttach: 0x0d,
  readSlow: 0x0e,
  changeBaud: 0x0f,
  deflateBegin: 0x10,
  deflateData: 0x11,
  deflateEnd: 0x12,
  md5: 0x13,
  securityInfo: 0x14,
  eraseFlash: 0xd0,
  eraseRegion: 0xd1,
  readFlash: 0xd2,
  runUserCode: 0xd3,
} as const;

/** Which of the two answers: the loader in the ROM, or the stub a host loads into the RAM. */
export type LoaderMode = 'rom' | 'stub';

/** What can go wrong, as each of the two loaders numbers it. */
const ERRORS = {
  malformed: { rom: 0x05, stub: 0xc0 },
  unknown: { rom: 0x05, stub: 0xff },
  order: { rom: 0x06, stub: 0xc6 },
  checksum: { rom: 0x07, stub: 0xc1 },
  flash: { rom: 0x08, stub: 0xc4 },
  readLength: { rom: 0x0a, stub: 0xc0 },
  inflate: { rom: 0x0b, stub: 0xc7 },
  tooLittle: { rom: 0x0b, stub: 0xc8 },
} as const;

type LoaderError = { rom: number; stub: number };
export type LoaderAnswer = { value: number; data: Uint8Array; error: LoaderError | null };

/** The stub hands these to a routine and tells only that it failed, not why. */
const UNEXPLAINED: ReadonlySet<number> = new Set([
  OP.flashBegin,
  OP.deflateBegin,
  OP.memBegin,
  OP.memEnd,
  OP.spiParameters,
  OP.spiAttach,
  OP.md5,
  OP.eraseFlash,
  OP.eraseRegion,
]);

const NOTHING = new Uint8Array(0);

export function done(with_: { value?: number; data?: Uint8Array } = {}): LoaderAnswer {
  return { value: with_.value ?? 0, data: with_.data ?? NOTHING, error: null };
}

export function failed(why: keyof typeof ERRORS): LoaderAnswer {
  return { value: 0, data: NOTHING, error: ERRORS[why] };
}

/** The end of an answer: the ROM says 1 and then why, in four bytes; the stub says why and then 0, in two. */
export function statusBytes(mode: LoaderMode, op: number, error: LoaderError | null): Uint8Array {
  if (mode === 'rom') return Uint8Array.of(...(error === null ? [0, 0] : [1, error.rom]), 0, 0);
  if (error === null) return Uint8Array.of(0, 0);
  const isExplained = !UNEXPLAINED.has(op) || error === ERRORS.unknown;
  return Uint8Array.of(isExplained ? error.stub : 1, 0);
}

/** XOR over the data of a block, seeded with 0xEF. */
export function xorChecksum(bytes: Uint8Array): number {
  let sum = 0xef;
  for (const byte of bytes) sum ^= byte;
  return sum;
}

// SLIP frames as the chip's loader speaks them (RFC 1055): C0 frame C0, C0 → DB DC, DB → DB DD.

const END = 0xc0;
const ESC = 0xdb;
const ESC_END = 0xdc;
const ESC_ESC = 0xdd;

/** One frame with its delimiters. */
export function encodeSlip(frame: Uint8Array): Uint8Array {
  const out: number[] = [END];
  for (const byte of frame) {
    if (byte === END) out.push(ESC, ESC_END);
    else if (byte === ESC) out.push(ESC, ESC_ESC);
    else out.push(byte);
  }
  out.push(END);
  return Uint8Array.from(out);
}

type SlipReader = {
  feed(bytes: Uint8Array): void;
  /** Forgets a frame that has begun. */
  reset(): void;
};

/** Hands on whole frames; what lies between frames, is too long or wrongly escaped is dropped. */
export function createSlipReader(maxBytes: number, hear: (frame: Uint8Array) => void): SlipReader {
  const held = new Uint8Array(maxBytes);
  let length = 0;
  let state: 'outside' | 'inside' | 'escaped' | 'spoilt' = 'outside';

  const end = () => {
    const frame = state === 'inside' && length > 0 ? held.slice(0, length) : null;
    length = 0;
    // A delimiter ends one frame and may begin the next: an empty frame is none.
    state = 'inside';
    if (frame !== null) hear(frame);
  };
  const keep = (byte: number) => {
    if (length >= maxBytes) {
      state = 'spoilt';
      return;
    }
    held[length] = byte;
    length += 1;
  };
  const take = (byte: number) => {
    if (byte === END) return end();
    if (state === 'inside') {
      if (byte === ESC) state = 'escaped';
      else keep(byte);
    } else if (state === 'escaped') {
      state = byte === ESC_END || byte === ESC_ESC ? 'inside' : 'spoilt';
      if (state === 'inside') keep(byte === ESC_END ? END : ESC);
    }
  };
  return {
    feed: (bytes) => {
      for (const byte of bytes) take(byte);
    },
    reset: () => {
      length = 0;
      state = 'outside';
    },
  };
}
