import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** At most so many colours, and which of them stands for each that was there. */
type Colours = { palette: number[]; indexOf: ReadonlyMap<number, number> };

type Counted = { colour: number; count: number };

const SHIFTS = [16, 8, 0] as const;

const channel = (colour: number, shift: number) => (colour >> shift) & 255;

/** How far colours lie apart counts more than how often they are there: a small red mark must stay red. */
const weightOf = (box: readonly Counted[]): number =>
  spreadOf(box).range * Math.log2(1 + box.reduce((sum, { count }) => sum + count, 0));

// Pictures of screens have few colours: with a palette they are a third as large. One file may hold a short film (APNG).

export type Picture = {
  width: number;
  height: number;
  /** A pixel each, 0xRRGGBB. */
  pixels: Uint32Array;
};
/** A picture of a film, and for how long it is shown. */
export type Frame = { picture: Picture; forMs: number };
type Box = { left: number; top: number; width: number; height: number };

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

/** Reads what a browser writes: 8 bits a channel, not interlaced. */
export function readPng(file: Buffer): Picture {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = SIGNATURE.length; at < file.length; ) {
    const size = file.readUInt32BE(at);
    const data = file.subarray(at + 8, at + 8 + size);
    const kind = file.toString('latin1', at + 4, at + 8);
    if (kind === 'IHDR') {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = data[9] === 6 ? 4 : 3;
    } else if (kind === 'IDAT') parts.push(data);
    at += size + 12;
  }
  const lines = unfiltered(inflateSync(Buffer.concat(parts)), { stride: width * channels, height, channels });
  const pixels = new Uint32Array(width * height);
  for (let pixel = 0; pixel < pixels.length; pixel += 1) {
    pixels[pixel] = lines.readUIntBE(pixel * channels, 3);
  }
  return { width, height, pixels };
}

function unfiltered(
  raw: Buffer,
  { stride, height, channels }: { stride: number; height: number; channels: number },
): Buffer {
  const out = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)];
    for (let column = 0; column < stride; column += 1) {
      const to = row * stride + column;
      const left = column < channels ? 0 : (out[to - channels] ?? 0);
      const up = row === 0 ? 0 : (out[to - stride] ?? 0);
      const corner = row === 0 || column < channels ? 0 : (out[to - stride - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[to] = ((raw[row * (stride + 1) + 1 + column] ?? 0) + guess) & 255;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

export const writePng = (picture: Picture): Buffer => writeFilm([{ picture, forMs: 0 }]);

/** One picture is a plain file; of several the first is what programs show that know no films. */
export function writeFilm(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('a film has at least one picture');
  const { width, height } = first.picture;
  const colours = coloursOf(
    frames.map(({ picture }) => picture.pixels),
    MOST_COLOURS,
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, a palette
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(
    colours.palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(frames.length > 1 ? [chunk('acTL', numbers(frames.length, 0))] : []),
    chunk('PLTE', palette),
    ...chunksOf(frames, colours),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Every picture but the first holds only what changed. */
function chunksOf(frames: readonly Frame[], colours: Colours): Buffer[] {
  let sequence = 0;
  let before: Picture | null = null;
  const chunks: Buffer[] = [];
  for (const { picture, forMs } of frames) {
    const box = before === null ? whole(picture) : changed(before, picture);
    const data = deflateSync(indexed(picture, box, colours), { level: 9 });
    if (frames.length > 1) {
      const place = numbers(sequence, box.width, box.height, box.left, box.top);
      const times = Buffer.alloc(6);
      times.writeUInt16BE(forMs, 0);
      times.writeUInt16BE(1_000, 2);
      chunks.push(chunk('fcTL', Buffer.concat([place, times])));
      sequence += 1;
    }
    if (before === null) chunks.push(chunk('IDAT', data));
    else {
      chunks.push(chunk('fdAT', Buffer.concat([numbers(sequence), data])));
      sequence += 1;
    }
    before = picture;
  }
  return chunks;
}

const whole = ({ width, height }: Picture): Box => ({ left: 0, top: 0, width, height });

function changed(before: Picture, now: Picture): Box {
  let [left, top, right, bottom] = [now.width, now.height, 0, 0];
  for (const [at, pixel] of now.pixels.entries()) {
    if (pixel === before.pixels[at]) continue;
    const [column, row] = [at % now.width, Math.floor(at / now.width)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
  }
  // nothing changed: a single pixel keeps the time
  if (right < left) return { left: 0, top: 0, width: 1, height: 1 };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

function indexed({ width, pixels }: Picture, box: Box, { indexOf }: Colours): Buffer {
  const out = Buffer.alloc((box.width + 1) * box.height);
  for (let row = 0; row < box.height; row += 1) {
    for (let column = 0; column < box.width; column += 1) {
      const pixel = pixels[(box.top + row) * width + box.left + column] ?? 0;
      out[row * (box.width + 1) + 1 + column] = indexOf.get(pixel) ?? 0;
    }
  }
  return out;
}

function numbers(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) out.writeUInt32BE(value, at * 4);
  return out;
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

/** Median cut: the box of colours that spreads most is halved until there are enough of them. */
function coloursOf(pictures: readonly Uint32Array[], most: number): Colours {
  const counts = new Map<number, number>();
  for (const pixels of pictures) {
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  }
  let boxes = [[...counts].map(([colour, count]): Counted => ({ colour, count }))];
  while (boxes.length < most) {
    const widest = boxes.filter((box) => box.length > 1).toSorted((a, b) => weightOf(b) - weightOf(a))[0];
    if (widest === undefined) break;
    boxes = [...boxes.filter((box) => box !== widest), ...halved(widest)];
  }
  const palette = boxes.map(meanOf);
  return {
    palette,
    indexOf: new Map(boxes.flatMap((box, index) => box.map(({ colour }) => [colour, index] as const))),
  };
}

function spreadOf(box: readonly Counted[]): { shift: number; range: number } {
  return SHIFTS.map((shift) => {
    const values = box.map(({ colour }) => channel(colour, shift));
    return {
      shift,
      range: values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b)),
    };
  }).reduce((a, b) => (b.range > a.range ? b : a));
}

function halved(box: readonly Counted[]): Counted[][] {
  const { shift } = spreadOf(box);
  const sorted = box.toSorted((a, b) => channel(a.colour, shift) - channel(b.colour, shift));
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  let passed = 0;
  const middle = sorted.findIndex(({ count }) => {
    passed += count;
    return passed * 2 >= all;
  });
  const cut = Math.min(Math.max(1, middle), sorted.length - 1);
  return [sorted.slice(0, cut), sorted.slice(cut)];
}

/** The most frequent one where it rules: large areas keep exactly their colour. */
function meanOf(box: readonly Counted[]): number {
  const all = box.reduce((sum, { count }) => sum + count, 0);
  const first = box.reduce((a, b) => (b.count > a.count ? b : a));
  if (first.count * 2 >= all) return first.colour;
  return SHIFTS.reduce<number>((colour, shift) => {
    const mean = box.reduce((sum, { colour: one, count }) => sum + channel(one, shift) * count, 0) / all;
    return colour | (Math.round(mean) << shift);
  }, 0);
}
