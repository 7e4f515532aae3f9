import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import type { CrowdGateway, GatewayCrowd, Rate } from './load/gateway-crowd.ts';
import { quantile } from './load/load-window.ts';
import { givenTimes, orders, settleGateways, stateOf, untilState } from './load/settled-gateways.ts';
import { type Cloud, newAccount, onDatabase, startCloud } from './paired-farm.ts';
import { usageOf } from './process-usage.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import type { RunningServer } from './start-server.ts';

// A fleet on one hosted instance: what farms cost that are only known, what a sign-in costs, and what those cost that live.

const CROWD = new URL('load/gateway-crowd.ts', import.meta.url);
const MUST = { idleShare: 0.01, signInMs: 5, liveShare: 0.35, orderP99Ms: 200, orderOfBusyP99Ms: 1_200 };
/** How a farm of twelve ponds speaks; `real`: a reading a minute of each pond, each motor heard three times a minute. */
export const RATES = {
  real: { readingsPerMinute: 12, heardEveryMs: 20_000 },
  silent: { readingsPerMinute: 0, heardEveryMs: 0 },
} as const;
export const RATE_NAMES = ['real', 'silent'] as const satisfies readonly (keyof typeof RATES)[];
const CONTROL_POINTS = 12;
const SIGN_INS_AT_ONCE = 4;
/** What a start, a crowd of sign-ins and their first pushes leave behind is over by then. */
const SETTLE_MS = 20_000;

export type FleetSize = {
  /** Gateways and farms that the hosted instance knows. */
  known: number;
  /** Of these that are connected. */
  connected: number;
  /** How long each share is measured. */
  forMs: number;
  orders: number;
  rate: Rate;
};

const FULL: FleetSize = { known: 10_000, connected: 2_000, forMs: 60_000, orders: 200, rate: RATES.real };
const QUICK: FleetSize = { known: 40, connected: 20, forMs: 2_000, orders: 8, rate: RATES.real };

export const fleet = ({ isQuick, tell }: BenchOptions): Promise<Finding[]> =>
  runFleet(isQuick ? QUICK : FULL, tell, isQuick ? 500 : SETTLE_MS);

/** Starts a hosted instance of two processes on PostgreSQL, with that fleet, and measures it. */
export async function runFleet(
  size: FleetSize,
  tell: (line: string) => void,
  settleMs = SETTLE_MS,
): Promise<Finding[]> {
  const cloud = await startCloud(1);
  const crowd = startRemote<GatewayCrowd>(CROWD);
  try {
    tell(`${size.known} gateways with ${CONTROL_POINTS} control points each are entered`);
    const { token, gateways } = await knownFleet(cloud, size.known);
    const [near, far] = [await cloud.add(), await cloud.add()];
    await pause(settleMs);
    tell('nobody is connected');
    const idle = await shareOf(far, size.forMs);
    const connected = gateways
      .slice(0, size.connected)
      .map((gateway): CrowdGateway => ({ ...gateway, hostedUrl: far.http }));
    await crowd.call('open', { gateways: connected, hostedKey: '' });
    tell(`${size.connected} sign in at one of two processes, ${SIGN_INS_AT_ONCE} at once`);
    const signInMs = await signInCost({ crowd, far, count: size.connected, idle });
    await pause(settleMs);
    const owner = { token, bases: [near.http], gateways: connected };
    tell(`${size.orders} orders given at the other process, nobody says a word besides`);
    const calm = await ordersFrom(owner, crowd, size.orders);
    tell('all of them live');
    await crowd.call('live', size.rate);
    await pause(settleMs);
    const before = await stateOf([crowd]);
    const live = await shareOf(far, size.forMs);
    const after = await stateOf([crowd]);
    tell(`${size.orders} orders given at the other process`);
    const busy = await ordersFrom(owner, crowd, size.orders);
    const failures = after.failures - before.failures;
    const memory = `${usageOf(near.pid)?.rssMb.toFixed(0)} MB where none is connected, ${usageOf(far.pid)?.rssMb.toFixed(0)} MB where all are`;
    return [
      shareFinding(`${size.known} farms known, none connected`, idle, MUST.idleShare, [memory]),
      signInFinding(size, signInMs),
      shareFinding(`${size.connected} gateways live`, live, MUST.liveShare, [
        size.rate.readingsPerMinute === 0
          ? 'open sockets alone'
          : `${size.rate.readingsPerMinute} readings a minute and ${CONTROL_POINTS} control points heard every ${size.rate.heardEveryMs / 1_000} s of each gateway`,
        `${after.open} sockets open, ${failures} requests failed`,
        ...Object.entries(after.troubles).map(([what, of]) => `${of} gateways were last told: ${what}`),
      ]),
      orderFinding('sockets open', calm, MUST.orderP99Ms),
      orderFinding('while all live', busy, MUST.orderOfBusyP99Ms),
    ];
  } finally {
    await stopAll([crowd]);
    await cloud.stop();
  }
}

const WARM_UP_ORDERS = 8;

async function ordersFrom(
  owner: Parameters<typeof orders>[0],
  crowd: Remote<GatewayCrowd>,
  count: number,
): Promise<number[]> {
  await orders(owner, crowd, { until: givenTimes(WARM_UP_ORDERS) });
  return orders(owner, crowd, { until: givenTimes(count) });
}

/** The one process that made the account is gone afterwards: what knows the fleet is started with it. */
async function knownFleet(cloud: Cloud, known: number) {
  const first = cloud.processes.shift();
  const token = await newAccount(first?.http ?? '');
  await first?.stop();
  const gateways = await onDatabase(cloud.cluster.url, async (client) => {
    const made = await settleGateways(client, { gateways: known, controlPoints: CONTROL_POINTS });
    // a database that has lived for days knows how many rows its tables have
    await client.query('analyze');
    return made;
  });
  return { token, gateways };
}

/** Share of one core that a process used over a while; more than 1 is more than one. */
async function shareOf({ pid }: RunningServer, forMs: number): Promise<number> {
  const [startedAt, before] = [performance.now(), cpuMsOf(pid)];
  await pause(forMs);
  return (cpuMsOf(pid) - before) / (performance.now() - startedAt);
}

const cpuMsOf = (pid: number) => usageOf(pid)?.cpuMs ?? Number.NaN;

/** CPU milliseconds of the process for each sign-in, hello and socket included, without what it costs anyway. */
async function signInCost(on: {
  crowd: Remote<GatewayCrowd>;
  far: RunningServer;
  count: number;
  idle: number;
}): Promise<number> {
  const { crowd, far, count, idle } = on;
  const [startedAt, before] = [performance.now(), cpuMsOf(far.pid)];
  await crowd.call('startInLanes', { lanes: SIGN_INS_AT_ONCE });
  await untilState([crowd], ({ open }) => open === count);
  const anyway = idle * (performance.now() - startedAt);
  return (cpuMsOf(far.pid) - before - anyway) / count;
}

function shareFinding(of: string, share: number, must: number, notes: readonly string[]): Finding {
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
  return {
    measure: `CPU of one hosted process, ${of}`,
    subject: { ...nothing('the process'), counted: percent(share) },
    baseline: { ...nothing('one core'), counted: percent(1) },
    ratioOf: 'CPU',
    ratio: share,
    cpuRatio: null,
    spread: null,
    must: `≤ ${percent(must)}`,
    isMet: share <= must,
    rounds: 1,
    notes: [...notes, load()],
  };
}

function signInFinding({ known, connected }: FleetSize, ms: number): Finding {
  return {
    measure: `CPU of a gateway's sign-in, beside ${known} farms`,
    subject: { ...nothing(`of ${connected}`), counted: `${ms.toFixed(1)} ms` },
    baseline: { ...nothing('what is allowed'), counted: `${MUST.signInMs} ms` },
    ratioOf: 'CPU',
    ratio: ms / MUST.signInMs,
    cpuRatio: null,
    spread: null,
    must: `≤ ${MUST.signInMs} ms`,
    isMet: ms <= MUST.signInMs,
    rounds: 1,
    notes: [load()],
  };
}

/** The machine is idle but for the orders, or at its work of the day; then what counts is the promise of an order from afar. */
function orderFinding(name: string, times: readonly number[], mostMs: number): Finding {
  const p99 =
    quantile(
      times.toSorted((a, b) => a - b),
      0.99,
    ) ?? Number.NaN;
  return {
    measure: `an order at one process to a gateway at the other, ${name}`,
    subject: { ...nothing(name), p50Ms: median(times), p99Ms: p99 },
    baseline: { ...nothing('what is allowed'), p99Ms: mostMs },
    ratioOf: 'p99',
    ratio: p99 / mostMs,
    cpuRatio: null,
    spread: null,
    must: `p99 ≤ ${mostMs} ms`,
    isMet: p99 <= mostMs,
    rounds: 1,
    notes: [`${times.length} orders, all taken`, load()],
  };
}

const load = () => `load average of the machine ${loadavg()[0]?.toFixed(1)}`;
const nothing = (name: string): Figures => ({
  name,
  perS: null,
  cpuUs: null,
  p50Ms: null,
  p99Ms: null,
  rssMb: null,
});
