import { checksumOf, type Found, startsWith } from './improv-frames.ts';

// Identity over the console of a board: `SFPROV` 01 type, length (2 bytes, big-endian), JSON, checksum, line break.
// It stands beside Improv, which knows Wi-Fi only. docs/device-protocol.md says what the commands carry.

const HEADER = new TextEncoder().encode('SFPROV\u0001');
const MOST_BYTES = 1_024;

export const SFPROV_TYPE = { command: 1, answer: 2 } as const;

export type SfprovFrame = { type: number; body: unknown };

export function sfprovFrame(type: number, body: unknown): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(body));
  if (json.length > MOST_BYTES) throw new RangeError(`a frame carries ${MOST_BYTES} bytes of JSON at most`);
  const frame = Uint8Array.of(...HEADER, type, json.length >> 8, json.length & 0xff, ...json);
  return Uint8Array.of(...frame, checksumOf(frame), 0x0a);
}

/** Frames whose JSON cannot be read are none. */
export function findSfprovFrame(bytes: Uint8Array, at: number): Found<SfprovFrame> {
  const header = startsWith(bytes, at, HEADER);
  if (header !== 'whole') return { is: header };
  const lengthAt = at + HEADER.length + 1;
  const high = bytes[lengthAt];
  const low = bytes[lengthAt + 1];
  if (high === undefined || low === undefined) {
    return { is: high !== undefined && high > MOST_BYTES >> 8 ? 'none' : 'partial' };
  }
  const length = (high << 8) | low;
  if (length > MOST_BYTES) return { is: 'none' };
  const end = lengthAt + 2 + length + 1;
  if (bytes.length < end) return { is: 'partial' };
  if (bytes[end - 1] !== checksumOf(bytes.subarray(at, end - 1))) return { is: 'none' };
  const body = parsed(bytes.subarray(lengthAt + 2, end - 1));
  if (body === undefined) return { is: 'none' };
  return { is: 'frame', frame: { type: bytes[lengthAt - 1] ?? 0, body }, end };
}

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}
