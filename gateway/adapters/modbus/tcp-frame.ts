import type { RegisterRead } from '#features/equipment/probes/ports.ts';
import { type FrameRead, readRequest, wordsOf } from './rtu-frame.ts';

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
