import { createServer } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import type { QueueEntry } from '#contract/resources/adoption.ts';
import { type ClaimOptions, claimIdentity } from '#sim/boot/claim-identity.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import type { Engine } from '#test/databases.ts';

export const MAC = '246f28aabb01';
export const CLAIM = 'K7QX-9M2P-4RTW';

export type Farm = Awaited<ReturnType<typeof aFarmWithBroker>>;

/** A gateway with its broker on a free port, an owner with a farm, and boards that come to it. */
export async function aFarmWithBroker(engine: Engine = 'sqlite') {
  const app: App = await startApp(engine);
  const broker = await openBroker(app.config, app, createServer());
  const { port } = await broker.listenTcp(0, '127.0.0.1');
  app.control.attach(broker.link);
  app.control.attachTalk(broker.talk);
  const { token, farmId } = await aFarmWith(app);
  const mqttUrl = `mqtt://127.0.0.1:${port}`;
  const call = (method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
  return {
    app,
    broker,
    port,
    mqttUrl,
    token,
    farmId,
    call,
    aPoint: () => aControlPoint(app, { token, farmId }),
    openWindow: (minutes = 10) => call('POST', '/adoption/window', { minutes }),
    queue: async () => (await call('GET', '/adoption/queue')).body as QueueEntry[],
    /** A simulated board, which tries every few milliseconds until the test is over. */
    aBoard(options: Partial<ClaimOptions> = {}) {
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const identity = claimIdentity({
        mqttUrl,
        mac: MAC,
        claim: CLAIM,
        retryMs: 20,
        signal: stop.signal,
        ...options,
      });
      // it is called off with the test
      identity.catch(() => undefined);
      return { identity, unplug: () => stop.abort() };
    },
    async close() {
      await broker.stop();
      await app.close();
    },
  };
}

export const codeOf = (reply: Parameters<typeof body>[0]): unknown => body(reply)['code'];

/** Waits for what real sockets bring, on a machine that may be busy. */
export const eventually = (check: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });
