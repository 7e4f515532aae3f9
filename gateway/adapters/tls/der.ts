import { isIPv4, isIPv6 } from 'node:net';

// As much of DER (ITU-T X.690) as a certificate needs. Each function answers one whole element: tag, length, content.

const element = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits: number[] = [];
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

export const sequence = (...items: Uint8Array[]): Buffer => element(0x30, Buffer.concat(items));
export const setOf = (item: Uint8Array): Buffer => element(0x31, item);
export const octets = (bytes: Uint8Array): Buffer => element(0x04, bytes);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const yes = (): Buffer => element(0x01, Buffer.from([0xff]));

/** `[n] { … }`, explicit. */
export const tagged = (n: number, ...items: Uint8Array[]): Buffer => element(0xa0 | n, Buffer.concat(items));

/** `[n]` in place of the tag of a plain value. */
export const marked = (n: number, bytes: Uint8Array): Buffer => element(0x80 | n, bytes);

/** Not negative, from its big-endian bytes; without needless zeros, and one where the sign would be taken for a minus. */
export function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(from));
  const [first = 0] = digits;
  return element(0x02, first < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits]));
}

export const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.concat([Buffer.from([unused]), bytes]));

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | (rest % 128));
  }
  return digits;
}

/** A time of a certificate: two digits of the year until 2049, then four (RFC 5280, 4.1.2.5). */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  const isShort = new Date(ms).getUTCFullYear() < 2050;
  return element(isShort ? 0x17 : 0x18, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`));
}

/** The bytes of an IP address; null for what is none. */
export function addressBytes(address: string): Buffer | null {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address) || address.includes('%')) return null;
  const plain = address.replace(/\d+\.\d+\.\d+\.\d+$/, (four) => {
    const hex = Buffer.from(four.split('.').map(Number)).toString('hex');
    return `${hex.slice(0, 4)}:${hex.slice(4)}`;
  });
  const [head = '', tail] = plain.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]));
}
