/** What the first bytes of a picture say of it. */
export type ImageHeader = {
  type: 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  /** It carries notes of the camera beside the picture: where it stood, whose it is. */
  hasNotes: boolean;
};

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length));

/**
 * Reads what kind of picture it is, and how large; null: neither a JPEG nor a WebP, or one that is damaged, or more than one
 * picture: a file that is something else as well.
 */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegHeader(bytes, view);
    if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return webpHeader(bytes, view);
  } catch (error) {
    // a length that leads behind the end
    if (error instanceof RangeError) return null;
    throw error;
  }
  return null;
}

type Size = { width: number; height: number };

const isSame = (one: Size | null, other: Size): boolean =>
  one === null || (one.width === other.width && one.height === other.height);

/** Start of frame: the sizes of the picture. Of C4, C8 and CC the names only look alike. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const [START, END, SCAN, COMMENT] = [0xd8, 0xd9, 0xda, 0xfe];

/** Cameras and programs write what they like into segments of their own; a picture needs its form and its colours alone. */
function isNote(marker: number, bytes: Uint8Array, at: number): boolean {
  if (marker === COMMENT) return true;
  if (marker < 0xe1 || marker > 0xef) return false;
  if (marker === 0xe2) return ascii(bytes, at, 12) !== 'ICC_PROFILE\0';
  return marker !== 0xee || ascii(bytes, at, 5) !== 'Adobe';
}

/** Every segment to the end: what phones hang behind the picture (a film, a second picture) tells as much as their notes. */
function jpegHeader(bytes: Uint8Array, view: DataView): ImageHeader | null {
  let size: Size | null = null;
  let hasNotes = false;
  let pictures = 0;
  for (let at = 0; at < bytes.length; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // any number of them may stand before a marker
    at += marker === 0xff ? 1 : 2;
    if (marker === START) pictures += 1;
    if (marker === 0xff || marker === START || marker === END) continue;
    const length = view.getUint16(at);
    if (length < 2) return null;
    if (isFrame(marker)) {
      const found = { height: view.getUint16(at + 3), width: view.getUint16(at + 5) };
      if (pictures === 1 && !isSame(size, found)) return null;
      size ??= found;
    }
    hasNotes ||= isNote(marker, bytes, at + 2);
    at += length;
    if (marker === SCAN) at = endOfScan(bytes, at);
  }
  if (size === null || size.width === 0 || size.height === 0) return null;
  if (view.getUint16(bytes.length - 2) !== 0xff00 + END || (pictures > 1 && !hasNotes)) return null;
  return { type: 'image/jpeg', ...size, hasNotes };
}

/** Where the next segment begins: within a scan FF is followed by 0, or by the count of a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new RangeError('the scan has no end');
}

/** What a still picture is made of; what else there is may tell anything. */
const CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ICCP', 'ALPH']);

function webpHeader(bytes: Uint8Array, view: DataView): ImageHeader | null {
  let size: Size | null = null;
  let hasNotes = false;
  let pictures = 0;
  let at = 12;
  while (at < bytes.length) {
    const chunk = ascii(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    const found = webpSize(view, chunk, at + 8);
    // the canvas and what is painted on it
    if (found !== null && !isSame(size, found)) return null;
    size ??= found;
    if (found !== null && chunk !== 'VP8X') pictures += 1;
    hasNotes ||= !CHUNKS.has(chunk);
    at += 8 + length + (length % 2);
  }
  if (size === null || size.width === 0 || size.height === 0 || pictures !== 1) return null;
  // cut short, or with something behind it
  if (at !== bytes.length || view.getUint32(4, true) + 8 !== bytes.length) return null;
  return { type: 'image/webp', ...size, hasNotes };
}

function webpSize(view: DataView, chunk: string, at: number): Size | null {
  switch (chunk) {
    case 'VP8 ':
      return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(at + 1, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': {
      const of = (from: number) => view.getUint16(from, true) + view.getUint8(from + 2) * 65_536 + 1;
      return { width: of(at + 4), height: of(at + 7) };
    }
    default:
      return null;
  }
}
