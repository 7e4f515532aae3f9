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

export type SlipReader = {
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
