// Packets of SNTP (RFC 4330): 48 bytes, times as 64 bits of seconds since 1900 and their fraction.

export const PACKET_BYTES = 48;
/** From 1900 to 1970. */
const EPOCH_S = 2_208_988_800;
const FRACTION = 2 ** 32;
const CLIENT = 3;
const SERVER = 4;
const LEAP_UNKNOWN = 3;
const STRATUM_UNSYNCHRONISED = 16;
/** 2^-10 s: the clock tells milliseconds. */
const PRECISION = -10;
/** A reference that is no server on the network: this machine's own clock. */
const LOCAL_CLOCK = [127, 127, 1, 0];

export type Served = {
  /** How many steps from a true clock; 10 where only this machine's word stands for it. */
  stratum: number;
  /** ms since 1970, when the question came and when the answer goes. */
  receivedAt: number;
  sentAt: number;
};

/** True for a question of an SNTP client, versions 1 to 4. */
export function isQuestion(packet: Buffer): boolean {
  const [first = 0] = packet;
  const version = (first >> 3) & 7;
  return packet.length >= PACKET_BYTES && (first & 7) === CLIENT && version >= 1 && version <= 4;
}

/** The answer to a question; null for the time says that there is none: leap 3, stratum 16, and no time in it. */
export function answerTo(question: Buffer, served: Served | null): Buffer {
  const answer = Buffer.alloc(PACKET_BYTES);
  const version = ((question[0] ?? 0) >> 3) & 7;
  answer[0] = ((served === null ? LEAP_UNKNOWN : 0) << 6) | (version << 3) | SERVER;
  answer[1] = served?.stratum ?? STRATUM_UNSYNCHRONISED;
  answer[2] = question[2] ?? 0;
  answer.writeInt8(PRECISION, 3);
  // what it sent comes back as the origin, so that it knows its own question
  question.copy(answer, 24, 40, PACKET_BYTES);
  if (served === null) return answer;
  // root dispersion, 16.16 fixed point: 10 ms behind a server of time, a second on this machine's word alone
  answer.writeUInt32BE(Math.round((served.stratum >= 10 ? 1 : 0.01) * 65_536), 8);
  Buffer.from(LOCAL_CLOCK).copy(answer, 12);
  writeTime(answer, 16, served.receivedAt);
  writeTime(answer, 32, served.receivedAt);
  writeTime(answer, 40, served.sentAt);
  return answer;
}

function writeTime(packet: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  // the 32 bits begin anew in 2036, as the protocol says
  packet.writeUInt32BE((seconds + EPOCH_S) % FRACTION, offset);
  packet.writeUInt32BE(Math.floor(((ms - seconds * 1000) / 1000) * FRACTION), offset + 4);
}
