import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import * as z from 'zod';
import { heartbeatAnswer, timeMessage } from '#contract/mqtt/messages.ts';
import { TIME_TOPIC } from '#contract/mqtt/topics.ts';
import { type GatewayUnderTest, heartbeat, parseAs, readJson, withSession } from './gateway-under-test.ts';
import type { Probe, Received } from './mqtt-probe.ts';
import { type Check, demand, orLate, Skipped, Unmet } from './report.ts';

// One question of SNTP (RFC 4330), as a controller asks it.

type TimeAnswer = {
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

type GatewayCheck = Check<GatewayUnderTest>;

/** Schedules are read off this clock: a minute is far above what a network costs, far below a wrong hour. */
const OFF_BY_MS = 60_000;
const AT_ONCE_MS = 5_000;
const NEXT_WITHIN_MS = 70_000;
/** Whole seconds on one side, the way of a message on the other. */
const STEADY_MS = 2_500;

const systemClock = z.object({ quality: z.string() });

// What the gateway tells controllers about the time, against the clock of the machine that checks.
export const GATEWAY_TIME_CHECKS: readonly GatewayCheck[] = [
  {
    id: 'http.time',
    clause: '4.9',
    title: 'server_time is the time, within a minute of the clock of the machine that checks',
    needs: ['http.heartbeat.answer'],
    run: async (gateway) => {
      const { body } = await heartbeat(gateway);
      const { server_time } = parseAs('answer', heartbeatAnswer, body);
      demandNear(gateway, 'server_time', Date.parse(server_time));
    },
  },
  {
    id: 'mqtt.time.at-once',
    clause: '4.9',
    title: 'sf/v1/time comes at once after subscribing, is the time, and does not stand retained',
    needs: ['mqtt.subscribe.own'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const message = await firstTime(gateway, probe);
        demand(!message.isRetained, 'it came with the retain flag: it may be old');
        demandNear(gateway, 'sf/v1/time', timeIn(message) * 1000);
      }),
  },
  {
    id: 'mqtt.time',
    clause: '4.9',
    title: 'the time comes at least every 70 s, and has gone on by as many seconds',
    needs: ['mqtt.time.at-once'],
    withinS: 100,
    run: async (gateway) => {
      if (!gateway.isThorough) throw new Skipped('takes up to 70 s: --thorough');
      await withSession(gateway, async (probe) => {
        const first = await firstTime(gateway, probe);
        const isNext = (message: Received) => message.topic === TIME_TOPIC && message !== first;
        const next = await probe.until('sf/v1/time again', isNext, NEXT_WITHIN_MS);
        const toldMs = (timeIn(next) - timeIn(first)) * 1000;
        const passedMs = next.atMs - first.atMs;
        demand(
          Math.abs(toldMs - passedMs) <= STEADY_MS,
          `it went on by ${toldMs / 1000} s in ${(passedMs / 1000).toFixed(1)} s`,
        );
      });
    },
  },
  {
    id: 'ntp.time',
    clause: '4.9',
    title: 'where the gateway serves SNTP its answer is the time, or says that it has none',
    run: async (gateway) => {
      if (gateway.ntpPort === null) throw new Skipped('SNTP is not asked: --ntp-port');
      const answer = await askTime(gateway, gateway.ntpPort);
      if (answer === null) throw new Skipped(`nobody answers SNTP on UDP port ${gateway.ntpPort}`);
      if (answer.unixMs === null)
        throw new Skipped('it says that it has no time now (leap 3 or stratum 16), which is right then');
      demand(answer.isOurs, 'the answer does not carry the time of the question');
      demandNear(gateway, 'the time of SNTP', answer.unixMs);
    },
  },
];

function demandNear(gateway: GatewayUnderTest, what: string, toldMs: number): void {
  const hereMs = gateway.unixMs();
  demand(Number.isFinite(toldMs), `${what} is no time`);
  const offS = Math.round((toldMs - hereMs) / 1000);
  const [told, here] = [toldMs, hereMs].map((ms) => new Date(ms).toISOString());
  demand(Math.abs(toldMs - hereMs) <= OFF_BY_MS, `${what} is ${told}, here it is ${here}: ${offS} s apart`);
}

async function firstTime(gateway: GatewayUnderTest, probe: Probe): Promise<Received> {
  await probe.subscribe(TIME_TOPIC);
  const isTime = ({ topic }: Received) => topic === TIME_TOPIC;
  return probe.until('sf/v1/time', isTime, AT_ONCE_MS).catch(async (error: unknown) => {
    // silence is right for a gateway that does not know the time; it must say so elsewhere
    if (!(error instanceof Unmet) || (await isTimeTrusted(gateway))) throw error;
    throw new Skipped('the gateway says that it does not trust its clock, and tells no time then');
  });
}

async function isTimeTrusted(gateway: GatewayUnderTest): Promise<boolean> {
  if (gateway.user === null) return true;
  const { status, body } = await gateway.call('/api/v1/system/clock', { bearer: gateway.user.token });
  const clock = systemClock.safeParse(body);
  return status !== 200 || !clock.success || clock.data.quality === 'trusted';
}

const timeIn = ({ text }: Received): number => parseAs('sf/v1/time', timeMessage, readJson(text)).t;

/** null: nobody answers there. */
async function askTime(gateway: GatewayUnderTest, port: number): Promise<TimeAnswer | null> {
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
