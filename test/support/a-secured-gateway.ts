import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Tick } from '#adapters/timers/ticks.ts';
import { serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';

const DAY = 24 * 3_600_000;

/** The whole program with its secured ports, on a clock and a network of the test's own; ticks come when they are called. */
export async function aSecuredGateway(given: { data?: string; args?: readonly string[] } = {}) {
  const data = given.data ?? mkdtempSync(join(tmpdir(), 'secured-'));
  // TLS clients of the test look at the day: the farm begins today
  const world = { aheadMs: 0, addresses: ['127.0.0.1'] };
  const ticks = new Map<string, Tick['run']>();
  const sentences: { level: string; fields: Record<string, unknown>; sentence: string }[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void sentences.push({ level, fields, sentence });
  const free = ['--http-port', '0', '--mqtt-port', '0', '--https-port', '0', '--mqtts-port', '0'];
  const args = ['--data', data, '--host', '127.0.0.1', '--trust-clock', 'yes', ...free];
  const config = readConfig([...args, ...(given.args ?? [])], {});
  const running = await serve(config, {
    wallClock: () => Date.now() + world.aheadMs,
    monotonic: () => performance.now() + world.aheadMs,
    random: Math.random,
    pause: () => Promise.resolve(),
    clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
    network: () => ({ hostname: 'gateway-1', addresses: world.addresses }),
    passwordCost: { memoryCost: 8, timeCost: 2 },
    log: { debug: () => undefined, info: note('info'), warn: note('warn'), error: note('error') },
    startTicks: (list) => {
      for (const { name, run } of list) ticks.set(name, run);
      return { stop: () => Promise.resolve() };
    },
  });
  const portOf = (url: string | null) => Number(new URL(url ?? 'none://127.0.0.1:0').port);

  async function plain(path: string, init: RequestInit = {}) {
    const answer = await fetch(`${running.http}${path}`, init);
    const said = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    // what a test reads of it, it checks
    return { status: answer.status, body: (isJson ? JSON.parse(said) : said) as never };
  }

  return {
    data,
    running,
    world,
    sentences,
    plain,
    https: portOf(running.https),
    mqtts: portOf(running.mqtts),
    /** What the timer of the certificates would do now. */
    look: async () => ticks.get('certificates')?.(),
    /** The farm lives on for so many days. */
    pass: async (days: number) => {
      world.aheadMs += days * DAY;
      await ticks.get('control')?.();
      await ticks.get('certificates')?.();
    },
    ca: async () => String((await plain('/ca.pem')).body),
    async close({ keepData } = { keepData: false }) {
      await running.stop();
      if (!keepData) rmSync(data, { recursive: true, force: true });
    },
  };
}

export type SecuredGateway = Awaited<ReturnType<typeof aSecuredGateway>>;

/** A handshake, and what can be told of it; rejects when there is none. The caller ends it. */
export function shakeHands(
  port: number,
  options: ConnectionOptions,
  heard: (session: Buffer) => void = () => undefined,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ...options }, () => resolve(socket));
    socket.on('session', heard);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** One request over a connection of its own. */
export function getSecured(port: number, path: string, options: ConnectionOptions) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false, ...options }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}
