import { randomUUID } from 'node:crypto';
import type { RowOf } from '#contract/resource.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { schedule } from '#contract/resources/schedules.ts';
import type { MemberRole } from '#contract/words.ts';
import { type Commit, insert } from '#core/changes.ts';
import type { Owned } from '#core/route.ts';

const AT = '2026-03-01T12:00:00.000Z';
const number = () => Math.floor(Math.random() * 2 ** 47);

/**
 * A farm of one pond with everything on it that a request can name, straight into the database: tests of rights and
 * of the stream need it without depending on the routes they test.
 */
export async function aFarm(
  deps: { commit: Commit },
  ownerId: string,
  members: Readonly<Partial<Record<MemberRole, string>>> = {},
): Promise<Record<Owned, string>> {
  const ids = {
    farm: randomUUID(),
    pond: randomUUID(),
    aerator: randomUUID(),
    control_point: randomUUID(),
    schedule: randomUUID(),
    alert: randomUUID(),
  } satisfies Record<Owned, string>;
  await deps.commit({
    actor: null,
    changes: [
      insert(farm, farmRow(ids.farm, ownerId)),
      ...Object.entries(members).map(([role, userId]) =>
        insert(farmMember, {
          id: randomUUID(),
          farm_id: ids.farm,
          user_id: userId,
          role: role as MemberRole,
          created_at: AT,
          updated_at: null,
        }),
      ),
      insert(controlPoint, controlPointRow(ids.control_point, ids.farm, ownerId)),
      insert(pond, pondRow(ids)),
      insert(aerator, aeratorRow(ids)),
      insert(schedule, scheduleRow(ids)),
      insert(alert, alertRow({ id: ids.alert, farm_id: ids.farm, control_point_id: ids.control_point })),
    ],
  });
  return ids;
}

function farmRow(id: string, owner_id: string): RowOf<typeof farm> {
  return {
    id,
    name: 'Fazenda Aurora',
    description: null,
    owner_id,
    address_id: null,
    lat: null,
    lng: null,
    timezone: 'America/Fortaleza',
    created_at: AT,
    updated_at: null,
  };
}

/** Name of the controller of a control point made here. */
export const deviceIdOf = (controlPointId: string): string => `dev-${controlPointId.slice(0, 12)}`;

export function controlPointRow(id: string, farm_id: string, owner_id: string): RowOf<typeof controlPoint> {
  return {
    id,
    farm_id,
    owner_id,
    cod: `CP-${id.slice(0, 8)}`,
    device_id: deviceIdOf(id),
    target_status: 'OFF',
    version: 1,
    epoch: 'epoch-1',
    target_origin: 'LOCAL',
    current_status: 'OFF',
    current_since: AT,
    last_command_at: null,
    base_target: 'OFF',
    base_at: AT,
    fail_safe: 'HOLD',
    min_on_s: 60,
    min_off_s: 60,
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
    created_at: AT,
    updated_at: null,
  };
}

function pondRow(ids: Record<Owned, string>): RowOf<typeof pond> {
  return {
    id: ids.pond,
    numeric_id: number(),
    farm_id: ids.farm,
    cod: 'V-01',
    pond_type: 'FATTENING',
    size_m2: 3000,
    depth_m: 1.5,
    lat: null,
    lng: null,
    aerator_count: 1,
    control_point_id: ids.control_point,
    created_at: AT,
    updated_at: null,
  };
}

function aeratorRow(ids: Record<Owned, string>): RowOf<typeof aerator> {
  return {
    id: ids.aerator,
    pond_id: ids.pond,
    name: 'Aerador 1',
    device_id: `aer-${ids.aerator.slice(0, 12)}`,
    power_kw: 1.5,
    status: 'OFF',
    last_command_at: null,
    created_at: AT,
    updated_at: null,
  };
}

function scheduleRow(ids: Record<Owned, string>): RowOf<typeof schedule> {
  return {
    id: ids.schedule,
    control_point_id: ids.control_point,
    action: 'ON',
    start_time: '2026-03-01T21:00:00.000Z',
    end_time: null,
    repeat_pattern: 'DAILY',
    days_of_week: null,
    is_active: true,
    description: null,
    effective_from: AT,
    created_at: AT,
    updated_at: null,
  };
}

export function alertRow(
  of: Pick<RowOf<typeof alert>, 'id' | 'farm_id' | 'control_point_id'>,
): RowOf<typeof alert> {
  return {
    ...of,
    pond_id: null,
    type: 'DEVICE_OFFLINE',
    severity: 'HIGH',
    message: 'CP-01 is silent for 10 minutes',
    parameter: null,
    value: null,
    threshold: null,
    status: 'ACTIVE',
    triggered_at: AT,
    resolved_at: null,
    resolved_by: null,
    episode_id: of.id,
    folded_into: null,
    acknowledged_at: null,
    acknowledged_by: null,
    silenced_until: null,
    silenced_by: null,
    silence_reason: null,
    shelved_until: null,
    shelved_by: null,
    shelve_reason: null,
    source: 'automatic',
    clock_quality: 'trusted',
    created_at: AT,
    updated_at: null,
  };
}
