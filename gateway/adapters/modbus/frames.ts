import type { RegisterRead } from '#features/equipment/probes/ports.ts';

// Modbus TCP: transaction, protocol 0, length, unit, then as on the line without CRC (Messaging on TCP/IP 1.0b, 3.1.3).

const HEAD = 7;

export function tcpRequest(read: RegisterRead, transaction: number): Uint8Array {
  const body = readRequest(read);
  const length = body.length + 1;
  return Uint8Array.of(transaction >> 8, transaction & 0xff, 0, 0, 0, length, read.unitId, ...body);
}

/** Finds the answer of that transaction; answers that come too late, of earlier ones, are passed over. */
export function tcpAnswer(bytes: Uint8Array, read: RegisterRead, transaction: number): FrameRead {
  let at = 0;
  while (at + HEAD + 2 <= bytes.length) {
    const head = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
    const length = head.getUint16(4);
    // not Modbus at all, or out of step: nothing that follows can be read
    if (head.getUint16(2) !== 0 || length < 3 || length > 254) return { is: 'part' };
    const end = at + 6 + length;
    if (end > bytes.length) return { is: 'part' };
    if (head.getUint16(0) === transaction && head.getUint8(6) === read.unitId) {
      const body = bytes.subarray(at + HEAD, end);
      if (body[0] === (read.functionCode | 0x80)) return { is: 'exception', exception: body[1] ?? 0 };
      const isWhole = body[0] === read.functionCode && body[1] === read.count * 2;
      if (isWhole && body.length === read.count * 2 + 2)
        return { is: 'words', words: wordsOf(body.subarray(2)) };
    }
    at = end;
  }
  return { is: 'part' };
}

// Modbus RTU: unit, function, data, CRC-16 with the low byte first (Modbus over Serial Line 1.02, 2.5.1).

export type FrameRead =
  | { is: 'words'; words: number[] }
  | { is: 'exception'; exception: number }
  /** More bytes have to come. */
  | { is: 'part' };

export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xa001;
  }
  return crc;
}

/** The request of a read, without address of the line and CRC: the same in both framings. */
function readRequest({ functionCode, address, count }: RegisterRead): Uint8Array {
  return Uint8Array.of(functionCode, address >> 8, address & 0xff, count >> 8, count & 0xff);
}

export function rtuRequest(read: RegisterRead): Uint8Array {
  const body = Uint8Array.of(read.unitId, ...readRequest(read));
  const crc = crc16(body);
  return Uint8Array.of(...body, crc & 0xff, crc >> 8);
}

/**
 * Finds the answer in what came so far. It may stand behind other bytes: RS-485 adapters echo what they send, and a line
 * driver that switches on shows as a stray byte. Only a frame of that unit, function and length with a right CRC counts.
 */
export function rtuAnswer(bytes: Uint8Array, read: RegisterRead): FrameRead {
  for (let at = 0; at + 5 <= bytes.length; at += 1) {
    if (bytes[at] !== read.unitId) continue;
    const found = frameAt(bytes.subarray(at), read);
    if (found !== null) return found;
  }
  return { is: 'part' };
}

function frameAt(bytes: Uint8Array, read: RegisterRead): Exclude<FrameRead, { is: 'part' }> | null {
  if (bytes[1] === (read.functionCode | 0x80)) {
    return hasRightCrc(bytes.subarray(0, 5)) ? { is: 'exception', exception: bytes[2] ?? 0 } : null;
  }
  const length = 5 + read.count * 2;
  if (bytes[1] !== read.functionCode || bytes[2] !== read.count * 2 || bytes.length < length) return null;
  const frame = bytes.subarray(0, length);
  return hasRightCrc(frame) ? { is: 'words', words: wordsOf(frame.subarray(3, length - 2)) } : null;
}

function hasRightCrc(frame: Uint8Array): boolean {
  const end = frame.length - 2;
  return crc16(frame.subarray(0, end)) === ((frame[end] ?? 0) | ((frame[end + 1] ?? 0) << 8));
}

/** Registers, most significant byte first. */
function wordsOf(bytes: Uint8Array): number[] {
  const words: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) words.push(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  return words;
}
