import * as z from 'zod';
import type { Resource, RowOf } from '../resource.ts';
import { alert } from '../resources/alerts.ts';
import { commandEntry, type controlPoint, isProved, order } from '../resources/control-points.ts';
import { notification } from '../resources/notifications.ts';
import { FAIL_SAFES, MEMBER_ROLES, ORIGINS, REPORT_SOURCES, SWITCH_STATES } from '../words.ts';

// What GET /events tells. Every event carries a whole row, never a difference: an event that comes twice, or behind
// a snapshot that already has it, does no harm; `rev` says which of two is newer.

const rowEvent = {
  rev: z.int().describe('Counts the changes of this row on this instance: the higher one is newer'),
  deleted: z.boolean(),
};

function eventOf<Row extends { id: string }>(
  resource: Resource<Row>,
): z.ZodType<Row & { rev: number; deleted: boolean }> {
  // the shape of the row with two fields more: TypeScript cannot see the row through its shape
  return z.object({ ...resource.row.shape, ...rowEvent }) as unknown as ReturnType<typeof eventOf<Row>>;
}

export const alertEvent = eventOf(alert);
/** In a snapshot an episode stands by its newest alert; these tell of the others. */
const alertOfSnapshot = alertEvent.and(
  z.object({
    episode_count: z.int().describe('Alerts of its episode'),
    episode_since: z.string().describe('When the first of them was triggered'),
  }),
);
export const orderEvent = eventOf(order).and(z.object({ farm_id: z.uuid() }));
export const notificationEvent = eventOf(notification);

/** The shadow of a control point; what it reports all the time (power draw, last contact) comes as `presence`. */
export const controlPointEvent = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  cod: z.string(),
  device_id: z.string(),
  target_status: z.enum(SWITCH_STATES),
  current_status: z.enum(SWITCH_STATES).nullable(),
  current_since: z.string().nullable(),
  version: z.int(),
  epoch: z.string(),
  target_origin: z.enum(ORIGINS),
  last_command_at: z.string().nullable(),
  fail_safe: z.enum(FAIL_SAFES),
  locked_out: z.boolean(),
  lock_out_reason: z.string().nullable(),
  lock_out_by: z.uuid().nullable().describe('Who locked it out; `people` of the snapshot has the name'),
  lock_out_at: z.string().nullable(),
  is_siren: z.boolean().describe('Switched by critical alerts alone; airs nothing'),
  is_simulated: z.boolean().describe('Of the simulator: no motor hangs on it'),
  updated_at: z.string().nullable(),
  ...rowEvent,
});
export type ControlPointEvent = z.infer<typeof controlPointEvent>;

export function controlPointEventOf(
  row: RowOf<typeof controlPoint>,
  { rev, deleted }: { rev: number; deleted: boolean },
): ControlPointEvent {
  return {
    id: row.id,
    farm_id: row.farm_id,
    cod: row.cod,
    device_id: row.device_id,
    target_status: row.target_status,
    current_status: row.current_status,
    current_since: row.current_since,
    version: row.version,
    epoch: row.epoch,
    target_origin: row.target_origin,
    last_command_at: row.last_command_at,
    fail_safe: row.fail_safe,
    locked_out: row.locked_out,
    lock_out_reason: row.lock_out_reason,
    lock_out_by: row.lock_out_by,
    lock_out_at: row.lock_out_at,
    is_siren: row.is_siren,
    is_simulated: row.is_simulated,
    updated_at: row.updated_at,
    rev,
    deleted,
  };
}

export const presenceItem = z.object({
  control_point_id: z.uuid(),
  is_online: z.boolean(),
  last_heartbeat: z.string().nullable(),
  current_status: z.enum(SWITCH_STATES).nullable(),
  consumption: z.number().describe('kW as last reported'),
  source: z.enum(REPORT_SOURCES).nullable().optional(),
  motor_current_ma: z.number().nullable().optional(),
  rssi: z.number().nullable().optional(),
  power_ok: z.boolean().nullable().optional(),
  is_proved: isProved.optional(),
});
export type PresenceItem = z.infer<typeof presenceItem>;

/** The newest of each controller, gathered for a second. */
export const presenceEvent = z.object({ farm_id: z.uuid(), control_points: z.array(presenceItem) });

/** Hosted instance: how far an order to a farm with a gateway got; without one on its way the gateway's target holds. */
export const commandEvent = commandEntry.omit({ issued_by_name: true }).extend({ farm_id: z.uuid() });
export type CommandEvent = z.infer<typeof commandEvent>;

/** A water-quality measurement that was stored. */
export const measurementEvent = z
  .looseObject({ id: z.uuid(), farm_id: z.uuid(), pond_id: z.uuid(), measurement_date: z.string() })
  .describe('The measurement as its resource answers it');
export type MeasurementEvent = z.infer<typeof measurementEvent>;

export const clockEvent = z.object({
  quality: z.enum(['trusted', 'estimated']),
  server_time: z.string(),
  detail: z.string().optional(),
});
export type ClockEvent = z.infer<typeof clockEvent>;

export const DISK_STATES = ['ok', 'low', 'full'] as const;
export type DiskState = (typeof DISK_STATES)[number];

/** Told without the disk's help. While it is full, control goes on from memory, and nothing new is stored. */
export const diskEvent = z.object({
  state: z.enum(DISK_STATES).describe('low: little room is left; full: it refused the last write'),
  server_time: z.string(),
});
export type DiskEvent = z.infer<typeof diskEvent>;

export const syncEvent = z.object({
  state: z.enum(['unpaired', 'connected', 'catching_up', 'offline']),
  last_sync_at: z.string().nullable(),
  pending_changes: z.int().optional(),
});
export type SyncEvent = z.infer<typeof syncEvent>;

/** Hosted instance: whether the gateway of a farm is there. Told when that changes, within seconds, never again and again. */
export const gatewayEvent = z.object({
  farm_id: z.uuid(),
  has_gateway: z.boolean().describe('false: no gateway runs the farm any more, this instance does'),
  silent_since: z
    .string()
    .nullable()
    .describe('Since when nothing is heard of the gateway; null: it is there'),
});
export type GatewayEvent = z.infer<typeof gatewayEvent>;

/** What can change without a row event, and the paths whose answers tell it. */
export const CHANGED_KINDS = {
  adoption: '/adoption',
  backup: '/system/backup, /system/restore',
  bench: '/bench',
  device_keys: '/control-points/{id}/device-key, …/rotate-key',
  farm_console: '/farms/{id}/console',
  firmware: '/firmware',
  modem: '/system/modem',
  notification_channels: '/notification-channels',
  pairing: '/sync/pairing',
  probes: '/probes, /probe-buses, /probe-profiles',
  relays: '/relays, /control-points/{id}/relay',
  shadow: '/control-points/{id}/shadow',
  simulator: '/simulator',
  siren: '/farms/{id}/siren',
} as const;
export type ChangedKind = keyof typeof CHANGED_KINDS;

/**
 * What no row above tells of (a gateway's technicians' desks, what a farm arranged) differs from before. It says where to
 * look, not what is there; each kind is told once a second at most, to those who may ask.
 */
export const changedEvent = z.object({
  farm_id: z.uuid().nullable().describe('The farm it concerns; null: the box, or the caller'),
  kinds: z
    // the keys of the object as they stand
    .array(z.enum(Object.keys(CHANGED_KINDS) as [ChangedKind, ...ChangedKind[]]))
    .describe(
      `What to ask anew: ${Object.entries(CHANGED_KINDS)
        .map(([kind, paths]) => `${kind} (${paths})`)
        .join('; ')}`,
    ),
});
export type ChangedEvent = z.infer<typeof changedEvent>;

/** First event of every stream, and again when the caller's farms change or people join them: it replaces all that was known. */
export const snapshotEvent = z.object({
  server_time: z.string(),
  clock_quality: z.enum(['trusted', 'estimated']),
  disk: z.enum(DISK_STATES).describe('As in `disk`'),
  farms: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      timezone: z.string(),
      lat: z.string().nullable().describe('Degrees, as the farm has them'),
      lng: z.string().nullable(),
      role: z.enum(['OWNER', ...MEMBER_ROLES]),
    }),
  ),
  people: z
    .array(z.object({ id: z.uuid(), name: z.string() }))
    .describe('Owners of these farms and who is or was a member of them: whom the ids in rows mean'),
  control_points: z.array(controlPointEvent),
  presence: z.array(presenceItem),
  alerts: z
    .array(alertOfSnapshot)
    .describe('ACTIVE ones, each episode by its newest, newest first, at most 1,000'),
  returned: z
    .array(alertOfSnapshot)
    .describe(
      'RESOLVED by themselves within a day and acknowledged by nobody: the newest of each condition at each place, at most 200',
    ),
  unread_notifications: z.int(),
  gateways: z
    .array(gatewayEvent)
    .describe('Hosted instance: how the gateways of these farms stand; a farm that is not named has none'),
  sync: syncEvent.nullable().describe('Gateway: its link to the hosted instance; null on a hosted instance'),
});
export type SnapshotEvent = z.infer<typeof snapshotEvent>;

export const CLOSE_REASONS = [
  'token_expired',
  'signed_out',
  'access_ended',
  'too_slow',
  'server_stopping',
  'making_room',
] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/**
 * Last event of a stream that the server ends. After `token_expired` and `signed_out` a new token is needed;
 * `making_room`: this instance is full, and somebody came who had fewer streams.
 */
export const closedEvent = z.object({ reason: z.enum(CLOSE_REASONS) });

/** Every event of the stream: its name and the shape of its data. */
export const STREAM_EVENTS = {
  snapshot: snapshotEvent,
  alert: alertEvent,
  control_point: controlPointEvent,
  order: orderEvent,
  notification: notificationEvent,
  presence: presenceEvent,
  command: commandEvent,
  measurement: measurementEvent,
  clock: clockEvent,
  disk: diskEvent,
  sync: syncEvent,
  gateway: gatewayEvent,
  changed: changedEvent,
  closed: closedEvent,
} as const;
export type StreamEventName = keyof typeof STREAM_EVENTS;

/** POST /events/ticket */
export const eventTicket = z.object({
  ticket: z.string().describe('For GET /events?ticket=; opens one stream'),
  expires_at: z.string(),
});
