import { batch, computed, signal } from '@preact/signals';
import type {
  ControlPointEvent,
  GatewayEvent,
  MeasurementEvent,
  PresenceItem,
  SnapshotEvent,
  SyncEvent,
} from '#contract/events/stream.ts';
import { farmZone } from '../i18n/format.ts';
import { noteServerTime } from './clock.ts';
import { people } from './people.ts';

// What the event stream told: the farms of the person, every control point with its last word, the alerts that stand.
// A snapshot replaces everything; between two of them the higher `rev` wins.

export type Farm = SnapshotEvent['farms'][number];
export type Alert = SnapshotEvent['alerts'][number];
export type ControlPoint = ControlPointEvent;
export type Presence = PresenceItem;

export const farms = signal<readonly Farm[]>([]);
export const controlPoints = signal<ReadonlyMap<string, ControlPoint>>(new Map());
export const presence = signal<ReadonlyMap<string, Presence>>(new Map());
export const alerts = signal<ReadonlyMap<string, Alert>>(new Map());
export const unread = signal(0);
export const clockQuality = signal<'trusted' | 'estimated'>('trusted');
export const sync = signal<SyncEvent | null>(null);
/** Farms that a gateway runs, as a hosted instance sees it: since when it is silent, null while it is there. */
export const gateways = signal<ReadonlyMap<string, number | null>>(new Map());
/** False until the first snapshot. */
export const isKnown = signal(false);

const CHOSEN = 'farm';
const chosen = signal(localStorage.getItem(CHOSEN));

export const farm = computed<Farm | null>(
  () => farms.value.find(({ id }) => id === chosen.value) ?? farms.value[0] ?? null,
);
/** What the person may do on a farm, which need not be the one shown: alarms come from all of them. */
export function mayOperateOn(farmId: string): boolean {
  const found = farms.value.find(({ id }) => id === farmId);
  return found !== undefined && found.role !== 'VIEWER';
}
/** What the person may do on the farm shown. */
export const mayOperate = computed(() => farm.value !== null && mayOperateOn(farm.value.id));
export const mayManage = computed(() => farm.value?.role === 'OWNER' || farm.value?.role === 'MANAGER');
export const isOwner = computed(() => farm.value?.role === 'OWNER');

export function chooseFarm(id: string): void {
  chosen.value = id;
  localStorage.setItem(CHOSEN, id);
}

export const farmControlPoints = computed(() =>
  [...controlPoints.value.values()]
    .filter(({ farm_id }) => farm_id === farm.value?.id)
    .sort((a, b) => a.cod.localeCompare(b.cod, undefined, { numeric: true })),
);

/** Those that air ponds: a siren is no aerator, and nothing that counts or switches aeration may take it for one. */
export const farmAirPoints = computed(() => farmControlPoints.value.filter(({ is_siren }) => !is_siren));
export const farmSirens = computed(() => farmControlPoints.value.filter(({ is_siren }) => is_siren));

type Listener = (event: { name: string; data: unknown }) => void;
const listeners = new Set<Listener>();
/** Hears every event after it is in the store: queries that rest on it are asked anew. */
export const onEvent = (listener: Listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

type Rev = { id: string; rev: number; deleted: boolean };

function put<Row extends Rev>(into: typeof controlPoints | typeof alerts, row: Row, isGone: boolean): void {
  const rows = into.value as ReadonlyMap<string, Rev>;
  const known = rows.get(row.id);
  if (known !== undefined && known.rev > row.rev) return;
  const next = new Map(rows);
  if (isGone) next.delete(row.id);
  else next.set(row.id, row);
  (into as { value: ReadonlyMap<string, Rev> }).value = next;
}

/** What the answer to an order says, until the stream says so too: a switch must not jump back in between. */
export function noteOrdered(
  controlPointId: string,
  ordered: Pick<ControlPoint, 'target_status' | 'version' | 'last_command_at'>,
): void {
  const known = controlPoints.value.get(controlPointId);
  if (known === undefined || known.version >= ordered.version) return;
  controlPoints.value = new Map(controlPoints.value).set(controlPointId, { ...known, ...ordered });
}

/** Takes one event of the stream. */
export function take(name: string, data: unknown): void {
  batch(() => apply(name, data));
  for (const listener of listeners) listener({ name, data });
}

function apply(name: string, data: unknown): void {
  switch (name) {
    case 'snapshot':
      return takeSnapshot(data as SnapshotEvent);
    case 'control_point': {
      const row = data as ControlPoint;
      return put(controlPoints, row, row.deleted);
    }
    case 'alert': {
      const row = data as Alert;
      return put(alerts, row, row.deleted || row.status !== 'ACTIVE');
    }
    case 'presence':
      return takePresence((data as { control_points: Presence[] }).control_points);
    case 'notification': {
      const row = data as { read_at?: string | null; is_read?: boolean; rev: number };
      if (row.rev === 1) unread.value += 1;
      return;
    }
    case 'clock': {
      const told = data as { quality: 'trusted' | 'estimated'; server_time: string };
      clockQuality.value = told.quality;
      return noteServerTime(told.server_time, true);
    }
    case 'sync':
      sync.value = data as SyncEvent;
      return;
    case 'gateway':
      gateways.value = withGateway(gateways.value, data as GatewayEvent);
      return;
    default:
      return;
  }
}

function withGateway(
  known: ReadonlyMap<string, number | null>,
  { farm_id, has_gateway, silent_since }: GatewayEvent,
): ReadonlyMap<string, number | null> {
  const next = new Map(known);
  if (has_gateway) next.set(farm_id, silent_since === null ? null : Date.parse(silent_since));
  else next.delete(farm_id);
  return next;
}

/** While a hosted instance is upgraded, the process that holds the stream may be older than this page. */
type Younger = 'gateways' | 'sync' | 'people';
type Told = Omit<SnapshotEvent, Younger> & Partial<Pick<SnapshotEvent, Younger>>;

function takeSnapshot(told: Told): void {
  noteServerTime(told.server_time, true);
  clockQuality.value = told.clock_quality;
  farms.value = told.farms;
  people.value = new Map((told.people ?? []).map(({ id, name }) => [id, name]));
  controlPoints.value = new Map(told.control_points.map((row) => [row.id, row]));
  presence.value = new Map(told.presence.map((item) => [item.control_point_id, item]));
  alerts.value = new Map(told.alerts.map((row) => [row.id, row]));
  unread.value = told.unread_notifications;
  // not told is not none
  if (told.gateways !== undefined)
    gateways.value = told.gateways.reduce(withGateway, new Map<string, number | null>());
  if (told.sync !== undefined) sync.value = told.sync;
  isKnown.value = true;
  if (farm.value !== null) farmZone.value = farm.value.timezone;
}

function takePresence(items: readonly Presence[]): void {
  const next = new Map(presence.value);
  for (const item of items) next.set(item.control_point_id, item);
  presence.value = next;
}

farm.subscribe((shown) => {
  if (shown !== null) farmZone.value = shown.timezone;
});

export type Measurement = MeasurementEvent;
