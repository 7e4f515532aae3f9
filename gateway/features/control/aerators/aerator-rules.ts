import type { GuardSeen } from '#core/changes.ts';
import { invalidField, taken } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { AeratorQueries } from './ports.ts';

/** kW from either spelling of the power; undefined when neither was given. */
export function powerKwOf(input: {
  power_kw?: number | undefined;
  power_watts?: number | undefined;
}): number | undefined {
  if (input.power_kw !== undefined || input.power_watts === undefined) return input.power_kw;
  // 1.1 W is 0.0011 kW, not 0.0011000000000000001
  return Number((input.power_watts / 1000).toPrecision(15));
}

/**
 * A serial number names one device of a gateway, or of an owner's farms without one; throws 400 when another aerator bears it, or a siren. Answers the
 * guard under which no siren gets it meanwhile.
 */
export async function requireFreeDevice(
  {
    guard,
    queries,
  }: Pick<Kernel, 'guard'> & { queries: Pick<AeratorQueries, 'aeratorIdOfDevice' | 'isSirenDevice'> },
  { deviceId, pondId }: { deviceId: string; pondId: string },
  ownId: string | null,
): Promise<GuardSeen> {
  const seen = await guard('device', deviceId);
  const bearer = await queries.aeratorIdOfDevice(deviceId, pondId);
  if (bearer !== null && bearer !== ownId)
    throw taken('device_id', `device_id: another aerator already has the serial number ${deviceId}`);
  if (await queries.isSirenDevice(deviceId, pondId))
    throw invalidField(400, 'device_id', 'is a siren, which airs no pond');
  return seen;
}
