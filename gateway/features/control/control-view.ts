import type { RowOf, Stored } from '#contract/resource.ts';
import type { controlPoint, order } from '#contract/resources/control-points.ts';
import type { deviceKey } from '#contract/resources/local-tables.ts';
import type { schedule } from '#contract/resources/schedules.ts';
import type { ReportSource, SwitchState } from '#contract/words.ts';
import type { DeviceActivity } from '#core/device-activity.ts';
import type { InEach } from '#core/each-language.ts';
import { conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';

export type ControlPoint = Stored<RowOf<typeof controlPoint>>;
export type Schedule = Stored<RowOf<typeof schedule>>;
export type Order = Stored<RowOf<typeof order>>;
export type DeviceKey = RowOf<typeof deviceKey>;

/** What goes before every order, every schedule and every hand, for as long as it lasts. */
export type OverridingReason = 'LOCK_OUT' | 'EMERGENCY_OXYGEN';

/** Why a controller does not stand where it should, or why nobody can tell how it stands, by its true name. */
export type DeviceTrouble = { code: string; sentence: InEach };

/** What a controller last told of itself. Lives in memory; `last_heartbeat` and `consumption` are flushed. */
export type Presence = {
  lastReportAt: number | null;
  /** Same instant on the clock that only grows; null for what an earlier run heard. */
  lastReportMonotonic: number | null;
  via: 'mqtt' | 'http' | null;
  /** Whether the last report came with a key, or from a user; null or absent: not known. */
  isProved?: boolean | null;
  isConnected: boolean;
  /** The broker announced the end of its connection after the last report. */
  isLost: boolean;
  current: SwitchState | null;
  /** When `current` last changed, ms by the instance's clock; null: not known. */
  currentSince: number | null;
  consumption: number;
  source: ReportSource | null;
  reportedVersion: number | null;
  powerOk: boolean | null;
  motorCurrentMa: number | null;
  rssi: number | null;
  firmwareVersion: string | null;
  uptimeS: number | null;
  bootId: string | null;
  deferredUntil: number | null;
  /** What it showed lately of whether it works steadily. */
  activity: DeviceActivity;
  configRev: number | null;
  scheduleRev: number | null;
  /** What keeps it from its target, as far as it is known by name (relays of the trade); absent: nothing is known. */
  trouble?: DeviceTrouble | null;
  /** The end of the last report that is being stored; later ones, of another connection too, wait for it. */
  storing?: Promise<unknown> | null;
  /** Hosted instance, farm with a gateway: what that told; it hears the controllers, not this instance. */
  remote?: RemotePresence | null;
};

export type RemoteTarget = Pick<ControlPoint, 'target_status' | 'version' | 'epoch'>;

/** `link` is shared by all control points of a gateway. */
export type RemotePresence = {
  isOnline: boolean;
  link: { believedUntil: number };
  /** As the gateway last told it on its live connection; null: it is of a version that does not. */
  target?: RemoteTarget | null;
};

/** A target the disk would not take: control goes on from memory until it does. */
export type UnsavedTarget = Pick<
  ControlPoint,
  'target_status' | 'version' | 'target_origin' | 'last_command_at'
> & {
  order: RowOf<typeof order>;
  /** Orders before it that the disk did not take either, oldest first: they are saved with it. */
  earlier: readonly RowOf<typeof order>[];
};

/** A lock-out that was set or lifted while the disk took nothing: it holds from memory until it does. */
export type UnsavedLock = Pick<
  ControlPoint,
  'locked_out' | 'lock_out_reason' | 'lock_out_by' | 'lock_out_at' | 'config_rev'
>;

/** One control point with all that control needs, kept in memory beside the database. */
export type ControlView = {
  row: ControlPoint;
  unsaved: UnsavedTarget | null;
  /** `row` shows it already. */
  unsavedLock?: UnsavedLock | null;
  mqttId: string;
  zone: string;
  farmName: string;
  ponds: readonly { id: string; cod: string }[];
  /** Sum of the aerators' power on its ponds, kW: the largest start first. */
  powerKw: number;
  schedules: readonly Schedule[];
  /** The latest orders of people, newest first, at most 20. */
  manualOrders: readonly Order[];
  /** The order whose outcome is still open. */
  openOrder: Order | null;
  keys: readonly DeviceKey[];
  presence: Presence;
  /**
   * When an order for a time ends, ms since 1970 by the time shown now; null: it has no end of its own. Counted on the
   * clock that only grows. Absent: as its row says.
   */
  endOf?: (order: OrderTimes) => number | null;
};

export type OrderTimes = Pick<Order, 'id' | 'issued_at' | 'hold_until' | 'clock_quality'>;

/** The target as control knows it, saved or not. */
export function targetOf(
  view: Pick<ControlView, 'row' | 'unsaved'>,
): Pick<ControlPoint, 'target_status' | 'version' | 'epoch' | 'target_origin' | 'last_command_at'> {
  const { target_status, version, target_origin, last_command_at } = view.unsaved ?? view.row;
  return { target_status, version, epoch: view.row.epoch, target_origin, last_command_at };
}

/** What the motor does as last reported, saved or not, and since when. */
export function currentOf({
  row,
  presence: { current, currentSince },
}: Pick<ControlView, 'row' | 'presence'>): Pick<ControlPoint, 'current_status' | 'current_since'> {
  if (current === null) return { current_status: row.current_status, current_since: row.current_since };
  return { current_status: current, current_since: currentSince === null ? null : isoOf(currentSince) };
}

/** What control knows of wanted and reported state, saved or not, to be laid over a row; nothing for no view. */
export const knownState = (
  view: Pick<ControlView, 'row' | 'unsaved' | 'presence'> | null,
): Partial<ReturnType<typeof targetOf> & ReturnType<typeof currentOf>> =>
  view === null ? {} : { ...targetOf(view), ...currentOf(view) };

/** A controller reported what its motor does. */
export function noteCurrent(presence: Presence, current: SwitchState | null, atMs: number): void {
  if (presence.current === current) return;
  presence.current = current;
  presence.currentSince = atMs;
}

/**
 * The target by the gateway's own word where that is newer than the row: after weeks without a link the rows need their
 * time, and an order from afar must rest on what holds now. null: the row is as new.
 */
export function newerTarget({ row, presence }: Pick<ControlView, 'row' | 'presence'>): RemoteTarget | null {
  const told = presence.remote?.target ?? null;
  return told !== null && (told.epoch !== row.epoch || told.version > row.version) ? told : null;
}

/** Looks into the registry of control points; answers from memory. */
export type ControlViews = {
  byId: (id: string) => ControlView | null;
  /** One on a gateway; on a hosted instance every farm may have one of that name. */
  byDeviceId: (deviceId: string) => readonly ControlView[];
  byMqttId: (mqttId: string) => ControlView | null;
  /** The one that a pond, a schedule or a key belongs to. */
  byPart: (id: string) => ControlView | null;
  ofFarm: (farmId: string) => readonly ControlView[];
  /** For what concerns every one; a hosted instance has very many. */
  all: () => Iterable<ControlView>;
  /** Those of which this instance heard since presence was flushed, by id. */
  unflushed: Set<string>;
};

/** A controller is online this long after its last report, and not after the broker saw it go. */
export function isOnline(presence: Presence, nowMs: number, onlineAfterMs: number): boolean {
  if (presence.remote) return presence.remote.isOnline && nowMs <= presence.remote.link.believedUntil;
  return presence.lastReportAt !== null && !presence.isLost && nowMs - presence.lastReportAt <= onlineAfterMs;
}

/**
 * Throws 409 for a control point of the simulator: a real controller never takes its place, so that nothing real is ever
 * shown as simulated, and nothing simulated as real.
 */
export function requireReal({ cod, is_simulated }: Pick<ControlPoint, 'cod' | 'is_simulated'>): void {
  if (!is_simulated) return;
  throw conflict(
    `${cod} is of the simulator: delete it, and make a control point for the real controller`,
    'SIMULATED',
  );
}
