import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { askHosted } from '#adapters/sync/ask-hosted.ts';
import { gatewayTransport } from '#adapters/sync/gateway-transport.ts';
import { createGatewaySession } from '#adapters/sync/pairing-http.ts';
import { startFleet } from '#sim/fleet/fleet.ts';
import type { LinkProxy } from '../hosted/link-proxy.ts';
import type { BenchOptions, Figures, Finding } from './finding.ts';
import { openEcho } from './load/echo.ts';
import { ownStream, type PairedFarm, startPairedFarm } from './paired-farm.ts';

const MOST_KB = 20;
const PING_EVERY_MS = 25_000;
const HOUR_MS = 3_600_000;
const SETTLED_AFTER_MS = 75_000;
/** One in half an hour; at their shortest. */
const CONTACTS_AN_HOUR = 2.2;

/** What goes over the line of a farm on which nothing happens. */
export async function idleLink({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const [forMs, fleetMs] = isQuick ? [2_000, 1_000] : [300_000, 60_000];
  const farm = await startPairedFarm({ controlPoints: 12, ponds: 12 });
  const echo = await openEcho({});
  try {
    // what a start writes by itself is told within a minute
    await pause(isQuick ? 0 : SETTLED_AFTER_MS);
    tell(`${forMs / 1_000} s of nothing`);
    echo.pingEvery(PING_EVERY_MS);
    const bareFrom = bytesOf(echo.link);
    const idle = await bytesDuring(farm.link, forMs);
    const bare = bytesOf(echo.link) - bareFrom;
    tell(`${fleetMs / 1_000} s with 12 controllers`);
    const { http: httpBase, mqtt: mqttUrl } = farm.gateway;
    const controllers = farm.controllers.map((one) => ({
      ...one,
      transport: 'mqtt' as const,
      power_kw: 1.5,
    }));
    const fleet = startFleet({ controllers, httpBase, mqttUrl, seed: 1 });
    await pause(isQuick ? 1_000 : 20_000);
    const busy = await bytesDuring(farm.link, fleetMs);
    await fleet.stop();
    const contact = await contactBytes(farm);
    const kbAnHour = ((idle * HOUR_MS) / forMs + CONTACTS_AN_HOUR * contact) / 1_000;
    const bareKb = (bare * HOUR_MS) / forMs / 1_000;
    return [
      {
        measure: 'idle link, payload of an hour',
        subject: figures('gateway and hosted instance', kbAnHour),
        baseline: figures('a bare WebSocket with the same pings', bareKb),
        ratioOf: 'bytes',
        ratio: kbAnHour / bareKb,
        cpuRatio: null,
        spread: null,
        must: `≤ ${MOST_KB} kB`,
        isMet: kbAnHour <= MOST_KB,
        rounds: 1,
        notes: [
          `measured ${forMs / 1_000} s (${idle} bytes, both directions, with all headers) and scaled to an hour; to it ${CONTACTS_AN_HOUR} pulls, each on a new connection with a new token (${contact} bytes)`,
          `with 12 controllers that report every 30 s: ${((busy * HOUR_MS) / fleetMs / 1_000).toFixed(0)} kB an hour more or less, measured ${fleetMs / 1_000} s`,
          `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
        ],
      },
    ];
  } finally {
    await echo.close();
    await farm.stop();
  }
}

/**
 * What a pull costs whose token has run out: a new connection, nonce, signature, token, the question and its answer. Asked
 * from here with the key of the gateway, which has stopped.
 */
async function contactBytes({ link, data, stopGateway }: PairedFarm): Promise<number> {
  await stopGateway();
  const { current } = keyFile.parse(JSON.parse(readFileSync(join(data, 'gateway-key.json'), 'utf8')));
  const { gateway_id, epoch, cursor, acked } = ownStream(data);
  const hostedUrl = `http://127.0.0.1:${link.port}`;
  const session = createGatewaySession({
    ask: askHosted,
    keys: { current: async () => current },
    monotonic: () => performance.now(),
    paired: async () => ({ gatewayId: gateway_id, hostedUrl, hostedKey: '' }),
    run: 'bench-of-an-idle-link',
    software: 'bench',
    hardware: 'bench',
    onNotLetIn: async () => undefined,
  });
  const transport = gatewayTransport({ ...session, hostedUrl: async () => hostedUrl });
  const question = { epoch, cursor, acked, limit: 500 };
  const before = bytesOf(link);
  const asked = await transport.ask('pull', question, { timeoutMs: 10_000 });
  if (!asked.ok) throw new Error(`a pull was refused: ${JSON.stringify(asked.refused)}`);
  transport.dropConnections();
  return bytesOf(link) - before;
}

const keyFile = z.object({ current: z.object({ public_key: z.string(), private_key: z.string() }) });

async function bytesDuring(link: LinkProxy, ms: number): Promise<number> {
  const before = bytesOf(link);
  await pause(ms);
  return bytesOf(link) - before;
}

function bytesOf({ counts }: LinkProxy): number {
  const { bytesThere, bytesBack } = counts();
  return bytesThere + bytesBack;
}

function figures(name: string, kb: number): Figures {
  const counted = `${kb.toFixed(1)} kB`;
  return { name, perS: null, cpuUs: null, p50Ms: null, p99Ms: null, rssMb: null, counted };
}
