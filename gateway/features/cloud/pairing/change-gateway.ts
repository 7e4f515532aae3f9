import type * as z from 'zod';
import { farm as farmTable } from '#contract/resources/farms.ts';
import type { GatewayAnswer, gatewayUpdate } from '#contract/resources/gateways.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { insert, purge, tell, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { refuseSharedNames } from '#core/shared-names.ts';
import type { Decision } from '#core/use-case.ts';
import { noteBack, noteMoved } from '../moved-farms.ts';
import { nextEpoch, revokedNews } from './gateway-session.ts';
import type { BoundFarm, FleetGateway, Gateway, PairingQueries } from './ports.ts';

export type ChangeGatewayDeps = Pick<Kernel, 'now' | 'guard'> & {
  queries: Pick<
    PairingQueries,
    | 'gateway'
    | 'gatewaysOf'
    | 'streamOf'
    | 'farmsOn'
    | 'farm'
    | 'newestMembership'
    | 'deviceNames'
    | 'sharedNames'
  >;
  notify: Notify;
};

type Named = { gatewayId: string; ownerId: string };

export async function gatewayAnswers(deps: ChangeGatewayDeps, ownerId: string): Promise<GatewayAnswer[]> {
  const rows = await deps.queries.gatewaysOf(ownerId);
  return Promise.all(
    rows.map(async (row) => gatewayAnswerOf(row, await deps.queries.farmsOn(row.stream_id))),
  );
}

export async function gatewayAnswer(deps: ChangeGatewayDeps, named: Named): Promise<GatewayAnswer> {
  const found = (await gatewayAnswers(deps, named.ownerId)).find(({ id }) => id === named.gatewayId);
  if (found === undefined) throw notFound('Gateway');
  return found;
}

export function gatewayAnswerOf(
  row: Gateway & Partial<Pick<FleetGateway, 'conflicts' | 'parked' | 'behind'>>,
  farms: readonly BoundFarm[],
): GatewayAnswer {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    hardware: row.hardware,
    software: row.software,
    paired_at: row.paired_at,
    revoked_at: row.revoked_at,
    last_seen_at: row.last_seen_at,
    outage_until: row.outage_until,
    outage_reason: row.outage_reason,
    farms: farms.map(({ id, name }) => ({ id, name })),
    open_conflicts: row.conflicts ?? 0,
    parked: row.parked ?? 0,
    pending: row.behind ?? 0,
  };
}

/** Decides another name, or an outage that is known beforehand. Throws 404 for a gateway that is not the caller's. */
export async function changeGateway(
  deps: ChangeGatewayDeps,
  named: Named,
  input: z.infer<typeof gatewayUpdate>,
): Promise<Decision<Gateway>> {
  const gateway = await ownGateway(deps, named);
  const { name, outage_until: until, outage_reason: reason } = input;
  const set = {
    ...(name === undefined ? {} : { name }),
    ...(until === undefined ? {} : { outage_until: until }),
    ...(until === null ? { outage_reason: null } : reason === undefined ? {} : { outage_reason: reason }),
  };
  if (Object.keys(set).length === 0) return { answer: gateway };
  return { answer: { ...gateway, ...set }, changes: [update(pairedGateway, gateway.id, set)] };
}

/**
 * Decides that a gateway is let in no longer. The farm goes on by itself, and the farms stay bound to it, so that this
 * instance does not begin to steer what still has its gateway; taking them off it is a decision of its own.
 */
export async function revokeGateway(deps: ChangeGatewayDeps, named: Named): Promise<Decision<void>> {
  const guard = await deps.guard('gateway', named.gatewayId);
  const gateway = await ownGateway(deps, named);
  if (gateway.status === 'revoked') return { answer: undefined };
  const at = isoOf(deps.now());
  return {
    answer: undefined,
    changes: [
      update(pairedGateway, gateway.id, { status: 'revoked', revoked_at: at }),
      ...(await deps.notify({ userIds: [gateway.owner_id] }, revokedNews(gateway, at))),
    ],
    guards: [guard],
    stream: await nextEpoch(deps, gateway.id),
  };
}

/**
 * Decides that a gateway runs a farm that had none: all of the farm reaches it with the next comparison. Throws 404 for
 * what is not the caller's, 409 for a farm that has a gateway and for a gateway that is not let in.
 */
export async function bindFarm(
  deps: ChangeGatewayDeps,
  named: Named,
  farmId: string,
): Promise<Decision<BoundFarm>> {
  const guards = [await deps.guard('gateway', named.gatewayId), await deps.guard('farm', farmId)];
  const gateway = await ownGateway(deps, named);
  const farm = await deps.queries.farm(farmId);
  if (farm === null || farm.owner_id !== named.ownerId) throw notFound('Farm');
  if (farm.stream_id === gateway.stream_id) return { answer: farm };
  if (farm.stream_id !== null)
    throw conflict('Another gateway runs this farm; take it off that one first', 'FARM_HAS_GATEWAY');
  if (gateway.status !== 'active')
    throw conflict('This gateway is not paired; pair it again first', 'GATEWAY_NOT_ACTIVE');
  const { id, epoch } = await deps.queries.streamOf(gateway.id);
  return {
    answer: farm,
    changes: [
      insert(syncFarm, { id: farmId, stream_id: gateway.stream_id, bound_at: isoOf(deps.now()) }),
      noteBack(gateway.stream_id, farmId),
      // a gateway that knows the people of the farm already would hear of it by its next look alone
      tell(farmTable, farmId, gateway.stream_id),
    ],
    guards,
    stream: { id, expect: { epoch }, set: { resync: 'farm bound' } },
  };
}

/**
 * Decides that a gateway runs a farm no longer, so that this instance does. Throws 409 while that gateway is let in,
 * unless `isForced`: it would go on steering the same controllers; and where a device of another farm that this instance
 * runs for the owner has the same name, because a name is how a controller is heard.
 */
export async function unbindFarm(
  deps: ChangeGatewayDeps,
  named: Named,
  { farmId, isForced }: { farmId: string; isForced: boolean },
): Promise<Decision<void>> {
  const guards = [await deps.guard('gateway', named.gatewayId), await deps.guard('farm', farmId)];
  const gateway = await ownGateway(deps, named);
  const farm = await deps.queries.farm(farmId);
  if (farm === null || farm.stream_id !== gateway.stream_id) throw notFound('Farm');
  if (gateway.status === 'active' && !isForced)
    throw conflict(
      'This gateway still runs the farm, and both would steer its controllers: unpair the gateway first, or say force=true once it is switched off',
      'GATEWAY_ACTIVE',
    );
  const names = await deps.queries.deviceNames(farmId);
  guards.push(...(await Promise.all(names.map((name) => deps.guard('device', name)))));
  refuseSharedNames(await deps.queries.sharedNames(farmId, farm.owner_id), 'take the farm off its gateway');
  // a clock that is behind would make everybody come to the farm after it went: that they left would not be told
  const [now, joined] = [isoOf(deps.now()), await deps.queries.newestMembership(farmId)];
  const moved = { farm_id: farmId, at: joined !== null && joined > now ? joined : now };
  return {
    answer: undefined,
    changes: [
      purge(syncFarm, farmId),
      noteMoved(gateway.stream_id, moved),
      // the gateway that is still let in asks at once, and hears of it
      tell(farmTable, farmId, gateway.stream_id),
    ],
    guards,
  };
}

async function ownGateway(
  deps: Pick<ChangeGatewayDeps, 'queries'>,
  { gatewayId, ownerId }: Named,
): Promise<Gateway> {
  const gateway = await deps.queries.gateway(gatewayId);
  if (gateway === null || gateway.owner_id !== ownerId) throw notFound('Gateway');
  return gateway;
}
