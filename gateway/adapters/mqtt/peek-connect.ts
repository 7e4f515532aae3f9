/** What a CONNECT says of who comes. */
export type WhoComes = {
  clientId: string;
  /** null: it names none. */
  username: string | null;
  /** What is to be told of it when it goes; nearly every device leaves one. */
  will: { topic: string; payload: Buffer; retain: boolean } | null;
};

const CONNECT_HEAD = 0x10;
const PROTOCOL = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54]); // "MQTT"
const LEVEL_311 = 4;
/** A CONNECT with the longest names, key and will of the protocol is a third of it. */
const MOST_BYTES = 2_048;

// Flags of a CONNECT.
const HAS_USERNAME = 0x80;
const HAS_PASSWORD = 0x40;
const WILL_RETAIN = 0x20;
const WILL_QOS = 0x18;
const HAS_WILL = 0x04;
const RESERVED = 0x01;

/**
 * Reads client id, will and user name of a CONNECT of MQTT 3.1.1 (OASIS, section 3.1) that is whole, alone and right.
 * Null for anything else, which the broker's own parser judges.
 */
export function peekConnect(bytes: Buffer): WhoComes | null {
  const bodyAt = bodyOf(bytes);
  if (bodyAt === null) return null;
  const levelAt = bodyAt + PROTOCOL.length;
  // level, flags and two bytes of keep-alive
  if (bytes.length < levelAt + 4 || bytes.compare(PROTOCOL, 0, PROTOCOL.length, bodyAt, levelAt) !== 0)
    return null;
  const flags = bytes[levelAt + 1] ?? RESERVED;
  if (bytes[levelAt] !== LEVEL_311 || !areRight(flags)) return null;
  let at = levelAt + 4;
  const take = (flag: number): Buffer | null => {
    if (flag !== 0 && (flags & flag) === 0) return null;
    const end = at + 2 + (at + 2 <= bytes.length ? bytes.readUInt16BE(at) : bytes.length);
    const field = bytes.subarray(at + 2, end);
    // beyond the last byte it is not `bytes.length` any more
    at = end;
    return field;
  };
  const clientId = take(0);
  const [topic, payload, username] = [take(HAS_WILL), take(HAS_WILL), take(HAS_USERNAME)];
  take(HAS_PASSWORD);
  if (at !== bytes.length || clientId === null || clientId.length === 0) return null;
  return {
    clientId: clientId.toString(),
    username: username?.toString() ?? null,
    will:
      topic === null || payload === null
        ? null
        : { topic: topic.toString(), payload, retain: (flags & WILL_RETAIN) !== 0 },
  };
}

/** Where the body of a whole CONNECT begins; null: it is none, or not all there, or more than it. */
function bodyOf(bytes: Buffer): number | null {
  if (bytes[0] !== CONNECT_HEAD || bytes.length > MOST_BYTES) return null;
  const [low = 0x80, high = 0x80] = [bytes[1], bytes[2]];
  const isShort = low < 0x80;
  // two bytes of length are enough for as much as is looked at
  if (!isShort && high >= 0x80) return null;
  const bodyAt = isShort ? 2 : 3;
  const length = isShort ? low : (low & 0x7f) + high * 128;
  return bytes.length === bodyAt + length ? bodyAt : null;
}

function areRight(flags: number): boolean {
  const hasWill = (flags & HAS_WILL) !== 0;
  const isWillRight = hasWill ? (flags & WILL_QOS) !== WILL_QOS : (flags & (WILL_QOS | WILL_RETAIN)) === 0;
  const hasOnlyPassword = (flags & (HAS_USERNAME | HAS_PASSWORD)) === HAS_PASSWORD;
  return (flags & RESERVED) === 0 && isWillRight && !hasOnlyPassword;
}
