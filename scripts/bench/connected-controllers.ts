import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { callHttp } from '#sim/fetch-firmware.ts';
import type { BenchOptions, Figures, Finding } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import { usageOf } from './process-usage.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

type Size = { clients: number; maxRssMb: number };
type Held = { idleMb: number; maxMb: number; lastMb: number; beats: Beats; offline: number };

const HEARTBEAT_MS = 30_000;
const MUST_RETURN_MS = 5_000;
const RETURNING = 200;
const AT_ONCE = 50;
const MISSED = { sent: 0, missed: 0, closed: 0, p50Ms: Number.NaN, p99Ms: Number.NaN };

/** Memory and heartbeats while many controllers are connected, and how soon they are served after a restart. */
export async function connectedControllers({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const sizes: Size[] = [
    { clients: isQuick ? 20 : 1_000, maxRssMb: 150 },
    { clients: isQuick ? 50 : 5_000, maxRssMb: 400 },
  ];
  const findings: Finding[] = [];
  for (const size of sizes) {
    tell(`${size.clients} controllers are set up`);
    findings.push(await onFarm(size.clients, (farm) => hold(farm, size, { isQuick, tell })));
  }
  const returning = isQuick ? 20 : RETURNING;
  tell(`${returning} controllers come back at once`);
  findings.push(await onFarm(returning, (farm) => comeBack(farm, returning, isQuick ? 1 : 5)));
  return findings;
}

type Farm = {
  data: string;
  owner: ProvisionedOwner;
  load: Remote<CrowdLoad>;
};

async function onFarm(clients: number, run: (farm: Farm) => Promise<Finding>): Promise<Finding> {
  const data = await newDataFolder();
  const load = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
  try {
    const owner = await provisionFolder(data, { count: clients, prefix: 'held' });
    return await run({ data, owner, load });
  } finally {
    await load.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function hold(
  { data, owner, load }: Farm,
  { clients, maxRssMb }: Size,
  { isQuick, tell }: BenchOptions,
): Promise<Finding> {
  const gateway = await startGatewayOn(data);
  try {
    const idleMb = rssOf(gateway);
    await load.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: AT_ONCE });
    tell(`${clients} controllers are connected`);
    const everyMs = isQuick ? 500 : HEARTBEAT_MS;
    const held = await watched(gateway, owner, () => load.call('beat', { everyMs, forMs: 4 * everyMs }));
    const { beats } = held;
    return {
      measure: `${clients} controllers connected, a heartbeat each every 30 s`,
      subject: { ...rssFigures('largest', held.maxMb), p50Ms: beats.p50Ms, p99Ms: beats.p99Ms },
      baseline: rssFigures('same farm, nobody connected', idleMb),
      ratioOf: 'RSS',
      ratio: held.maxMb / idleMb,
      cpuRatio: null,
      spread: null,
      must: `RSS ≤ ${maxRssMb} MB, no heartbeat missed`,
      isMet: held.maxMb <= maxRssMb && beats.missed + beats.closed + held.offline === 0,
      rounds: 1,
      notes: [
        `${beats.sent} heartbeats, ${beats.missed} unanswered, ${beats.closed} lines lost, ${held.offline} times offline`,
        `RSS at the end ${held.lastMb.toFixed(0)} MB; load average of the machine ${loadavg()[0]?.toFixed(1)}`,
      ],
    };
  } finally {
    await gateway.stop();
  }
}

/** Memory and presence, looked at while something runs. */
async function watched(
  gateway: RunningServer,
  owner: ProvisionedOwner,
  run: () => Promise<Beats>,
): Promise<Omit<Held, 'idleMb'>> {
  const seen = { maxMb: rssOf(gateway), lastMb: 0, offline: 0, beats: null as Beats | null };
  const running = run().then((beats) => {
    seen.beats = beats;
  });
  while (seen.beats === null) {
    await Promise.race([running, pause(500)]);
    seen.lastMb = rssOf(gateway);
    seen.maxMb = Math.max(seen.maxMb, seen.lastMb);
  }
  // asked at the end only: the answer to so many rows is memory of its own
  seen.offline = await offlineCount(gateway, owner);
  return { ...seen, beats: seen.beats ?? MISSED };
}

const statuses = z.array(z.object({ is_online: z.boolean() }));

async function offlineCount(
  gateway: RunningServer,
  { token, controllers }: ProvisionedOwner,
): Promise<number> {
  const answer = await callHttp(gateway.http, '/api/v1/control-points/', { bearer: token });
  const online = statuses.parse(answer.body).filter(({ is_online }) => is_online).length;
  return controllers.length - online;
}

/** The gateway dies and comes back; timed from its start until the last controller has its level. */
async function comeBack({ data, owner, load }: Farm, clients: number, rounds: number): Promise<Finding> {
  const ports = { http: '', mqtt: '' };
  const times: number[] = [];
  const sinceReady: number[] = [];
  let calm = Number.NaN;
  for (let round = 0; round <= rounds; round += 1) {
    const args = ports.mqtt === '' ? [] : ['--mqtt-port', new URL(ports.mqtt).port];
    const arriving =
      round === 0
        ? null
        : load.call('arrive', { mqttUrl: ports.mqtt, clients: owner.controllers, atOnce: clients });
    const startedAt = performance.timeOrigin + performance.now();
    const gateway = await startGatewayOn(data, args);
    const readyAt = performance.timeOrigin + performance.now();
    ports.mqtt = gateway.mqtt;
    try {
      const arrived = await (arriving ??
        load.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: 1 }));
      if (round === 0) calm = arrived.p50Ms;
      else {
        times.push(arrived.servedAt - startedAt);
        sinceReady.push(arrived.servedAt - readyAt);
      }
    } finally {
      process.kill(gateway.pid, 'SIGKILL');
      await gateway.ended;
      await load.call('leave', undefined);
    }
  }
  times.sort((a, b) => a - b);
  const worst = times.at(-1) ?? Number.NaN;
  const middle = times[Math.floor(times.length / 2)] ?? Number.NaN;
  return {
    measure: `${clients} controllers come back at once after a kill`,
    subject: {
      ...rssFigures('start of the gateway → all have their level', null),
      p50Ms: middle,
      p99Ms: worst,
    },
    baseline: { ...rssFigures('one controller, gateway running', null), p50Ms: calm },
    ratioOf: 'p50',
    ratio: middle / calm,
    cpuRatio: null,
    spread: null,
    must: `≤ ${MUST_RETURN_MS} ms`,
    isMet: worst <= MUST_RETURN_MS,
    rounds,
    notes: [`the last was served ${Math.max(...sinceReady).toFixed(0)} ms after ready at the latest`],
  };
}

function rssOf({ pid }: RunningServer): number {
  return usageOf(pid)?.rssMb ?? Number.NaN;
}

function rssFigures(name: string, rssMb: number | null): Figures {
  return { name, perS: null, cpuUs: null, p50Ms: null, p99Ms: null, rssMb };
}
