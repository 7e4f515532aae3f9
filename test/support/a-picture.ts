import { createHash, randomBytes } from 'node:crypto';

/** A JPEG by its segments, of noise: what reads its header alone takes it for one. */
export function aPicture({
  width = 1_600,
  height = 1_200,
  bytes = 2_000,
  notes,
}: {
  width?: number;
  height?: number;
  bytes?: number;
  notes?: string;
} = {}): Buffer {
  const segment = (marker: number, body: Buffer) =>
    Buffer.concat([Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff]), body]);
  const jfif = segment(0xe0, Buffer.from('JFIF\0\u0001\u0001\0\0\u0001\0\u0001\0\0', 'latin1'));
  const told = notes === undefined ? Buffer.alloc(0) : segment(0xe1, Buffer.from(notes, 'latin1'));
  const frame = Buffer.alloc(15);
  frame.writeUInt8(8, 0);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  frame.writeUInt8(3, 5);
  const head = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jfif,
    told,
    segment(0xc0, frame),
    segment(0xda, Buffer.alloc(10)),
  ]);
  const noise = randomBytes(Math.max(0, bytes - head.length - 2)).map((byte) => (byte === 0xff ? 0 : byte));
  return Buffer.concat([head, noise, Buffer.from([0xff, 0xd9])]);
}

/** What an announcement says of a picture. */
export const told = (
  picture: Buffer,
  {
    width = 1_600,
    height = 1_200,
    type = 'image/jpeg',
  }: { width?: number; height?: number; type?: string } = {},
) => ({
  sha256: createHash('sha256').update(picture).digest('hex'),
  bytes: picture.length,
  width,
  height,
  type,
});
