import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import * as z from 'zod';
import { newKeyPair } from '#adapters/sync/ed25519.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { isoOf } from '#core/kernel.ts';
import { defaultsOf } from '#store/merge/schemas.ts';
import { asPerson } from '../../demo/interface.ts';
import type { Grown } from '../../farm-data/grown.ts';
import { writeToPostgres } from '../../farm-data/write-rows.ts';
import type { Remote } from '../remote.ts';
import { orderTime } from '../remote-order.ts';
import type { CrowdGateway, CrowdState, GatewayCrowd } from './gateway-crowd.ts';

// Gateways that were paired long ago, as their rows stand in a hosted instance, and what an owner does with them.

const LANES = 4;
const GIVE_UP_MS = 300_000;
const GATEWAYS_A_WRITE = 500;

type Settled = Omit<CrowdGateway, 'hostedUrl'>;
type FleetSize = { gateways: number; controlPoints: number };

/** Gateways with a farm, a pond and so many control points each, of the only owner there is. */
export async function settleGateways(
  client: Client,
  { gateways: wanted, controlPoints }: FleetSize,
): Promise<Settled[]> {
  const owners = z.array(z.object({ id: z.string() }));
  const [owner] = owners.parse((await client.query('select id from users')).rows);
  if (owner === undefined) throw new Error('no owner');
  const gateways = Array.from({ length: wanted }, (_each, place) => ({
    gatewayId: randomUUID(),
    streamId: place + 2,
    key: newKeyPair(),
    controlPointIds: Array.from({ length: controlPoints }, () => randomUUID()),
    pondId: randomUUID(),
  }));
  for (let from = 0; from < wanted; from += GATEWAYS_A_WRITE) {
    const some = gateways.slice(from, from + GATEWAYS_A_WRITE);
    await writeToPostgres(
      client,
      some.flatMap((gateway) => rowsOf(gateway, owner.id).map(withDefaults)),
    );
    await client.query(
      `insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
       select stream_id, gateway_id, 1, null, 0, 0, '', 0, ''
       from unnest($1::int[], $2::text[]) as one (stream_id, gateway_id)`,
      [some.map(({ streamId }) => streamId), some.map(({ gatewayId }) => gatewayId)],
    );
  }
  return gateways;
}

/** With what nobody says of a field that came to its table later. */
const withDefaults = ({ resource, row }: Grown): Grown => ({
  resource,
  row: { ...defaultsOf(resource), ...row },
});

function rowsOf(gateway: Settled, owner_id: string): Grown[] {
  const { gatewayId, streamId, key, controlPointIds, pondId } = gateway;
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
    ...controlPointIds.map((controlPointId, nth) => ({
      resource: controlPoint,
      row: {
        id: controlPointId,
        farm_id: farmId,
        owner_id,
        cod: `CP-${streamId}-${nth + 1}`,
        device_id: `aer-${streamId}-${nth + 1}`,
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
    })),
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

export async function stateOf(crowds: Crowds): Promise<CrowdState> {
  const states = await Promise.all(crowds.map((crowd) => crowd.call('state', {})));
  const sum = (of: (state: CrowdState) => number) => states.reduce((total, state) => total + of(state), 0);
  return {
    open: sum(({ open }) => open),
    behind: sum(({ behind }) => behind),
    failures: sum(({ failures }) => failures),
    taken: sum(({ taken }) => taken),
    troubles: summed(states.map(({ troubles }) => troubles)),
  };
}

function summed(counts: readonly CrowdState['troubles'][]): CrowdState['troubles'] {
  const all: CrowdState['troubles'] = {};
  for (const [what, count] of counts.flatMap((each) => Object.entries(each)))
    all[what] = (all[what] ?? 0) + count;
  return all;
}

export async function untilState(crowds: Crowds, fits: (state: CrowdState) => boolean): Promise<CrowdState> {
  const startedAt = performance.now();
  for (;;) {
    const state = await stateOf(crowds);
    if (fits(state)) return state;
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`never came: ${JSON.stringify(state)}`);
    await pause(200);
  }
}

/** True when it was asked so often. */
export const givenTimes = (most: number) => {
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
export async function orders(
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
      else
        times.push(...(await orderTime(owner, gateway.controlPointIds[0] ?? '', way).then(one, unlessIdle)));
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_lane, first) => lane(first)));
  return times;
}
