const END = 0xc0;
const ESC = 0xdb;
const ESC_END = 0xdc;
const ESC_ESC = 0xdd;

/** The longest answer is a block of read flash, 4 KiB and its escapes; anything longer is no frame of a board. */
const MAX_FRAME = 16_384;

/** One frame of the Serial Line Internet Protocol (RFC 1055, with an END on both sides as the ESP ROM wants it). */
export function slipFrame(data: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(data.length * 2 + 2);
  let at = 0;
  out[at++] = END;
  for (const byte of data) {
    if (byte !== END && byte !== ESC) {
      out[at++] = byte;
    } else {
      out[at++] = ESC;
      out[at++] = byte === END ? ESC_END : ESC_ESC;
    }
  }
  out[at++] = END;
  return out.subarray(0, at);
}

/**
 * Takes frames out of a stream. Text between frames (a boot log, noise) is passed over; a frame with a wrong escape or
 * without an end is dropped, so one disturbed byte costs one answer and not the connection.
 */
export function createSlipReader(): { feed: (bytes: Uint8Array) => Buffer[]; reset: () => void } {
  const frame = Buffer.allocUnsafe(MAX_FRAME);
  let length = 0;
  let state: 'outside' | 'inside' | 'escaped' = 'outside';
  return {
    feed(bytes) {
      const frames: Buffer[] = [];
      for (const byte of bytes) {
        if (byte === END) {
          if (state === 'inside' && length > 0) {
            frames.push(Buffer.from(frame.subarray(0, length)));
            state = 'outside';
          } else {
            // two in a row: where one frame was lost, the second one is the beginning
            state = 'inside';
          }
          length = 0;
          continue;
        }
        if (state === 'outside') continue;
        let plain = byte;
        if (state === 'escaped') {
          plain = byte === ESC_END ? END : ESC;
          state = byte === ESC_END || byte === ESC_ESC ? 'inside' : 'outside';
          if (state === 'outside') continue;
        } else if (byte === ESC) {
          state = 'escaped';
          continue;
        }
        if (length === MAX_FRAME) {
          state = 'outside';
          continue;
        }
        frame[length++] = plain;
      }
      return frames;
    },
    reset() {
      state = 'outside';
      length = 0;
    },
  };
}
