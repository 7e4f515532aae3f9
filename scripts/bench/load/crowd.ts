import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate, type Packet, parser } from 'mqtt-packet';
import { answerCalls } from '../remote.ts';
import { quantile } from './load-window.ts';
import {
  addressOfBroker,
  type BrokerAddress,
  connectSocket,
  heartbeatPacket,
  type Identity,
  type Sessions,
  subscribePacket,
} from './mqtt-socket.ts';

/** A controller that is connected and has its level. */
type JoinedController = {
  /** Sends one heartbeat; `taken` is called with how long its acknowledgement took. */
  beat: (taken: (ms: number) => void) => void;
  isOpen: () => boolean;
  /** Cuts the line, as a lost network does; resolves when the socket is closed. */
  cut: () => Promise<void>;
};

const SUBSCRIBE_ID = 1;

const MOST_IDS = 60_000;

const SERVED_WITHIN_MS = 30_000;

// Many controllers at the pace of real ones: connected, heartbeating, thrown off and back again.

export type Arrival = {
  /** Milliseconds since 1970 at which the last controller had its level. */
  servedAt: number;
  p50Ms: number;
  p99Ms: number;
};
export type Beats = { sent: number; missed: number; closed: number; p50Ms: number; p99Ms: number };
/** `isResuming`: over TLS with the sessions of the last time. */
type Coming = { isResuming?: boolean; mqttUrl: string; clients: readonly Identity[] };

/** Nobody waits longer for an acknowledgement. */
const LAST_ANSWERS_MS = 5_000;
const TRY_AGAIN_MS = 20;
const GIVE_UP_MS = 60_000;
const TICK_MS = 10;

const crowd: JoinedController[] = [];
const sessions: Sessions = new Map();

const handlers = {
  /** Lets controllers come, at most so many at once; each tries until it is served. */
  async arrive({
    mqttUrl,
    clients,
    atOnce,
    isResuming = false,
  }: Coming & { atOnce: number }): Promise<Arrival> {
    const at = addressOfBroker(mqttUrl);
    if (!isResuming) sessions.clear();
    const times: number[] = [];
    const queue = [...clients];
    const lane = async () => {
      for (let who = queue.shift(); who !== undefined; who = queue.shift()) {
        const startedAt = performance.now();
        crowd.push(await untilServed(() => joinController(at, who, sessions)));
        times.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, clients.length) }, lane));
    times.sort((a, b) => a - b);
    return {
      servedAt: performance.timeOrigin + performance.now(),
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
    };
  },

  /** Heartbeats of all for a while, spread evenly. */
  async beat({ everyMs, forMs }: { everyMs: number; forMs: number }): Promise<Beats> {
    const times: number[] = [];
    let sent = 0;
    const startedAt = performance.now();
    for (let passed = 0; ; passed = performance.now() - startedAt) {
      // also what fell due while this process stood still
      const due = Math.floor((Math.min(passed, forMs) / everyMs) * crowd.length);
      for (; sent < due; sent += 1) crowd[sent % crowd.length]?.beat((ms) => void times.push(ms));
      if (passed >= forMs) break;
      await pause(TICK_MS);
    }
    const until = performance.now() + LAST_ANSWERS_MS;
    while (times.length < sent && performance.now() < until) await pause(TICK_MS);
    times.sort((a, b) => a - b);
    return {
      sent,
      missed: sent - times.length,
      closed: crowd.filter((controller) => !controller.isOpen()).length,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
    };
  },

  /** Cuts every line. */
  async leave(): Promise<void> {
    await Promise.all(crowd.splice(0).map((controller) => controller.cut()));
  },
};
export type CrowdLoad = typeof handlers;
answerCalls(handlers);

async function untilServed(join: () => Promise<JoinedController>): Promise<JoinedController> {
  const until = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await join();
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(TRY_AGAIN_MS);
    }
  }
}

/** Connects, subscribes, and resolves when the wanted level has come. Rejects when the line ends before. */
async function joinController(
  at: BrokerAddress,
  who: Identity,
  sessions?: Sessions,
): Promise<JoinedController> {
  const socket = await connectSocket(at, who, sessions);
  const waiting = new Map<number, { sentAt: number; taken: (ms: number) => void }>();
  await level(socket, who, (packet) => {
    if (packet.cmd !== 'puback') return;
    const id = packet.messageId ?? 0;
    const beat = waiting.get(id);
    waiting.delete(id);
    beat?.taken(performance.now() - beat.sentAt);
  });
  let count = SUBSCRIBE_ID;
  return {
    beat(taken) {
      count = count < MOST_IDS ? count + 1 : SUBSCRIBE_ID + 1;
      waiting.set(count, { sentAt: performance.now(), taken });
      socket.write(heartbeatPacket(who.mqtt_id, count));
    },
    isOpen: () => !socket.destroyed,
    cut: () => cut(socket),
  };
}

function level(socket: Socket, who: Identity, hear: (packet: Packet) => void): Promise<void> {
  const reading = parser({ protocolVersion: 4 });
  socket.on('data', (bytes) => reading.parse(bytes));
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${who.mqtt_id} was not served: ${why}`));
    const deadline = setTimeout(() => {
      fail('no level came');
      socket.destroy();
    }, SERVED_WITHIN_MS);
    socket.on('error', () => fail('the line broke'));
    socket.once('close', () => {
      clearTimeout(deadline);
      fail('the line ended');
    });
    reading.on('packet', (packet) => {
      hear(packet);
      if (packet.cmd !== 'publish') return;
      if (packet.qos === 1) socket.write(generate({ cmd: 'puback', messageId: packet.messageId ?? 0 }));
      clearTimeout(deadline);
      resolve();
    });
    socket.write(subscribePacket(who.mqtt_id, SUBSCRIBE_ID));
  });
}

function cut(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
