import type { ControlView } from '#core/control-view.ts';
import { conflict, invalidField } from '#core/errors.ts';
import type { ControlPoint, ControlPointQueries } from './ports.ts';

type Marked = Pick<ControlPoint, 'is_siren' | 'fail_safe' | 'min_on_s' | 'min_off_s'> &
  Pick<ControlPoint, 'do_on' | 'do_off' | 'do_emergency'>;

/**
 * What a control point becomes with the mark of a siren: it falls silent without a gateway, and an acknowledgement is
 * heard at once. Throws 409 while it airs ponds, by itself or as the device of an aerator, or follows schedules.
 */
export async function asSiren(
  queries: Pick<ControlPointQueries, 'aeratorsOfDevice'>,
  { row, ponds, schedules }: Pick<ControlView, 'row' | 'ponds' | 'schedules'>,
): Promise<Marked> {
  const aerators = await queries.aeratorsOfDevice(row.device_id);
  const inTheWay = [
    ...ponds.map(({ cod }) => `pond ${cod}`),
    ...aerators.map(({ name, pondCod }) => `aerator ${name} of pond ${pondCod}`),
    ...(schedules.length === 0 ? [] : [`${schedules.length} schedules`]),
  ];
  if (inTheWay.length > 0) {
    throw conflict(
      `${row.cod} drives ${inTheWay.slice(0, 5).join(', ')}: take them from it first, a siren is no aerator`,
      'SIREN_IN_USE',
    );
  }
  return {
    is_siren: true,
    fail_safe: 'OFF',
    min_on_s: 0,
    min_off_s: 0,
    do_on: null,
    do_off: null,
    do_emergency: null,
  };
}

/** Throws 400 where a siren is told to follow oxygen. */
export function requireNoOxygen(after: Marked): void {
  if (!after.is_siren) return;
  for (const field of ['do_on', 'do_off', 'do_emergency'] as const) {
    if (after[field] !== null) throw invalidField(400, field, 'a siren follows no oxygen');
  }
}
