import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { takeDatagrams } from '#core/datagrams.ts';
import type { Log } from '#core/kernel.ts';

// Packets of SNTP (RFC 4330): 48 bytes, times as 64 bits of seconds since 1900 and their fraction.

const PACKET_BYTES = 48;
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

type Served = {
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
function answerTo(question: Buffer, served: Served | null): Buffer {
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

export type SntpDeps = {
  log: Log;
  /** ms since 1970 by the clock of this instance. */
  now: () => number;
  monotonic: () => number;
  /** null: the time here is not to be trusted, and none is served. */
  stratum: () => number | null;
  /** Only neighbours are answered. */
  isPrivateAddress: (address: string) => boolean;
};

export type SntpServer = {
  /** null: it does not serve, and why. */
  port: number | null;
  trouble: string | null;
  answers: () => number;
  close: () => Promise<void>;
};

/** A farm of 5,000 controllers that starts at once asks for some minutes. */
const MOST_ANSWERS_PER_S = 200;
/** A controller asks a few times at its start, then every hour. */
const MOST_PER_ADDRESS_PER_MINUTE = 30;
const MOST_ADDRESSES = 8_192;

/**
 * The farm's source of time for controllers without internet (RFC 4330, server of unicast questions). An answer is as
 * long as its question, so that nobody can flood somebody else with it. Never throws: where the port is taken or not
 * allowed, it says so once and controllers take their time from MQTT and HTTP.
 */
export async function serveTime(deps: SntpDeps, port: number, host: string): Promise<SntpServer> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const bound = await bind(socket, port, host).catch((error: unknown) => error);
  if (typeof bound !== 'number') {
    socket.close();
    const trouble = whyNot(bound);
    deps.log.info(
      { port, reason: trouble },
      'no time server for the farm network; controllers take the time from their broker',
    );
    return { port: null, trouble, answers: () => 0, close: async () => undefined };
  }
  const answers = answerQuestions(deps, socket);
  return {
    port: bound,
    trouble: null,
    answers,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answerQuestions(deps: SntpDeps, socket: Socket): () => number {
  let answered = 0;
  const perSecond = { at: 0, count: 0 };
  const perMinute = { at: 0, countByAddress: new Map<string, number>() };

  function mayAnswer(address: string): boolean {
    const at = deps.monotonic();
    if (at - perSecond.at >= 1_000) Object.assign(perSecond, { at, count: 0 });
    if (at - perMinute.at >= 60_000) Object.assign(perMinute, { at, countByAddress: new Map() });
    const count = (perMinute.countByAddress.get(address) ?? 0) + 1;
    const isNew = count === 1;
    if (isNew && perMinute.countByAddress.size >= MOST_ADDRESSES) return false;
    perMinute.countByAddress.set(address, count);
    // first: what one address asks too much is not taken from the others
    if (count > MOST_PER_ADDRESS_PER_MINUTE) return false;
    perSecond.count += 1;
    return perSecond.count <= MOST_ANSWERS_PER_S;
  }

  const take = (question: Buffer, from: RemoteInfo) => {
    const receivedAt = deps.now();
    if (!isQuestion(question) || !deps.isPrivateAddress(from.address) || !mayAnswer(from.address)) return;
    const stratum = deps.stratum();
    const served = stratum === null ? null : { stratum, receivedAt, sentAt: deps.now() };
    answered += 1;
    socket.send(answerTo(question, served), from.port, from.address, () => undefined);
  };
  takeDatagrams(socket, { log: deps.log, take });
  return () => answered;
}

function bind(socket: Socket, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.removeListener('error', reject);
      // what comes later is nothing to end for
      socket.on('error', () => undefined);
      resolve(socket.address().port);
    });
  });
}

function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EACCES') {
    return 'this program may not open the port; allow it, or choose one above 1023 with --ntp-port';
  }
  if (code === 'EADDRINUSE') return 'another program serves the time on this port';
  return error instanceof Error ? error.message : String(error);
}
