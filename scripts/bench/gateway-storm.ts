import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import * as z from 'zod';
import { newKeyPair } from '#adapters/sync/ed25519.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { isoOf } from '#core/kernel.ts';
import { asPerson } from '../demo/interface.ts';
import type { Grown } from '../farm-data/grown.ts';
import { writeToPostgres } from '../farm-data/write-rows.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import type { CrowdGateway, CrowdState, GatewayCrowd } from './load/gateway-crowd.ts';
import { quantile } from './load/load-window.ts';
import { newAccount, onDatabase, startCloud } from './paired-farm.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import { orderTime } from './remote-order.ts';

const CROWD = new URL('load/gateway-crowd.ts', import.meta.url);
const PROCESSES = 2;
const LANES = 4;
const MOST_SLOWER = 2;
/** Requests that failed, for each gateway: more would be a storm of errors. */
const MOST_FAILURES = 3;
const GIVE_UP_MS = 300_000;

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
    const gateways = await onDatabase(cloud.cluster.url, (client) => settle(client, size.gateways));
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
    await orders(owner, crowds.ordered, { until: count(LANES * 3) });
    const calm = await orders(owner, crowds.ordered, { until: count(size.orders) });
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

/** Gateways with a farm each, as if they had been paired long ago. */
async function settle(client: Client, wanted: number): Promise<Omit<CrowdGateway, 'hostedUrl'>[]> {
  const owners = z.array(z.object({ id: z.string() }));
  const [owner] = owners.parse((await client.query('select id from users')).rows);
  if (owner === undefined) throw new Error('no owner');
  const gateways = Array.from({ length: wanted }, (_each, place) => ({
    gatewayId: randomUUID(),
    streamId: place + 2,
    key: newKeyPair(),
    controlPointId: randomUUID(),
    pondId: randomUUID(),
  }));
  await writeToPostgres(
    client,
    gateways.flatMap((gateway) => rowsOf(gateway, owner.id)),
  );
  for (const { gatewayId, streamId } of gateways)
    await client.query(
      `insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
       values ($1, $2, 1, null, 0, 0, '', 0, '')`,
      [streamId, gatewayId],
    );
  return gateways;
}

function rowsOf(gateway: Omit<CrowdGateway, 'hostedUrl'>, owner_id: string): Grown[] {
  const { gatewayId, streamId, key, controlPointId, pondId } = gateway;
  const farmId = randomUUID();
  const at = isoOf(Date.now());
  const times = { created_at: at, updated_at: null };
  const place = { description: null, address_id: null, lat: null, lng: null, timezone: 'America/Fortaleza' };
  const unset = {
    lat: null,
    lng: null,
    pond_type: null,
    size_m2: null,
    depth_m: null,
    control_point_id: null,
  };
  return [
    { resource: farm, row: { id: farmId, name: `Fazenda ${streamId}`, owner_id, ...place, ...times } },
    {
      resource: controlPoint,
      row: {
        id: controlPointId,
        farm_id: farmId,
        owner_id,
        cod: `CP-${streamId}`,
        device_id: `aer-${streamId}`,
        target_status: 'OFF',
        version: 1,
        epoch: 'e1',
        target_origin: 'LOCAL',
        current_status: null,
        current_since: null,
        last_command_at: null,
        base_target: 'OFF',
        base_at: at,
        fail_safe: 'HOLD',
        min_on_s: 0,
        min_off_s: 0,
        start_group: null,
        start_order: null,
        do_on: null,
        do_off: null,
        do_emergency: null,
        locked_out: false,
        lock_out_reason: null,
        lock_out_by: null,
        lock_out_at: null,
        config_rev: 1,
        schedule_rev: 1,
        ...times,
      },
    },
    {
      resource: pond,
      row: {
        id: pondId,
        numeric_id: streamId,
        farm_id: farmId,
        cod: 'V-1',
        aerator_count: 0,
        ...unset,
        ...times,
      },
    },
    {
      resource: pairedGateway,
      row: {
        id: gatewayId,
        stream_id: streamId,
        owner_id,
        name: `Casa ${streamId}`,
        public_key: key.public_key,
        next_public_key: null,
        key_retires_at: null,
        status: 'active',
        software: 'bench',
        schema_version: 1,
        hardware: 'bench',
        paired_at: at,
        revoked_at: null,
        last_seen_at: at,
        last_report_json: null,
        outage_until: null,
        outage_reason: null,
        silent_since: null,
        runs_json: '[]',
      },
    },
    { resource: syncFarm, row: { id: farmId, stream_id: streamId, bound_at: at } },
  ];
}

type Crowds = readonly Remote<GatewayCrowd>[];

async function stateOf(crowds: Crowds): Promise<CrowdState> {
  const states = await Promise.all(crowds.map((crowd) => crowd.call('state', {})));
  const sum = (of: (state: CrowdState) => number) => states.reduce((total, state) => total + of(state), 0);
  return {
    open: sum(({ open }) => open),
    behind: sum(({ behind }) => behind),
    failures: sum(({ failures }) => failures),
    taken: sum(({ taken }) => taken),
  };
}

async function untilState(crowds: Crowds, fits: (state: CrowdState) => boolean): Promise<CrowdState> {
  const startedAt = performance.now();
  for (;;) {
    const state = await stateOf(crowds);
    if (fits(state)) return state;
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`never came: ${JSON.stringify(state)}`);
    await pause(200);
  }
}

const count = (most: number) => {
  let given = 0;
  return () => given++ >= most;
};

const one = (time: number): number[] => [time];

/** A connection that had nothing to do for seconds is closed, sometimes at the moment it is used again. */
function unlessIdle(error: unknown): number[] {
  if (error instanceof TypeError && error.message === 'fetch failed') return [];
  throw error;
}

type Owner = { token: string; bases: readonly string[]; gateways: readonly CrowdGateway[] };

/** Milliseconds of orders to gateways that are there, given at either process, some at a time. */
async function orders(
  { token, bases, gateways }: Owner,
  load: Remote<GatewayCrowd>,
  { until }: { until: () => boolean },
): Promise<number[]> {
  const owners = bases.map((base) => asPerson(base, token));
  const times: number[] = [];
  const lane = async (first: number) => {
    for (let n = first; !until(); n += LANES) {
      // each lane has gateways of its own: a newer order would take the place of one under way
      const connected = (await load.call('connected', {})).filter((place) => place % LANES === first);
      const gateway = gateways[connected[Math.floor(Math.random() * connected.length)] ?? -1];
      const owner = owners[Math.floor(n / LANES) % owners.length];
      const way = Math.random() < 0.5 ? 'on' : 'off';
      if (gateway === undefined || owner === undefined) await pause(50);
      else times.push(...(await orderTime(owner, gateway.controlPointId, way).then(one, unlessIdle)));
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_lane, first) => lane(first)));
  return times;
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
