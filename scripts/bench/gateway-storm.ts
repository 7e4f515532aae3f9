import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import type { CrowdState, GatewayCrowd } from './load/gateway-crowd.ts';
import { quantile } from './load/load-window.ts';
import { givenTimes, orders, settleGateways, stateOf, untilState } from './load/settled-gateways.ts';
import { newAccount, onDatabase, startCloud } from './paired-farm.ts';
import { startRemote, stopAll } from './remote.ts';

const CROWD = new URL('load/gateway-crowd.ts', import.meta.url);
const PROCESSES = 2;
const WARM_UP_ORDERS = 12;
const MOST_SLOWER = 2;
/** Requests that failed, for each gateway: more would be a storm of errors. */
const MOST_FAILURES = 3;

/** Hundreds of gateways that come back at the same moment, each with a backlog, while owners give orders. */
export async function gatewayStorm({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? { gateways: 20, ordered: 8, rows: 50, orders: 8 }
    : { gateways: 500, ordered: 40, rows: 400, orders: 300 };
  const cloud = await startCloud(1);
  const crowds = {
    // a process of its own: how busy the simulated others are must not show in the times
    ordered: startRemote<GatewayCrowd>(CROWD),
    others: startRemote<GatewayCrowd>(CROWD),
  };
  const both = [crowds.ordered, crowds.others];
  const all = async (name: 'start' | 'stop') =>
    void (await Promise.all(both.map((one) => one.call(name, {}))));
  try {
    const token = await newAccount(cloud.processes[0]?.http ?? '');
    await cloud.processes.shift()?.stop();
    tell(`${size.gateways} gateways`);
    const gateways = await onDatabase(cloud.cluster.url, (client) =>
      settleGateways(client, { gateways: size.gateways, controlPoints: 1 }),
    );
    for (let n = 0; n < PROCESSES; n += 1) await cloud.add();
    const bases = cloud.processes.map(({ http }) => http);
    const placed = gateways.map((gateway, place) => ({
      ...gateway,
      hostedUrl: bases[place % PROCESSES] ?? '',
    }));
    const ordered = placed.slice(0, size.ordered);
    await crowds.ordered.call('open', { gateways: ordered, hostedKey: '' });
    await crowds.others.call('open', { gateways: placed.slice(size.ordered), hostedKey: '' });
    await all('start');
    await untilState(both, ({ open }) => open === size.gateways);
    tell('orders while nothing else happens');
    const owner = { token, bases, gateways: ordered };
    await orders(owner, crowds.ordered, { until: givenTimes(WARM_UP_ORDERS) });
    const calm = await orders(owner, crowds.ordered, { until: givenTimes(size.orders) });
    await all('stop');
    await Promise.all(both.map((one) => one.call('write', { rows: size.rows })));
    await pause(2_000);
    const before = await stateOf(both);
    tell('all come back at once');
    const startedAt = performance.now();
    await all('start');
    const storm = { isOver: false };
    const given = orders(owner, crowds.ordered, { until: () => storm.isOver });
    const after = await untilState(both, ({ open, behind }) => behind === 0 && open === size.gateways);
    const drainedMs = performance.now() - startedAt;
    storm.isOver = true;
    return [stormFinding({ size, calm, stormy: await given, before, after, drainedMs })];
  } finally {
    await stopAll(both);
    await cloud.stop();
  }
}

function stormFinding(run: {
  size: { gateways: number; rows: number };
  calm: readonly number[];
  stormy: readonly number[];
  before: CrowdState;
  after: CrowdState;
  drainedMs: number;
}): Finding {
  const { size, calm, stormy, before, after, drainedMs } = run;
  const rows = size.gateways * size.rows;
  const failures = after.failures - before.failures;
  const [calmP99, stormP99] = [p99(calm), p99(stormy)];
  const isQuiet = failures <= MOST_FAILURES * size.gateways;
  return {
    measure: `orders while ${size.gateways} gateways come back at once, ${PROCESSES} hosted processes`,
    subject: { ...figures('in the storm', stormy), counted: `${(drainedMs / 1_000).toFixed(1)} s` },
    baseline: figures('calm', calm),
    ratioOf: 'p99',
    ratio: stormP99 / calmP99,
    cpuRatio: null,
    spread: null,
    must: `p99 × ≤ ${MOST_SLOWER}, drained, no error storm`,
    isMet: stormP99 <= MOST_SLOWER * calmP99 && isQuiet,
    rounds: 1,
    notes: [
      `${rows} rows drained in ${(drainedMs / 1_000).toFixed(1)} s, ${((rows / drainedMs) * 1_000).toFixed(0)} a second`,
      `${failures} requests of all gateways failed or were sent away (${(failures / size.gateways).toFixed(2)} each); ${calm.length} orders calm, ${stormy.length} in the storm, all taken`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}

const p99 = (times: readonly number[]) =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  ) ?? Number.NaN;

function figures(name: string, times: readonly number[]): Figures {
  return { name, perS: null, cpuUs: null, p50Ms: median(times), p99Ms: p99(times), rssMb: null };
}
