import type {
  DiskState,
  GatewayEvent,
  PresenceItem,
  SnapshotEvent,
  SyncEvent,
} from '#contract/events/stream.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

type Contact = { control_point_id: string; heard_at_ms: number; consumption: number };
type Stored = Pick<
  SnapshotEvent,
  'farms' | 'people' | 'control_points' | 'alerts' | 'returned' | 'unread_notifications'
> & {
  contacts: Contact[];
};

export type EventSnapshotDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  storedSnapshot: (userId: string, farmIds: readonly string[], now: number) => Promise<Stored>;
  /** Presence from the memory of the process that hears the controllers; null where nothing is known of it here. */
  presenceOf: (controlPointId: string) => PresenceItem | null;
  /** A control point with what memory knows better: a state or an order that the disk did not take. */
  asKnown: (point: SnapshotEvent['control_points'][number]) => SnapshotEvent['control_points'][number];
  disk: () => DiskState;
  onlineAfterMs: number;
  /** How the gateways of those farms stand that have one. */
  gatewaysOf: (farmIds: readonly string[]) => GatewayEvent[];
  /** How the sync stands as viewers were told; null on a hosted instance. */
  syncAsTold: () => Promise<SyncEvent | null>;
};

/** All a viewer needs to draw the farm: what is stored, with the newest word of every controller. */
export async function eventSnapshot(
  deps: EventSnapshotDeps,
  userId: string,
  farmIds: readonly string[],
): Promise<SnapshotEvent> {
  const { contacts, ...stored } = await deps.storedSnapshot(userId, farmIds, deps.now());
  const sync = await deps.syncAsTold();
  const contactsById = new Map(contacts.map((contact) => [contact.control_point_id, contact]));
  const presence = stored.control_points.map(
    ({ id, current_status }) =>
      deps.presenceOf(id) ?? storedPresence(deps, { id, current_status }, contactsById.get(id)),
  );
  return {
    server_time: isoOf(deps.now()),
    clock_quality: deps.clockQuality(),
    disk: deps.disk(),
    ...stored,
    control_points: stored.control_points.map(deps.asKnown),
    presence,
    gateways: deps.gatewaysOf(farmIds),
    sync,
  };
}

function storedPresence(
  deps: EventSnapshotDeps,
  { id, current_status }: Pick<SnapshotEvent['control_points'][number], 'id' | 'current_status'>,
  contact: Contact | undefined,
): PresenceItem {
  const silentForMs = contact === undefined ? Number.POSITIVE_INFINITY : deps.now() - contact.heard_at_ms;
  return {
    control_point_id: id,
    is_online: silentForMs <= deps.onlineAfterMs,
    last_heartbeat: contact === undefined ? null : new Date(contact.heard_at_ms).toISOString(),
    current_status,
    consumption: contact?.consumption ?? 0,
  };
}
