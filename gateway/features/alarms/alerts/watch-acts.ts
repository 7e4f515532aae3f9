import type { AlertCause } from '#core/alerting.ts';
import type { HeartbeatEntry } from './heartbeat-log.ts';
import type { Clock, Listening } from './ports.ts';

export const DEVICE_TYPES = [
  'DEVICE_OFFLINE',
  'COMMAND_NOT_CONFIRMED',
  'UNSTABLE',
  'NO_CURRENT',
  'POWER_FAILURE',
] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** What a look at the controllers decided. */
export type Act =
  /** `reason`: why, in a word that changes when the sentence does; null: it never does. */
  | { do: 'raise'; cause: AlertCause; reason: string | null }
  | { do: 'resolve'; which: { type: DeviceType; control_point_id?: string; farm_id?: string } }
  | { do: 'fold'; alertId: string; into: string }
  | { do: 'reword'; alertId: string; cause: AlertCause }
  /** Into the activity log. */
  | { do: 'log'; entry: HeartbeatEntry }
  /** The trouble goes on for another reason. */
  | { do: 'restate'; alertId: string; cause: AlertCause };

/** When a look is taken. */
export type Moment = { clock: Clock; listening: Listening };
