import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import type { Kernel } from '#core/kernel.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import type { KeyDeps } from '#features/control/devices/device-keys.ts';
import type { LevelDeps } from '#features/control/devices/levels.ts';

/** Offsets of zones, seconds; each zone's calendar is asked once and then remembered. */
export function offsets(): LevelDeps['utcOffsetS'] {
  const clockOf = zoneClocks();
  return (zone, atMs) => clockOf(zone).offsetAt(atMs) / 1000;
}

/** How keys of controllers are made and compared. */
export async function keyTools(kernel: Kernel, database: Database): Promise<KeyDeps> {
  const pepper = await instanceValue(database.read, 'device_key_pepper');
  return {
    ...kernel,
    newKey: () => randomBytes(32).toString('base64url'),
    hashKey: (key) => createHmac('sha256', pepper).update(key).digest('hex'),
    sameHash: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
  };
}
