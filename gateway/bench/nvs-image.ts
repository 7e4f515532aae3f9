import { crc32 } from 'node:zlib';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Identity } from './identity.ts';
import { BenchTrouble } from './trouble.ts';

/** Where the identity partition lies on every board of ours, and how long it is: six pages. */
export const NVS_OFFSET = 0x9000;
export const NVS_SIZE = 0x6000;
export const NVS_NAMESPACE = 'sf';

const PAGE = 4_096;
const ENTRY = 32;
/** After the head of a page and its bitmap. */
const FIRST_ENTRY = 64;
const ENTRIES = 126;
const ACTIVE = 0xffff_fffe;
const VERSION_2 = 0xfe;
const OUR_NAMESPACE_INDEX = 1;
const TYPE = { u8: 0x01, u16: 0x02, string: 0x21 } as const;

/** What the board already has and keeps over a new identity: its Wi-Fi, and the claim code of its label. */
export type Kept = { ssid?: string; wifi_key?: string; claim?: string };

/**
 * The whole identity partition with what a board has to know, as ESP-IDF's non-volatile storage reads it: one page in
 * use, the others blank for its own writing. Throws BenchTrouble IDENTITY_REFUSED when it does not fit.
 */
export function identityImage(identity: Identity, kept: Kept): Buffer {
  const { gw_http, gw_mqtt, gw_mqtts, ...texts } = identity;
  const entries = [
    numberEntry(0, TYPE.u8, NVS_NAMESPACE, OUR_NAMESPACE_INDEX),
    ...Object.entries({ ...kept, ...texts, claim: identity.claim ?? kept.claim }).flatMap(([key, text]) =>
      text == null ? [] : textEntries(OUR_NAMESPACE_INDEX, key, text),
    ),
    ...Object.entries({ gw_http, gw_mqtt, gw_mqtts }).map(([key, value]) =>
      numberEntry(OUR_NAMESPACE_INDEX, TYPE.u16, key, value),
    ),
  ];
  if (entries.length > ENTRIES)
    throw refused(
      inEach(
        'a identidade não cabe numa página da placa',
        'the identity is too long for one page of the board',
        'la identidad no cabe en una página de la placa',
      ),
    );
  const image = Buffer.alloc(NVS_SIZE, 0xff);
  writeHead(image);
  entries.forEach((entry, index) => {
    image.set(entry, FIRST_ENTRY + index * ENTRY);
    markWritten(image, index);
  });
  return image;
}

function writeHead(page: Buffer): void {
  page.writeUInt32LE(ACTIVE, 0);
  page.writeUInt32LE(0, 4);
  page.writeUInt8(VERSION_2, 8);
  page.writeUInt32LE(espCrc(page.subarray(4, 28)), 28);
}

/** Two bits an entry, the lowest first: 11 is empty, 10 is written. */
function markWritten(page: Buffer, index: number): void {
  const at = 32 + (index >> 2);
  page.writeUInt8(page.readUInt8(at) & ~(1 << ((index & 3) * 2)), at);
}

function numberEntry(namespace: number, type: 0x01 | 0x02, key: string, value: number): Buffer {
  const entry = blankEntry(namespace, { type, span: 1, key });
  if (type === TYPE.u8) entry.writeUInt8(value, 24);
  else entry.writeUInt16LE(value, 24);
  return sealed(entry);
}

/** The entry that tells of a text, and the entries its bytes fill, a NUL at the end. */
function textEntries(namespace: number, key: string, text: string): Buffer[] {
  if (text.includes('\0'))
    throw refused(
      inEach(
        `${key} tem um caractere que não pode ser guardado`,
        `${key} holds a character that cannot be stored`,
        `${key} tiene un carácter que no se puede guardar`,
      ),
    );
  const bytes = Buffer.from(`${text}\0`, 'utf8');
  const count = Math.ceil(bytes.length / ENTRY);
  const data = Buffer.alloc(count * ENTRY, 0xff);
  data.set(bytes);
  const head = blankEntry(namespace, { type: TYPE.string, span: count + 1, key });
  head.writeUInt16LE(bytes.length, 24);
  head.writeUInt32LE(espCrc(bytes), 28);
  return [
    sealed(head),
    ...Array.from({ length: count }, (_, i) => data.subarray(i * ENTRY, (i + 1) * ENTRY)),
  ];
}

function blankEntry(
  namespace: number,
  { type, span, key }: { type: number; span: number; key: string },
): Buffer {
  const entry = Buffer.alloc(ENTRY, 0xff);
  entry.writeUInt8(namespace, 0);
  entry.writeUInt8(type, 1);
  // a text of 126 entries never passes, so this fits a byte
  entry.writeUInt8(Math.min(span, 0xff), 2);
  entry.fill(0, 8, 24);
  entry.write(key, 8, 15, 'latin1');
  return entry;
}

function sealed(entry: Buffer): Buffer {
  entry.writeUInt32LE(espCrc(Buffer.concat([entry.subarray(0, 4), entry.subarray(8)])), 4);
  return entry;
}

/** The CRC-32 of the ESP ROM, which begins with all ones already in the register. */
export function espCrc(bytes: Uint8Array): number {
  return crc32(bytes, 0xffff_ffff);
}

function refused(message: InEach): BenchTrouble {
  const next = inEach(
    'corrija a identidade e comece de novo',
    'correct the identity and start again',
    'corrija la identidad y comience de nuevo',
  );
  return new BenchTrouble('IDENTITY_REFUSED', { message, next });
}

/**
 * What an identity partition holds in our namespace: texts and numbers by key; null where there is none. Pages and
 * entries with a wrong CRC are passed over as the board itself does; never throws.
 */
export function readNvs(image: Buffer): Map<string, string | number> | null {
  const pages: Buffer[] = [];
  for (let at = 0; at + PAGE <= image.length; at += PAGE) pages.push(image.subarray(at, at + PAGE));
  const used = pages
    .filter((page) => page.readUInt32LE(28) === espCrc(page.subarray(4, 28)))
    .toSorted((a, b) => a.readUInt32LE(4) - b.readUInt32LE(4));
  const entries = used.flatMap(entriesOf);
  const ours = entries.findLast(({ namespace, key }) => namespace === 0 && key === NVS_NAMESPACE)?.value;
  if (typeof ours !== 'number') return null;
  const values = entries.filter(({ namespace }) => namespace === ours);
  return new Map(values.map(({ key, value }) => [key, value]));
}

type Entry = { namespace: number; key: string; value: string | number };

function entriesOf(page: Buffer): Entry[] {
  const found: Entry[] = [];
  for (let index = 0; index < ENTRIES; ) {
    const isWritten = ((page.readUInt8(32 + (index >> 2)) >> ((index & 3) * 2)) & 3) === 2;
    const at = FIRST_ENTRY + index * ENTRY;
    const head = page.subarray(at, at + ENTRY);
    const span = head.readUInt8(2);
    const isWhole = head.readUInt32LE(4) === espCrc(Buffer.concat([head.subarray(0, 4), head.subarray(8)]));
    if (!isWritten || !isWhole || span === 0 || index + span > ENTRIES) {
      index += 1;
      continue;
    }
    const value = valueOf(head, page.subarray(at + ENTRY, at + span * ENTRY));
    const key = head.subarray(8, 24).toString('latin1').replace(/\0.*$/s, '');
    if (value !== null) found.push({ namespace: head.readUInt8(0), key, value });
    index += span;
  }
  return found;
}

function valueOf(head: Buffer, data: Buffer): string | number | null {
  switch (head.readUInt8(1)) {
    case TYPE.u8:
      return head.readUInt8(24);
    case TYPE.u16:
      return head.readUInt16LE(24);
    case TYPE.string: {
      const bytes = data.subarray(0, head.readUInt16LE(24));
      if (bytes.length === 0 || espCrc(bytes) !== head.readUInt32LE(28)) return null;
      return bytes.subarray(0, -1).toString('utf8');
    }
    default:
      return null;
  }
}
