import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { orLate } from './report.ts';

// One question of SNTP (RFC 4330), as a controller asks it.

export type TimeAnswer = {
  /** ms since 1970; null: it says itself that it has no time. */
  unixMs: number | null;
  /** It carries what the question carried. */
  isOurs: boolean;
};

const PACKET_BYTES = 48;
const ANSWER_WITHIN_MS = 3_000;
/** Version 4, client. */
const QUESTION = 0b00_100_011;
const FROM_1900_S = 2_208_988_800;
const LEAP_UNKNOWN = 3;
const STRATUM_UNSYNCHRONISED = 16;

/** null: nobody answers there. */
export async function askTime(gateway: GatewayUnderTest, port: number): Promise<TimeAnswer | null> {
  const host = new URL(gateway.httpBase).hostname.replace(/^\[|\]$/g, '');
  const question = Buffer.alloc(PACKET_BYTES);
  question[0] = QUESTION;
  const mark = randomBytes(8);
  mark.copy(question, 40);
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const answered = new Promise<Buffer | null>((resolve) => {
    socket.once('message', resolve);
    // as a port that is closed
    socket.once('error', () => resolve(null));
  });
  try {
    // connected, so that a closed port answers at once
    socket.connect(port, host, () => socket.send(question));
    const answer = await orLate(gateway.clock, answered, ANSWER_WITHIN_MS, () => null);
    return answer === null || answer.length < PACKET_BYTES ? null : readAnswer(answer, mark);
  } finally {
    socket.close();
  }
}

function readAnswer(answer: Buffer, mark: Buffer): TimeAnswer {
  const leap = (answer[0] ?? 0) >> 6;
  const stratum = answer[1] ?? 0;
  const hasNone = leap === LEAP_UNKNOWN || stratum === 0 || stratum >= STRATUM_UNSYNCHRONISED;
  const seconds = answer.readUInt32BE(40) + answer.readUInt32BE(44) / 2 ** 32;
  return {
    unixMs: hasNone ? null : (seconds - FROM_1900_S) * 1000,
    isOurs: answer.subarray(24, 32).equals(mark),
  };
}
