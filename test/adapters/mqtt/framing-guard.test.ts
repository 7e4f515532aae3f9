import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardFraming } from '#adapters/mqtt/peek-connect.ts';

/** What the guard lets through and sees, when these chunks come one after another. */
function watch(chunks: Buffer[], maxPacketBytes: number) {
  const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const types: number[] = [];
  let oversized = 0;
  guardFraming(stream, {
    maxPacketBytes,
    onPacket: (type) => types.push(type) > 0,
    onOversize: () => void oversized++,
  });
  const passed: Buffer[] = [];
  for (const chunk of chunks) {
    if (stream.destroyed) break;
    stream.push(chunk);
    const got: unknown = stream.read();
    if (got instanceof Buffer) passed.push(got);
  }
  return { types, oversized, passed: Buffer.concat(passed), isOpen: !stream.destroyed };
}

const lengthBytes = (length: number): number[] =>
  length < 128 ? [length] : [(length % 128) | 0x80, ...lengthBytes(Math.floor(length / 128))];
const aPacket = fc
  .tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 0, max: 400 }))
  .map(([type, length]) => ({
    type,
    bytes: Buffer.from([type << 4, ...lengthBytes(length), ...Array(length).fill(0xff)]),
  }));

test('however the bytes are cut, every packet is seen once and every byte passes', () => {
  fc.assert(
    fc.property(fc.array(aPacket, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), (packets, cut) => {
      const bytes = Buffer.concat(packets.map((packet) => packet.bytes));
      const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, i) =>
        bytes.subarray(i * cut, (i + 1) * cut),
      );
      const seen = watch(chunks, 1_000);
      expect(seen.types).toEqual(packets.map((packet) => packet.type));
      expect(seen.passed.equals(bytes)).toBe(true);
      expect(seen.isOpen).toBe(true);
    }),
  );
});

test.each([
  ['exactly the largest packet', [0x30, 98, ...Array(98).fill(0)], true],
  ['one byte more', [0x30, 99], false],
  ['a length that needs five bytes', [0x30, 0x80, 0x80, 0x80, 0x80], false],
  ['a small length written long', [0x30, 0x85, 0x80, 0x00, 1, 2, 3, 4, 5], true],
])('%s', (_what, bytes, isOpen) => {
  const seen = watch([Buffer.from(bytes)], 100);
  expect(seen).toMatchObject({ isOpen, oversized: isOpen ? 0 : 1 });
});
