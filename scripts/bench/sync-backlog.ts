import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { openLinkProxy } from '../hosted/link-proxy.ts';
import type { BenchOptions, Figures, Finding } from './finding.ts';
import type { MonthOffline } from './load/month-offline.ts';
import { gatewayPoints, hostedPoints, onDatabase, type PairedFarm, startPairedFarm } from './paired-farm.ts';
import { startRemote } from './remote.ts';

const LINE = { roundTripMs: 200, bytesPerSecond: 2_000_000 / 8 };
const MUST = { liveS: 5, allS: 180, megabytes: 15 };
const GIVE_UP_S = 900;
/** A line that has been down for so long is looked after as rarely as one of a month. */
const DOWN_MS = 15_000;

/** A farm whose link was down for a month, and comes back over a slow line. */
export async function syncBacklog({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const days = isQuick ? 0.2 : 30;
  tell('a farm and its hosted instance');
  const farm = await startPairedFarm({ controlPoints: 12, ponds: 13 });
  let fleet: Fleet | null = null;
  try {
    await farm.stopGateway();
    farm.link.cut();
    tell(`${days} days without a link`);
    const writer = startRemote<MonthOffline>(new URL('load/month-offline.ts', import.meta.url));
    const written = await writer.call('write', { data: farm.data, days });
    await writer.stop();
    const gateway = await farm.startGateway();
    fleet = startFleet({
      controllers: farm.controllers.map((one) => ({ ...one, transport: 'mqtt', power_kw: 1.5 })),
      httpBase: gateway.http,
      mqttUrl: gateway.mqtt,
      seed: 1,
    });
    await pause(isQuick ? 3_000 : DOWN_MS);
    tell(`the link is back: ${written.core} core and ${written.history} history changes`);
    farm.link.set(LINE);
    const before = farm.link.counts();
    farm.link.restore();
    const found = await catchUp(farm);
    const after = farm.link.counts();
    const bytes = after.bytesThere - before.bytesThere + after.bytesBack - before.bytesBack;
    tell(`the same ${(bytes / 1e6).toFixed(1)} MB without a program`);
    const bareS = await bareTransfer(after.bytesThere - before.bytesThere);
    return [backlogFinding({ days, written, found, bytes, bareS })];
  } finally {
    await fleet?.stop();
    await farm.stop();
  }
}

type Found = { liveS: number; orderS: number; coreS: number; allS: number; refused: string[] };

/** Seconds from the link's return. */
async function catchUp(farm: PairedFarm): Promise<Found> {
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1_000;
  const refused: string[] = [];
  const live = untilLive(farm).then(since);
  const ordered = untilOrdered(farm, refused).then(since);
  const drained = onDatabase(farm.cloud.cluster.url, async (client) => {
    let coreS: number | null = null;
    for (;;) {
      const [here, there] = [gatewayPoints(farm.data), await hostedPoints(client)];
      if (there.core >= here.core) coreS ??= since();
      if (coreS !== null && there.core >= here.core && there.history >= here.history)
        return { coreS, allS: since() };
      if (since() > GIVE_UP_S) throw new Error(`never caught up: ${JSON.stringify({ here, there })}`);
      await pause(250);
    }
  });
  return { liveS: await live, orderS: await ordered, ...(await drained), refused };
}

const shown = z.array(
  z.object({
    id: z.string(),
    is_online: z.boolean(),
    current_status: z.string().nullable(),
    version: z.number(),
    gateway_silent_since: z.string().nullish(),
  }),
);

/** Every control point stands at the hosted instance as at the gateway; the first one is being ordered about. */
async function untilLive({ owner, manager, controlPointIds }: PairedFarm): Promise<void> {
  const [ordered] = controlPointIds;
  for (;;) {
    const here = new Map((await manager.get('/control-points/', shown)).map((point) => [point.id, point]));
    const there = await owner.get('/control-points/', shown);
    const isRight = there.every((point) => {
      const own = here.get(point.id);
      const isLive = point.is_online && (point.gateway_silent_since ?? null) === null;
      const isSame = point.version === own?.version && point.current_status === own.current_status;
      return isLive && (isSame || point.id === ordered);
    });
    if (isRight && there.length === here.size) return;
    await pause(50);
  }
}

const given = z.object({ order_id: z.string(), pending: z.unknown() });
const journey = z.array(z.object({ id: z.string(), state: z.string(), result: z.string().nullable() }));

/** The first order from afar that the gateway takes; what the others were refused for. */
async function untilOrdered({ owner, controlPointIds }: PairedFarm, refused: string[]): Promise<void> {
  const point = `/control-points/${controlPointIds[0] ?? ''}`;
  for (let n = 0; ; n += 1) {
    const { order_id } = await owner.post(
      `${point}/turn-${n % 2 === 0 ? 'on' : 'off'}`,
      { expires_in_s: 30 },
      given,
    );
    for (;;) {
      const [latest] = (await owner.get(`${point}/commands?limit=1`, journey)).filter(
        ({ id }) => id === order_id,
      );
      if (latest?.state === 'accepted' || latest?.state === 'done') return;
      if (latest?.state !== 'pending' && latest?.state !== 'sent') {
        refused.push(`${latest?.state} ${latest?.result ?? ''}`.trim());
        break;
      }
      await pause(50);
    }
  }
}

/** Seconds for so many bytes over the same line, with nothing at either end. */
async function bareTransfer(bytes: number): Promise<number> {
  const server = createServer((socket) => {
    let left = bytes;
    socket.on('data', (chunk) => {
      left -= chunk.length;
      if (left <= 0) socket.end('.');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // listening on a port, not on a pipe
  const { port } = server.address() as AddressInfo;
  const link = await openLinkProxy({ port }, LINE);
  const startedAt = performance.now();
  const socket = connect(link.port, '127.0.0.1');
  const answered = once(socket, 'data');
  socket.write(Buffer.alloc(bytes));
  await answered;
  const tookS = (performance.now() - startedAt) / 1_000;
  socket.destroy();
  await link.close();
  server.close();
  return tookS;
}

function backlogFinding(run: {
  days: number;
  written: { core: number; history: number };
  found: Found;
  bytes: number;
  bareS: number;
}): Finding {
  const { days, written, found, bytes, bareS } = run;
  const rows = written.core + written.history;
  const megabytes = bytes / 1e6;
  const orderedS = Math.max(found.liveS, found.orderS);
  const figures = (name: string, seconds: number): Figures => ({
    name,
    perS: rows / seconds,
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
    counted: `${seconds.toFixed(1)} s`,
  });
  return {
    measure: `${days} days offline, ${rows} changes, 2 Mbit/s and 200 ms`,
    subject: {
      ...figures('gateway to hosted instance', found.allS),
      counted: `${found.allS.toFixed(1)} s, ${megabytes.toFixed(1)} MB`,
    },
    baseline: figures('the same bytes over a bare connection', bareS),
    ratioOf: 'rate',
    ratio: bareS / found.allS,
    cpuRatio: null,
    spread: null,
    must: `live and orders ≤ ${MUST.liveS} s, all ≤ ${MUST.allS} s, ≤ ${MUST.megabytes} MB`,
    isMet: orderedS <= MUST.liveS && found.allS <= MUST.allS && megabytes <= MUST.megabytes,
    rounds: 1,
    notes: [
      `after link-up: control points right ${found.liveS.toFixed(1)} s, an order from afar taken ${found.orderS.toFixed(1)} s, all of core ${found.coreS.toFixed(1)} s, everything ${found.allS.toFixed(1)} s`,
      ...(found.refused.length === 0
        ? []
        : [`orders before it: ${[...new Set(found.refused)].join(', ')} (${found.refused.length})`]),
      `${(bytes / rows).toFixed(0)} bytes a change on the wire, both directions and all headers`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}
