// Improv Wi-Fi over a serial line, version 1: `IMPROV` 01 type length data checksum, and often a line break behind it.

const HEADER = new TextEncoder().encode('IMPROV\u0001');
const MOST_DATA = 255;

export const IMPROV_TYPE = { state: 1, error: 2, command: 3, result: 4 } as const;
export const IMPROV_COMMAND = { wifi: 1, state: 2, info: 3, scan: 4 } as const;
export const IMPROV_STATE = { ready: 2, provisioning: 3, provisioned: 4 } as const;
export const IMPROV_ERROR = { none: 0, invalid: 1, unknown: 2, unableToConnect: 3 } as const;

export type ImprovFrame = { type: number; data: Uint8Array };
/** Texts a device answers to one command; none ends a list. */
export type ImprovResult = { command: number; texts: string[] };

/** What stands at a place of the stream. `partial`: it may become a frame when more bytes come. */
export type Found<Frame> = { is: 'frame'; frame: Frame; end: number } | { is: 'partial' } | { is: 'none' };

export function improvFrame(type: number, data: Uint8Array): Uint8Array {
  if (data.length > MOST_DATA) throw new RangeError(`an Improv frame carries ${MOST_DATA} bytes at most`);
  const body = Uint8Array.of(...HEADER, type, data.length, ...data);
  return Uint8Array.of(...body, checksumOf(body), 0x0a);
}

/** A command with its texts, each with its length before it. */
export function improvCommand(command: number, texts: readonly string[] = []): Uint8Array {
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  const payload = encoded.flatMap((bytes) => [bytes.length, ...bytes]);
  return improvFrame(IMPROV_TYPE.command, Uint8Array.of(command, payload.length, ...payload));
}

export function findImprovFrame(bytes: Uint8Array, at: number): Found<ImprovFrame> {
  const header = startsWith(bytes, at, HEADER);
  if (header !== 'whole') return { is: header };
  const length = bytes[at + HEADER.length + 1];
  const end = at + HEADER.length + 2 + (length ?? 0) + 1;
  if (length === undefined || bytes.length < end) return { is: 'partial' };
  const body = bytes.subarray(at, end - 1);
  if (bytes[end - 1] !== checksumOf(body)) return { is: 'none' };
  const type = bytes[at + HEADER.length] ?? 0;
  return { is: 'frame', frame: { type, data: Uint8Array.from(body.subarray(HEADER.length + 2)) }, end };
}

/** Null for a frame that is no result, or one whose lengths do not fit. */
export function readImprovResult({ type, data }: ImprovFrame): ImprovResult | null {
  const [command, length] = data;
  if (type !== IMPROV_TYPE.result || command === undefined || length !== data.length - 2) return null;
  const texts: string[] = [];
  for (let at = 2; at < data.length; ) {
    const end = at + 1 + (data[at] ?? 0);
    if (end > data.length) return null;
    texts.push(new TextDecoder().decode(data.subarray(at + 1, end)));
    at = end;
  }
  return { command, texts };
}

/** Whether `wanted` stands at `at`, might with more bytes, or does not. */
export function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): 'whole' | 'partial' | 'none' {
  for (let i = 0; i < wanted.length; i += 1) {
    if (at + i >= bytes.length) return 'partial';
    if (bytes[at + i] !== wanted[i]) return 'none';
  }
  return 'whole';
}

/** Sum of all bytes, modulo 256. */
export function checksumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum & 0xff;
}
