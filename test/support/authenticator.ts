import { createHmac } from 'node:crypto';

// An authenticator app, written from RFC 4226 and RFC 6238 alone: what it shows must count in the program.

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/** The six digits for a secret as a person types it, at a time in ms. */
export function codeAt(secret: string, at: number): string {
  return hotp(bytesOf(secret), Math.floor(at / STEP_MS));
}

export function hotp(key: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(message).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

function bytesOf(secret: string): Uint8Array {
  const bits = Array.from(secret.replace(/[\s=]/g, ''), (letter) =>
    BASE32.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
