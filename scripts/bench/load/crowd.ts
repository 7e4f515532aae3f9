import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from '../remote.ts';
import { type JoinedController, joinController } from './controller-socket.ts';
import { quantile } from './load-window.ts';
import { addressOfBroker, type Identity, type Sessions } from './mqtt-socket.ts';

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
