import { inflateSync } from 'node:zlib';
import type { Flash } from './flash.ts';
import type { LoaderAnswer, LoaderMode } from './loader-codes.ts';
import { done, failed, xorChecksum } from './loader-codes.ts';

// A download into the flash, plain or deflated: begin (erases), blocks in order, end.

export type FlashDownload = {
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
