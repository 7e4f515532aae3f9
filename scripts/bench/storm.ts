import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import { loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { COLLECTING, newDataFolder, startGatewayOn } from './gateway.ts';
import type { CrowdLoad } from './load/crowd.ts';
import { usageOf } from './process-usage.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MOST_GROWTH = 1.1;
const AT_ONCE = 20;
const REST_MS = 5_000;
const COLLECTIONS = 3;
type Size = { controllers: number; warmUp: number; reconnects: number; restMs: number };
type State = { rssMb: number; heapMb: number; reservedMb: number; files: number | null; resources: number };

/** Two hours in which every controller loses its line every minute, without the waits in between. */
export async function storm({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { controllers: 10, warmUp: 2, reconnects: 5, restMs: 500 }
    : { controllers: 200, warmUp: 30, reconnects: 120, restMs: REST_MS };
  const data = await newDataFolder();
  const load = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
  try {
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'storm' });
    const gateway = await startGatewayOn(data, [], COLLECTING);
    try {
      return [await weather({ gateway, owner, load }, size, tell)];
    } finally {
      await gateway.stop();
    }
  } finally {
    await load.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function weather(
  { gateway, owner, load }: { gateway: RunningServer; owner: ProvisionedOwner; load: Remote<CrowdLoad> },
  size: Size,
  tell: (line: string) => void,
): Promise<Finding> {
  const reconnectAll = async (times: number) => {
    for (let n = 1; n <= times; n += 1) {
      await load.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: AT_ONCE });
      await load.call('beat', { everyMs: 100, forMs: 100 });
      await load.call('leave', undefined);
    }
  };
  const before = await stateOf(gateway, size.restMs);
  tell(`${size.warmUp} × ${size.controllers} reconnects to warm up`);
  await reconnectAll(size.warmUp);
  const warm = await stateOf(gateway, size.restMs);
  tell(`${size.reconnects} × ${size.controllers} reconnects`);
  const startedAt = performance.now();
  await reconnectAll(size.reconnects);
  const tookMs = performance.now() - startedAt;
  const after = await stateOf(gateway, size.restMs);
  const growth = after.rssMb / warm.rssMb;
  const isTidy =
    (after.files === null || before.files === null || after.files <= before.files) &&
    after.resources <= before.resources;
  const perS = (size.reconnects * size.controllers * 1_000) / tookMs;
  return {
    measure: `storm: ${size.controllers} controllers, ${size.reconnects} reconnects each`,
    subject: { ...figures('afterwards', after), perS },
    baseline: figures(`after the first ${size.warmUp} each`, warm),
    ratioOf: 'RSS',
    ratio: growth,
    cpuRatio: null,
    spread: null,
    must: `RSS × ≤ ${MOST_GROWTH}, no handle left`,
    isMet: growth <= MOST_GROWTH && isTidy,
    rounds: 1,
    notes: [
      `open files ${before.files ?? '–'} before anyone came, ${warm.files ?? '–'} then, ${after.files ?? '–'} afterwards`,
      `active resources ${before.resources}, ${warm.resources}, ${after.resources}`,
      `heap in use ${[before, warm, after].map(({ heapMb }) => heapMb.toFixed(1)).join(', ')} MB`,
      `heap reserved ${[before, warm, after].map(({ reservedMb }) => reservedMb.toFixed(1)).join(', ')} MB`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}

/** After a rest and a collection of garbage, with nobody connected. */
async function stateOf({ pid, http }: RunningServer, restMs: number): Promise<State> {
  await pause(restMs);
  for (let n = 0; n < COLLECTIONS; n += 1) {
    process.kill(pid, 'SIGUSR2');
    await pause(restMs / 5);
  }
  const rssMb = usageOf(pid)?.rssMb ?? Number.NaN;
  const files: number[] = [];
  const heaps: number[] = [];
  let reservedMb = Number.NaN;
  let resources = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look += 1) {
    const open = openFiles(pid);
    if (open !== null) files.push(open);
    const metrics = await metricsOf(http);
    heaps.push(metricOf(metrics, 'nodejs_heap_size_used_bytes') / 1_000_000);
    reservedMb = metricOf(metrics, 'nodejs_heap_size_total_bytes') / 1_000_000;
    resources = Math.min(resources, metricOf(metrics, 'nodejs_active_resources_total'));
    await pause(200);
  }
  // a file that is just being saved is not one that was left
  const leastFiles = files.length === 0 ? null : Math.min(...files);
  return { rssMb, files: leastFiles, heapMb: median(heaps), reservedMb, resources };
}

/** null where the kernel does not tell. */
function openFiles(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

/** Over a connection that is closed at once: it must not count as one that was left. */
function metricsOf(base: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(`${base}/metrics`, { agent: false }, (answer) => {
      text(answer).then(resolve, reject);
    });
    request.once('error', reject);
  });
}

function metricOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
}

function figures(name: string, { rssMb, heapMb }: State): Figures {
  const counted = `heap ${heapMb.toFixed(0)} MB`;
  return { name, perS: null, cpuUs: null, p50Ms: null, p99Ms: null, rssMb, counted };
}
