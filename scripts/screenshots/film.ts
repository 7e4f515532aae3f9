import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { callHttp } from '#sim/fetch-firmware.ts';

export type Scene = { base: string; token: string; pond: { id: string; cod: string }; pointId: string };

/** A night in five pictures: all calm, an alarm, somebody answers it, starts the motor, and the motor says that it runs. */
export async function film(pages: Pages, { base, token, pond, pointId }: Scene): Promise<Buffer> {
  const ask = async (path: string, body?: unknown) => {
    const asked = body === undefined ? {} : { body };
    const answer = await callHttp(base, `/api/v1${path}`, { method: 'POST', bearer: token, ...asked });
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}`);
  };
  const page = await pages.open(`/viveiros/${pond.cod}`, { size: 'phone', theme: 'dark', language: 'en' });
  const frames: Frame[] = [];
  const take = async (forMs: number) => {
    frames.push({ picture: await pictureOf(page), forMs });
  };
  await take(1_500);
  await ask('/water-quality/', { pond_id: pond.id, dissolved_oxygen: 2.8, temperature: 29.4 });
  await page.waitForSelector('.alarm-strip.p1');
  await settled(page);
  await take(2_200);
  await page.locator('.alarm-strip button').click();
  await page.waitForSelector('.alarm-strip.p1', { state: 'detached' });
  await settled(page);
  await take(1_500);
  const state = 'main [data-state]';
  await page.locator(`[data-control="${pointId}"] button`).click();
  // a controller that is quick may have confirmed already
  await page.waitForSelector(`${state}[data-state="turning-on"]`, { timeout: 2_000 }).catch(() => undefined);
  await take(1_200);
  await page.waitForSelector(`${state}[data-state="on"]`);
  await page.waitForTimeout(300);
  await take(3_000);
  return writeFilm(frames);
}

const pictureOf = async (page: Page) => readPng(await page.screenshot({ type: 'png' }));

export type Look = {
  size: 'pc' | 'phone';
  theme: 'light' | 'dark';
  language: 'en' | 'pt-BR' | 'es';
};
export type Pages = { open: (path: string, look: Look) => Promise<Page>; close: () => Promise<void> };

const SIZES = {
  pc: { width: 1366, height: 768 },
  phone: { width: 360, height: 740 },
} as const;

/** Pages of the console of a gateway, signed in with this token. */
export function pagesOf(browser: Browser, { base, token }: { base: string; token: string }): Pages {
  const contexts = new Set<BrowserContext>();
  const session = JSON.stringify({ token, expiresAt: Date.now() + 86_400_000, remembered: true });
  return {
    async open(path, { size, theme, language }) {
      const isPhone = size === 'phone';
      const context = await browser.newContext({
        viewport: SIZES[size],
        deviceScaleFactor: isPhone ? 1.5 : 1,
        colorScheme: theme,
        locale: language,
        hasTouch: isPhone,
        isMobile: isPhone,
        reducedMotion: 'reduce',
      });
      contexts.add(context);
      await context.addInitScript((kept) => localStorage.setItem('session', kept), session);
      const page = await context.newPage();
      await page.goto(`${base}${path}`);
      await settled(page);
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
    },
  };
}

/** Nothing is loading any more, and what is drawn late is drawn. */
async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.waitForSelector('.shell[data-link="live"]');
  await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
  await page.waitForTimeout(400);
}

/** At most so many colours, and which of them stands for each that was there. */
type Colours = { palette: number[]; indexOf: ReadonlyMap<number, number> };

type Counted = { colour: number; count: number };

const SHIFTS = [16, 8, 0] as const;

const channel = (colour: number, shift: number) => (colour >> shift) & 255;

/** How far colours lie apart counts more than how often they are there: a small red mark must stay red. */
const weightOf = (box: readonly Counted[]): number =>
  spreadOf(box).range * Math.log2(1 + box.reduce((sum, { count }) => sum + count, 0));

// Pictures of screens have few colours: with a palette they are a third as large. One file may hold a short film (APNG).

type Picture = {
  width: number;
  height: number;
  /** A pixel each, 0xRRGGBB. */
  pixels: Uint32Array;
};
/** A picture of a film, and for how long it is shown. */
type Frame = { picture: Picture; forMs: number };
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
function writeFilm(frames: readonly Frame[]): Buffer {
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
