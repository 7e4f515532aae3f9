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

/** A WebP by its chunks: a canvas of 1,600 × 1,200, what is painted on it, and what else one wants in it. */
export function aWebp({
  paints = { width: 1_600, height: 1_200 },
  more,
}: {
  paints?: { width: number; height: number };
  more?: readonly [name: string, text: string];
} = {}): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
  };
  const canvas = Buffer.alloc(10);
  canvas.writeUIntLE(1_600 - 1, 4, 3);
  canvas.writeUIntLE(1_200 - 1, 7, 3);
  const painted = Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 1, 0x2a]), Buffer.alloc(4), randomBytes(200)]);
  painted.writeUInt16LE(paints.width, 6);
  painted.writeUInt16LE(paints.height, 8);
  const chunks = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', canvas),
    chunk('VP8 ', painted),
    ...(more === undefined ? [] : [chunk(more[0], Buffer.from(more[1]))]),
  ]);
  return chunk('RIFF', chunks);
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
