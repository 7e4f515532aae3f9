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

/** Reads what kind of picture it is, and how large; null: neither a JPEG nor a WebP, or one that is damaged. */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegHeader(view);
    if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return webpHeader(bytes, view);
  } catch (error) {
    // a length that leads behind the end
    if (error instanceof RangeError) return null;
    throw error;
  }
  return null;
}

/** Start of frame: the sizes of the picture. Of C4, C8 and CC the names only look alike. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
/** Segments in which cameras and programs write notes: Exif and XMP (APP1), IPTC (APP13), a comment. */
const NOTES: ReadonlySet<number> = new Set([0xe1, 0xed, 0xfe]);
const SCAN = 0xda;

function jpegHeader(view: DataView): ImageHeader | null {
  let size: { width: number; height: number } | null = null;
  let hasNotes = false;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // any number of them may stand before a marker
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (length < 2) return null;
    if (isFrame(marker)) size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    hasNotes ||= NOTES.has(marker);
    if (marker === SCAN) break;
    at += 2 + length;
  }
  if (size === null || size.width === 0 || size.height === 0) return null;
  // what phones hang behind the picture (a film, a second picture) tells as much
  if (view.getUint16(view.byteLength - 2) !== END) return null;
  return { type: 'image/jpeg', ...size, hasNotes: hasNotes || hasNotesBehind(view) };
}

const END = 0xffd9;
/** How Exif and XMP begin. */
const BEGINNINGS: ReadonlySet<number> = new Set([0x45786966, 0x68747470]);

/** A picture within the file, behind the first scan, may carry notes of its own; within a scan no FF is followed by E1. */
function hasNotesBehind(view: DataView): boolean {
  for (let at = 2; at + 8 <= view.byteLength; at += 1) {
    if (view.getUint8(at) !== 0xff || view.getUint8(at + 1) !== 0xe1) continue;
    if (BEGINNINGS.has(view.getUint32(at + 4))) return true;
  }
  return false;
}

const NOTES_OF_WEBP: ReadonlySet<string> = new Set(['EXIF', 'XMP ']);

function webpHeader(bytes: Uint8Array, view: DataView): ImageHeader | null {
  let size: { width: number; height: number } | null = null;
  let hasNotes = false;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const chunk = ascii(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    size ??= webpSize(view, chunk, at + 8);
    hasNotes ||= NOTES_OF_WEBP.has(chunk);
    at += 8 + length + (length % 2);
  }
  if (size === null || size.width === 0 || size.height === 0) return null;
  return { type: 'image/webp', ...size, hasNotes };
}

function webpSize(view: DataView, chunk: string, at: number): { width: number; height: number } | null {
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
