import type { GuardSeen } from '#core/changes.ts';
import { conflict, invalidField } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { type ControlView, requireReal } from '../control-view.ts';
import type { ControlPoint, ControlPointQueries } from './ports.ts';

type SirenDeps = Pick<Kernel, 'guard'> & { queries: Pick<ControlPointQueries, 'aeratorsOfDevice'> };

type Marked = Pick<ControlPoint, 'is_siren' | 'fail_safe' | 'min_on_s' | 'min_off_s'> &
  Pick<ControlPoint, 'do_on' | 'do_off' | 'do_emergency'>;

/**
 * What a control point becomes with the mark of a siren: it falls silent without a gateway, and an acknowledgement is
 * heard at once. Throws 409 while it airs ponds, by itself or as the device of an aerator, or follows schedules. Ponds and
 * schedules are those of the view, which is read after the guard of the control point.
 */
export async function asSiren(
  deps: SirenDeps,
  { row, ponds, schedules }: Pick<ControlView, 'row' | 'ponds' | 'schedules'>,
): Promise<{ marked: Marked; guard: GuardSeen }> {
  requireReal(row);
  const { aerators, guard } = await aeratorsOf(deps, row.device_id, row.farm_id);
  const inTheWay = [
    ...ponds.map(({ cod }) => `pond ${cod}`),
    ...aerators,
    ...(schedules.length === 0 ? [] : [`${schedules.length} schedules`]),
  ];
  if (inTheWay.length > 0) {
    throw conflict(
      `${row.cod} drives ${inTheWay.slice(0, 5).join(', ')}: take them from it first, a siren is no aerator`,
      'SIREN_IN_USE',
    );
  }
  const silent = { fail_safe: 'OFF', min_on_s: 0, min_off_s: 0 } as const;
  return { marked: { is_siren: true, ...silent, do_on: null, do_off: null, do_emergency: null }, guard };
}

/** Throws 409 where a siren is to get the identity of an aerator. */
export async function requireNoAerator(
  deps: SirenDeps,
  { cod, farm_id: farmId }: Pick<ControlPoint, 'cod' | 'farm_id'>,
  deviceId: string,
): Promise<void> {
  const { aerators } = await aeratorsOf(deps, deviceId, farmId);
  if (aerators.length === 0) return;
  throw conflict(
    `${deviceId} is the device of ${aerators.slice(0, 5).join(', ')}, and ${cod} is a siren, which is no aerator`,
    'SIREN_IN_USE',
  );
}

async function aeratorsOf({ guard, queries }: SirenDeps, deviceId: string, farmId: string) {
  const seen = await guard('device', deviceId);
  const found = await queries.aeratorsOfDevice(deviceId, farmId);
  return { aerators: found.map(({ name, pondCod }) => `aerator ${name} of pond ${pondCod}`), guard: seen };
}

/** Throws 400 where a siren is told to follow oxygen. */
export function requireNoOxygen(after: Marked): void {
  if (!after.is_siren) return;
  for (const field of ['do_on', 'do_off', 'do_emergency'] as const) {
    if (after[field] !== null) throw invalidField(400, field, 'a siren follows no oxygen');
  }
}
