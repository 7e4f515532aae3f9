import { batch, computed, signal } from '@preact/signals';
import type * as z from 'zod';
import type {
  alertEvent,
  ControlPointEvent,
  DiskEvent,
  DiskState,
  GatewayEvent,
  MeasurementEvent,
  PresenceItem,
  SnapshotEvent,
  SyncEvent,
} from '#contract/events/stream.ts';
import { mayOnFarm, type Right } from '#contract/rights.ts';
import { farmZone } from '../i18n/format.ts';
import { byCod } from '../state/code-order.ts';
import { type KnownAlerts, withAlert } from '../state/standing-alerts.ts';
import { get } from './api.ts';
import { noteServerTime, serverNow } from './clock.ts';
import { people } from './people.ts';
import { userId } from './session.ts';

// What the event stream told: the farms of the person, every control point with its last word, the alerts that stand.
// A snapshot replaces everything; between two of them the higher `rev` wins.

export type Farm = SnapshotEvent['farms'][number];
/** What a snapshot tells of its episode besides, other events do not: `withAlert` carries it on. */
export type Alert = z.infer<typeof alertEvent> &
  Partial<Pick<SnapshotEvent['alerts'][number], 'episode_count' | 'episode_since'>>;
export type ControlPoint = ControlPointEvent;
export type Presence = PresenceItem;

export const farms = signal<readonly Farm[]>([]);
export const controlPoints = signal<ReadonlyMap<string, ControlPoint>>(new Map());
export const presence = signal<ReadonlyMap<string, Presence>>(new Map());
const knownAlerts = signal<KnownAlerts<Alert>>({ rows: new Map(), gone: new Map() });
/** Those that stand, and those that ended by themselves before somebody answered them. */
export const alerts = computed(() => knownAlerts.value.rows);
export const unread = signal(0);
const COUNT_AFTER_MS = 300;
export const clockQuality = signal<'trusted' | 'estimated'>('trusted');
export const disk = signal<DiskState>('ok');
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
export function mayOn(farmId: string, right: Right): boolean {
  const found = farms.value.find(({ id }) => id === farmId);
  return found !== undefined && mayOnFarm(found.role, right);
}
/** What the person may do on the farm shown. */
const may = (right: Right) => computed(() => farm.value !== null && mayOnFarm(farm.value.role, right));
export const mayRecord = may('record');
export const mayAttend = may('attend');
export const mayOperate = may('operate');
export const mayManage = may('manage');
export const isOwner = may('own');
export const seesMoney = may('read_finance');
/** A slip is corrected by whoever recorded it, and by whoever manages the farm. */
export const mayCorrect = (row: { created_by?: string | null }): boolean =>
  mayManage.value || (mayRecord.value && userId.value !== null && row.created_by === userId.value);

/** A note on a control point, by technicians, too. */
export const mayCorrectNote = (row: { created_by?: string | null }): boolean =>
  mayManage.value || (mayAttend.value && userId.value !== null && row.created_by === userId.value);

export function chooseFarm(id: string): void {
  chosen.value = id;
  localStorage.setItem(CHOSEN, id);
}

export const farmControlPoints = computed(() =>
  [...controlPoints.value.values()].filter(({ farm_id }) => farm_id === farm.value?.id).sort(byCod),
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

function putPoint(row: ControlPoint): void {
  const known = controlPoints.value.get(row.id);
  if (known !== undefined && known.rev > row.rev) return;
  const next = new Map(controlPoints.value);
  if (row.deleted) next.delete(row.id);
  else next.set(row.id, row);
  controlPoints.value = next;
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
  for (const listener of listeners) {
    try {
      listener({ name, data });
    } catch (error) {
      // what one of them makes of an event must not end the line for all
      reportError(error);
    }
  }
}

function apply(name: string, data: unknown): void {
  switch (name) {
    case 'snapshot':
      return takeSnapshot(data as SnapshotEvent);
    case 'control_point':
      return putPoint(data as ControlPoint);
    case 'alert':
      knownAlerts.value = withAlert(knownAlerts.value, data as Alert, serverNow());
      return;
    case 'presence':
      return takePresence((data as { control_points: Presence[] }).control_points);
    case 'notification':
      return countSoon();
    case 'clock': {
      const told = data as { quality: 'trusted' | 'estimated'; server_time: string };
      clockQuality.value = told.quality;
      return noteServerTime(told.server_time, true);
    }
    case 'disk':
      disk.value = (data as DiskEvent).state;
      return;
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
type Younger = 'disk' | 'gateways' | 'sync' | 'people' | 'returned';
type Told = Omit<SnapshotEvent, Younger> & Partial<Pick<SnapshotEvent, Younger>>;

function takeSnapshot(told: Told): void {
  noteServerTime(told.server_time, true);
  clockQuality.value = told.clock_quality;
  disk.value = told.disk ?? 'ok';
  farms.value = told.farms;
  people.value = new Map((told.people ?? []).map(({ id, name }) => [id, name]));
  controlPoints.value = new Map(told.control_points.map((row) => [row.id, row]));
  presence.value = new Map(told.presence.map((item) => [item.control_point_id, item]));
  const standing: Alert[] = [...told.alerts, ...(told.returned ?? [])];
  knownAlerts.value = { rows: new Map(standing.map((row) => [row.id, row])), gone: new Map() };
  unread.value = told.unread_notifications;
  // not told is not none
  if (told.gateways !== undefined)
    gateways.value = told.gateways.reduce(withGateway, new Map<string, number | null>());
  if (told.sync !== undefined) sync.value = told.sync;
  isKnown.value = true;
  if (farm.value !== null) farmZone.value = farm.value.timezone;
}

let counting: ReturnType<typeof setTimeout> | undefined;

/** One row is told by several lines, and may stand in the count of a snapshot already: the gateway counts, once for a burst. */
function countSoon(): void {
  clearTimeout(counting);
  counting = setTimeout(() => {
    const asked = userId.peek();
    get('/notifications/unread/count').then(
      ({ unread_count }) => {
        if (userId.peek() === asked) unread.value = unread_count;
      },
      // the next snapshot tells it
      () => undefined,
    );
  }, COUNT_AFTER_MS);
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

/** Nobody is signed in: what this page knows was for who was. */
export function forgetFarm(): void {
  isKnown.value = false;
  farms.value = [];
  people.value = new Map();
  controlPoints.value = new Map();
  presence.value = new Map();
  knownAlerts.value = { rows: new Map(), gone: new Map() };
  unread.value = 0;
  clockQuality.value = 'trusted';
  disk.value = 'ok';
  gateways.value = new Map();
  sync.value = null;
}
