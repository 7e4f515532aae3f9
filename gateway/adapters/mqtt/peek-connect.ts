/** What a CONNECT says of who comes. */
export type WhoComes = { clientId: string; username: string };

const CONNECT_HEAD = 0x10;
const PROTOCOL = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54]); // "MQTT"
const LEVEL_311 = 4;
const HAS_USERNAME = 0x80;
const HAS_WILL = 0x04;
const RESERVED = 0x01;

/**
 * Reads client id and user name of a plain CONNECT of MQTT 3.1.1 (OASIS, section 3.1): whole, alone, short, with a user
 * name and without a will. Null for anything else, which the broker's own parser judges.
 */
export function peekConnect(bytes: Buffer): WhoComes | null {
  // one byte of length is enough for names, and keeps this simple
  if (bytes[0] !== CONNECT_HEAD || (bytes[1] ?? 0x80) >= 0x80 || bytes.length !== 2 + (bytes[1] ?? 0))
    return null;
  const flagsAt = 2 + PROTOCOL.length + 1;
  if (bytes.length < flagsAt + 3 || bytes.compare(PROTOCOL, 0, PROTOCOL.length, 2, 2 + PROTOCOL.length) !== 0)
    return null;
  const flags = bytes[flagsAt] ?? 0;
  const isPlain = (flags & HAS_USERNAME) !== 0 && (flags & (HAS_WILL | RESERVED)) === 0;
  if (bytes[flagsAt - 1] !== LEVEL_311 || !isPlain) return null;
  const clientId = textAt(bytes, flagsAt + 3);
  const username = clientId === null ? null : textAt(bytes, clientId.end);
  return clientId === null || username === null ? null : { clientId: clientId.text, username: username.text };
}

function textAt(bytes: Buffer, at: number): { text: string; end: number } | null {
  if (bytes.length < at + 2) return null;
  const end = at + 2 + bytes.readUInt16BE(at);
  return end > bytes.length ? null : { text: bytes.toString('utf8', at + 2, end), end };
}
