import { createHash } from 'node:crypto';
import type { Flash } from './flash.ts';
import type { LoaderAnswer } from './loader-codes.ts';
import { done, failed } from './loader-codes.ts';

// Reading the flash back: MD5 of a range, 64 bytes at a time (ROM), or as a stream with acknowledgements (stub).

export type FlashRange = { at: number; length: number; blockBytes: number; inFlight: number };

export type FlashReading = {
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

export function createFlashReading(flash: Flash, sendFrame: (frame: Uint8Array) => void): FlashReading {
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
