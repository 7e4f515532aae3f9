import type { Duplex } from 'node:stream';
import { type FramingGuard, watchPackets } from '#core/mqtt-packets.ts';

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
const LEVEL_5 = 5;
/** A CONNECT with the longest names, key and will of the protocol is a third of it. */
const MOST_BYTES = 2_048;
/** Type and length of a packet at most. */
const HEAD_BYTES = 5;

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
  return bytes.length > MOST_BYTES ? null : readConnect(bytes, LEVEL_311);
}

/** The same of a CONNECT of MQTT 5, which is not spoken here (OASIS, section 3.1); its properties are passed over. */
export function peekVersion5(bytes: Buffer): WhoComes | null {
  return readConnect(bytes, LEVEL_5);
}

/** Whether these bytes begin a CONNECT of that length at most of which more is to come. */
export function isPartOfConnect(bytes: Buffer, mostBytes: number): boolean {
  if (bytes[0] !== CONNECT_HEAD) return false;
  const head = lengthAt(bytes, 1);
  if (head === null) return bytes.length < HEAD_BYTES;
  const whole = head.next + head.value;
  return whole <= mostBytes && bytes.length < whole;
}

function readConnect(bytes: Buffer, level: number): WhoComes | null {
  const bodyAt = bodyOf(bytes);
  if (bodyAt === null) return null;
  const levelAt = bodyAt + PROTOCOL.length;
  // level, flags and two bytes of keep-alive
  if (bytes.length < levelAt + 4 || bytes.compare(PROTOCOL, 0, PROTOCOL.length, bodyAt, levelAt) !== 0)
    return null;
  const flags = bytes[levelAt + 1] ?? RESERVED;
  if (bytes[levelAt] !== level || !areRight(flags, level)) return null;
  const at = { now: levelAt + 4 };
  const passProperties = () => {
    const length = level === LEVEL_5 ? lengthAt(bytes, at.now) : { value: 0, next: at.now };
    at.now = length === null ? bytes.length + 1 : length.next + length.value;
  };
  const take = (flag: number): Buffer | null => {
    if (flag !== 0 && (flags & flag) === 0) return null;
    const end = at.now + 2 + (at.now + 2 <= bytes.length ? bytes.readUInt16BE(at.now) : bytes.length);
    const field = bytes.subarray(at.now + 2, end);
    // beyond the last byte it is not `bytes.length` any more
    at.now = end;
    return field;
  };
  passProperties();
  const clientId = take(0);
  if ((flags & HAS_WILL) !== 0) passProperties();
  const [topic, payload, username] = [take(HAS_WILL), take(HAS_WILL), take(HAS_USERNAME)];
  take(HAS_PASSWORD);
  // a client of version 5 may leave its name to the broker
  if (at.now !== bytes.length || clientId === null || (clientId.length === 0 && level === LEVEL_311))
    return null;
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
  if (bytes[0] !== CONNECT_HEAD) return null;
  const head = lengthAt(bytes, 1);
  return head !== null && bytes.length === head.next + head.value ? head.next : null;
}

/** A number of one to four bytes (section 1.5.5 of version 5, 2.2.3 of 3.1.1); null: it is not all there, or too long. */
function lengthAt(bytes: Buffer, at: number): { value: number; next: number } | null {
  let value = 0;
  for (let n = 0; n < HEAD_BYTES - 1; n += 1) {
    const byte = bytes[at + n];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 128 ** n;
    if (byte < 0x80) return { value, next: at + n + 1 };
  }
  return null;
}

function areRight(flags: number, level: number): boolean {
  const hasWill = (flags & HAS_WILL) !== 0;
  const isWillRight = hasWill ? (flags & WILL_QOS) !== WILL_QOS : (flags & (WILL_QOS | WILL_RETAIN)) === 0;
  const hasOnlyPassword = level === LEVEL_311 && (flags & (HAS_USERNAME | HAS_PASSWORD)) === HAS_PASSWORD;
  return (flags & RESERVED) === 0 && isWillRight && !hasOnlyPassword;
}

/**
 * Watches the packets of a connection before the broker sees their bytes. Only heads are looked at and nothing is copied, so the
 * watch costs next to nothing. Call it before the broker is given the stream; a refused stream is destroyed.
 */
export function guardFraming(stream: Duplex, guard: FramingGuard): void {
  const accepts = watchPackets(guard);
  // aedes takes its bytes by read() alone: standing there needs no second stream and no copy.
  const read = stream.read.bind(stream);
  stream.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Buffer) || accepts(chunk)) return chunk;
    stream.destroy();
    return null;
  };
}
