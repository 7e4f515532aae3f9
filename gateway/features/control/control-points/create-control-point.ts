import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import {
  controlPoint,
  type controlPointCreate,
  type controlPointUpdate,
} from '#contract/resources/control-points.ts';
import { deviceKey, presence } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { audit } from '#core/audit.ts';
import { asParent, insert, purge, remove, update } from '#core/changes.ts';
import { conflict, notFound, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type ControlView, requireReal } from '../control-view.ts';
import { type FarmGateways, requireOwnDevices } from '../remote-order.ts';
import type { ControlPoint, ControlPointQueries } from './ports.ts';
import { requireNoAerator } from './siren-mark.ts';

export type ControlPointDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: ControlPointQueries;
  /** Epoch of the targets of this instance; a restore raises it. */
  epoch: string;
  gateways: Pick<FarmGateways, 'hasGateway'>;
};

/** Minimum times of the common four-pole motors; two-pole ones want 90 s. */
const DEFAULT_MIN_S = 60;

export async function createControlPoint(
  deps: ControlPointDeps,
  caller: Caller,
  input: z.infer<typeof controlPointCreate>,
  { isSimulated }: { isSimulated: boolean } = { isSimulated: false },
): Promise<Decision<ControlPoint>> {
  const guard = asParent(await deps.guard('farm', input.farm_id));
  const ownerId = await deps.queries.ownerOfFarm(input.farm_id);
  if (ownerId === null) throw notFound('Farm');
  if (input.id !== undefined && (await deps.queries.idTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const deviceGuard = await deps.guard('device', input.device_id);
  await checkUnique(deps, { ownerId, farmId: input.farm_id }, input);
  const at = isoOf(deps.now());
  const row: RowOf<typeof controlPoint> = {
    id: input.id ?? deps.newId(),
    farm_id: input.farm_id,
    owner_id: ownerId,
    cod: input.cod,
    device_id: input.device_id,
    base_target: input.target_status,
    base_at: at,
    target_status: input.target_status,
    version: 1,
    epoch: deps.epoch,
    target_origin: 'LOCAL',
    current_status: null,
    current_since: null,
    last_command_at: null,
    fail_safe: 'HOLD',
    min_on_s: DEFAULT_MIN_S,
    min_off_s: DEFAULT_MIN_S,
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
    is_siren: false,
    is_simulated: isSimulated,
    allow_unkeyed: null,
    created_at: at,
    updated_at: null,
  };
  const entry = audit(deps, { ...named(row), action: 'create', user_id: caller.userId });
  return {
    answer: { ...row, rev: 1 },
    changes: [insert(controlPoint, row), entry],
    guards: [guard, deviceGuard],
  };
}

export async function changeControlPoint(
  deps: ControlPointDeps,
  caller: Caller,
  { row: current, keys }: Pick<ControlView, 'row' | 'keys'>,
  input: z.infer<typeof controlPointUpdate>,
): Promise<Decision<ControlPoint>> {
  const set = {
    ...(input.cod === undefined || input.cod === current.cod ? {} : { cod: input.cod }),
    ...(input.device_id === undefined || input.device_id === current.device_id
      ? {}
      : { device_id: input.device_id }),
  };
  if (Object.keys(set).length === 0) return { answer: current };
  if (set.device_id !== undefined) {
    requireReal(current);
    await requireOwnDevices(deps.gateways, current.farm_id, current.cod);
  }
  const guards = set.device_id === undefined ? [] : [await deps.guard('device', set.device_id)];
  await checkUnique(deps, { ownerId: current.owner_id, farmId: current.farm_id }, set);
  if (current.is_siren && set.device_id !== undefined) await requireNoAerator(deps, current, set.device_id);
  const stamped = { ...set, updated_at: isoOf(deps.now()) };
  const details = { from: { cod: current.cod, device_id: current.device_id }, to: set };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [
      update(controlPoint, current, stamped),
      // another device is another identity: the keys stay with the old one
      ...(set.device_id === undefined ? [] : keys.map(({ id }) => purge(deviceKey, id))),
      audit(deps, { ...named(current), action: 'update', user_id: caller.userId, details }),
    ],
    guards,
  };
}

async function checkUnique(
  deps: ControlPointDeps,
  { ownerId, farmId }: { ownerId: string; farmId: string },
  { cod, device_id }: { cod?: string | undefined; device_id?: string | undefined },
): Promise<void> {
  if (cod !== undefined && (await deps.queries.codTaken(ownerId, cod)) !== null) {
    throw taken('cod', `cod: another control point has the code ${cod}`);
  }
  if (device_id !== undefined && (await deps.queries.deviceIdTaken(device_id, farmId)) !== null) {
    throw taken('device_id', `device_id: ${device_id} belongs to another control point`);
  }
}

/** The audit fields that name a control point. */
export function named(row: Pick<ControlPoint, 'id' | 'farm_id' | 'cod'>) {
  return {
    farm_id: row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: row.id,
    entity_name: row.cod,
  } as const;
}

/** Decides the end of a control point: its ponds are without one, its schedules stop, its device gets 404. */
export async function deleteControlPoint(
  deps: ControlPointDeps,
  caller: Caller,
  load: () => Promise<ControlView>,
): Promise<Decision<void>> {
  const view = await load();
  const guards = [await deps.guard('farm', view.row.farm_id), await deps.guard('control_point', view.row.id)];
  const ponds = await deps.queries.pondsOf(view.row.id);
  const at = isoOf(deps.now());
  return {
    answer: undefined,
    changes: [
      remove(controlPoint, view.row),
      ...ponds.map(({ id }) => update(pond, id, { control_point_id: null, updated_at: at })),
      ...view.keys.map(({ id }) => purge(deviceKey, id)),
      purge(presence, view.row.id),
      audit(deps, { ...named(view.row), action: 'delete', user_id: caller.userId }),
    ],
    guards,
  };
}
