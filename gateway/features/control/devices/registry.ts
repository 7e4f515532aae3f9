import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Committed, type CommittedRow, rowsOf } from '#core/changes.ts';
import { NO_ACTIVITY } from '#core/device-activity.ts';
import type {
  ControlPoint,
  ControlView,
  ControlViews,
  Order,
  OrderTimes,
  Presence,
  UnsavedLock,
  UnsavedTarget,
} from '../control-view.ts';
import type { OrderEnds } from './order-ends.ts';
import type { ControlFacts, RegistryQueries } from './ports.ts';
import { mqttIdOf } from './publish-levels.ts';
import { createViewIndex } from './view-index.ts';

/** Timed orders of people that may still lie over each other; ordering more than one a second for long is nobody's use. */
const TIMED_ORDERS_KEPT = 20;

/** Every control point in memory, in front of the database: control needs no query, and goes on when the disk is full. */
export type Registry = ControlViews & {
  /** Farms that have control points. */
  farmIds: () => Iterable<string>;
  /** Grows with every farm that comes or goes. */
  farmChanges: () => number;
  /** Reads everything, or what this instance runs itself; called once before the first device may come. */
  load: (which?: 'all' | 'without gateway') => Promise<void>;
  /** Reads one again: after a stale commit, when another process may have changed it. */
  refresh: (id: string) => Promise<ControlView | null>;
  /** Follows a committed unit. Answers the views it touched, as they were and are; who came back has to be read. */
  /** The tables that `follow` looks at. */
  tables: readonly { name: string }[];
  follow: (committed: Committed) => { before: ControlView | null; after: ControlView | null }[];
  setUnsaved: (id: string, unsaved: UnsavedTarget | null) => void;
  setUnsavedLock: (id: string, lock: UnsavedLock) => void;
  /** Changes presence in place: it is rewritten at every heartbeat. */
  presenceOf: (id: string) => Presence | null;
};

/** Commits that follow one another faster than one row is read end some time; what they left is followed. */
const READ_AGAIN = 5;

export function createRegistry(deps: {
  queries: RegistryQueries;
  sha256: (text: string) => string;
  orderEnds: OrderEnds;
}): Registry {
  const views = createViewIndex();
  const { byId } = views;
  const farmsById = new Map<string, { zone: string; name: string }>();
  /** Rows that are being read now, and whether a commit touched them meanwhile. */
  const readings = new Set<{ id: string; isOutdated: boolean }>();
  /** Of each reading of many that is under way: what commits touched meanwhile. */
  const loads = new Set<Set<string>>();

  function keep(view: ControlView): void {
    countEnds(byId(view.row.id), view);
    views.keep(view);
  }

  function drop(id: string): void {
    const view = byId(id);
    if (view !== null) deps.orderEnds.forget(ordersIn(view).map((order) => order.id));
    views.drop(id);
  }

  function countEnds(old: ControlView | null, view: ControlView): void {
    const orders = ordersIn(view);
    deps.orderEnds.see(orders);
    if (old === null || old.manualOrders === view.manualOrders) return;
    const known = new Set(orders.map(({ id }) => id));
    deps.orderEnds.forget(ordersIn(old).flatMap(({ id }) => (known.has(id) ? [] : [id])));
  }

  function viewOf(facts: ControlFacts): ControlView {
    const known = byId(facts.row.id);
    if (known !== null) followCurrent(known, facts.row);
    return {
      ...facts,
      ...lockedRow(facts.row, known?.unsavedLock ?? null),
      mqttId: mqttIdOf(deps, facts.row.device_id),
      unsaved: known?.unsaved ?? null,
      presence: known?.presence ?? presenceFrom(facts),
      endOf: deps.orderEnds.endOf,
    };
  }

  async function refresh(id: string): Promise<ControlView | null> {
    for (let reading = 0; reading < READ_AGAIN; reading += 1) {
      const own = { id, isOutdated: false };
      readings.add(own);
      const facts = await deps.queries.controlFacts(id).finally(() => readings.delete(own));
      // a commit that was followed meanwhile may not be in what was read
      if (own.isOutdated) continue;
      if (facts === null) drop(id);
      else keep(viewOf(facts));
      for (const touched of loads) touched.add(id);
      break;
    }
    return byId(id);
  }

  return {
    byId,
    byDeviceId: views.byDeviceId,
    byMqttId: views.byMqttId,
    byPart: views.byPart,
    ofFarm: views.ofFarm,
    farmIds: views.farmIds,
    farmChanges: views.farmChanges,
    all: views.all,
    unflushed: views.unflushed,
    presenceOf: (id) => byId(id)?.presence ?? null,
    setUnsaved(id, unsaved) {
      const view = byId(id);
      if (view) keep({ ...view, unsaved });
    },
    setUnsavedLock(id, lock) {
      const view = byId(id);
      if (view) views.keep({ ...view, row: { ...view.row, ...lock }, unsavedLock: lock });
    },
    async load(which = 'all') {
      const touched = new Set<string>();
      const missed = new Set(which === 'all' ? Array.from(views.all(), ({ row }) => row.id) : []);
      loads.add(touched);
      try {
        for await (const place of deps.queries.allFarms()) farmsById.set(place.id, place);
        for await (const facts of deps.queries.allControlFacts(which)) {
          const { id } = facts.row;
          missed.delete(id);
          // what was read may be older than what is known by now
          if (touched.has(id)) continue;
          if (byId(id) === null) deps.orderEnds.seeStored(facts.manualOrders);
          keep(viewOf(facts));
        }
      } finally {
        loads.delete(touched);
      }
      for (const id of new Set([...missed, ...touched])) await refresh(id);
    },
    refresh,
    tables: [controlPoint, schedule, order, deviceKey, farm, pond, aerator],
    follow(committed) {
      for (const { id, after } of rowsOf(committed, farm))
        farmsById.set(id, { zone: after.timezone, name: after.name });
      const before = new Map<string, ControlView | null>();
      const change = (id: string, next: (view: ControlView) => ControlView | null) => {
        const view = byId(id);
        if (!view) return;
        if (!before.has(id)) before.set(id, view);
        const after = next(view);
        if (after === null) drop(id);
        else keep(after);
      };
      for (const { id, before: old, after, rev, hidden } of rowsOf(committed, controlPoint)) {
        const row: ControlPoint = { ...after, rev };
        if (isBack({ before: old, rev, hidden })) continue;
        if (old === null && !hidden) {
          before.set(id, null);
          keep(newView(row));
        } else change(id, (view) => (hidden ? null : rowChanged(view, row)));
      }
      followChildren(committed, views, change);
      for (const reading of readings) if (before.has(reading.id)) reading.isOutdated = true;
      for (const touched of loads) for (const id of before.keys()) touched.add(id);
      for (const { id, hidden } of rowsOf(committed, farm)) if (hidden) farmsById.delete(id);
      return [...before].map(([id, old]) => ({ before: old, after: byId(id) }));
    },
  };

  function newView(row: ControlPoint): ControlView {
    const place = farmsById.get(row.farm_id);
    return viewOf({
      row,
      zone: place?.zone ?? 'UTC',
      farmName: place?.name ?? '',
      ponds: [],
      powerKw: 0,
      schedules: [],
      manualOrders: [],
      openOrder: null,
      keys: [],
      heardAtMs: null,
      consumption: 0,
    });
  }

  function rowChanged(view: ControlView, row: ControlPoint): ControlView {
    // what was only in memory is on disk now, or a later order overtook it
    const isSaved = view.unsaved !== null && row.version >= view.unsaved.version;
    followCurrent(view, row);
    return {
      ...view,
      ...lockedRow(row, view.unsavedLock ?? null),
      mqttId: mqttIdOf(deps, row.device_id),
      unsaved: isSaved ? null : view.unsaved,
    };
  }
}

/** A lock-out in memory goes before the row until the row says the same. */
function lockedRow(row: ControlPoint, lock: UnsavedLock | null): Pick<ControlView, 'row' | 'unsavedLock'> {
  const isSaved =
    lock === null || (lock.locked_out === row.locked_out && lock.lock_out_at === row.lock_out_at);
  return isSaved ? { row, unsavedLock: null } : { row: { ...row, ...lock }, unsavedLock: lock };
}

const isBack = ({ before, rev, hidden }: Pick<CommittedRow, 'before' | 'rev' | 'hidden'>): boolean =>
  before === null && !hidden && rev > 1;

/**
 * Control points that were deleted and are there again. Their keys and orders are in no commit: they are read before
 * control knows of them, because who says the name of a controller without a key is taken for it.
 */
export const cameBack = (committed: Committed): string[] =>
  rowsOf(committed, controlPoint)
    .filter(isBack)
    .map(({ id }) => id);

/** People's orders, those that the disk did not take yet, too. */
function ordersIn({ manualOrders, unsaved }: ControlView): OrderTimes[] {
  return unsaved === null ? [...manualOrders] : [...manualOrders, ...unsaved.earlier, unsaved.order];
}

/** Another process, or the other instance, knows a newer state of the motor: what was heard here is older. */
function followCurrent({ row: before, presence }: ControlView, row: ControlPoint): void {
  if (row.current_since === null || row.current_since === before.current_since) return;
  const since = Date.parse(row.current_since);
  const isNewer = presence.currentSince === null || since > presence.currentSince;
  if (!isNewer && row.current_status !== presence.current) return;
  presence.current = row.current_status;
  presence.currentSince = since;
}

type ChangeView = (id: string, next: (view: ControlView) => ControlView | null) => void;

function followChildren(
  committed: Committed,
  views: Pick<ControlViews, 'ofFarm' | 'byPart'>,
  change: ChangeView,
): void {
  for (const { id, before, after, rev, hidden } of rowsOf(committed, schedule)) {
    if (before !== null && before.control_point_id !== after.control_point_id)
      change(before.control_point_id, (view) => ({
        ...view,
        schedules: view.schedules.filter((known) => known.id !== id),
      }));
    change(after.control_point_id, (view) => {
      const others = view.schedules.filter((known) => known.id !== id);
      return { ...view, schedules: hidden ? others : [...others, { ...after, rev }] };
    });
  }
  for (const { id, after, rev } of rowsOf(committed, order)) {
    change(after.control_point_id, (view) => withOrder(view, id, { ...after, rev }));
  }
  for (const { id, after, hidden } of rowsOf(committed, deviceKey)) {
    change(after.control_point_id, (view) => {
      const others = view.keys.filter((known) => known.id !== id);
      return { ...view, keys: hidden ? others : [...others, after] };
    });
  }
  for (const { id, after } of rowsOf(committed, farm)) {
    for (const view of views.ofFarm(id))
      change(view.row.id, (own) => ({ ...own, zone: after.timezone, farmName: after.name }));
  }
  for (const { id, before, after, hidden } of rowsOf(committed, pond))
    followPond(change, { id, before, after, hidden });
  for (const { before, after, hidden } of rowsOf(committed, aerator)) {
    const power = (hidden ? 0 : after.power_kw) - (before?.power_kw ?? 0);
    const view = views.byPart(after.pond_id);
    if (view !== null) change(view.row.id, (own) => ({ ...own, powerKw: Math.max(0, own.powerKw + power) }));
  }
}

function followPond(
  change: ChangeView,
  pondRow: {
    id: string;
    before: { control_point_id: string | null } | null;
    after: { control_point_id: string | null; cod: string };
    hidden: boolean;
  },
): void {
  const { id, before, after, hidden } = pondRow;
  if (before?.control_point_id) {
    change(before.control_point_id, (view) => ({
      ...view,
      ponds: view.ponds.filter((own) => own.id !== id),
    }));
  }
  if (after.control_point_id && !hidden) {
    change(after.control_point_id, (view) => ({
      ...view,
      ponds: [...view.ponds.filter((own) => own.id !== id), { id, cod: after.cod }],
    }));
  }
}

/** The newest, and however old the last order without end of either origin: it holds again when the timed ones are over. */
function worthKeeping(orders: readonly Order[]): Order[] {
  const newestFirst = orders.toSorted((a, b) => b.version - a.version);
  const endless = (['LOCAL', 'REMOTE'] as const).map((origin) =>
    newestFirst.find((known) => known.origin === origin && known.hold_until === null),
  );
  return newestFirst.filter((known, at) => at < TIMED_ORDERS_KEPT || endless.includes(known));
}

function withOrder(view: ControlView, id: string, changed: Order): ControlView {
  const isManual = changed.origin === 'LOCAL' || changed.origin === 'REMOTE';
  const others = view.manualOrders.filter((known) => known.id !== id);
  const manualOrders = isManual ? worthKeeping([changed, ...others]) : view.manualOrders;
  const isOpen = changed.state === 'SENT' || changed.state === 'ACKED';
  const isNewer = view.openOrder === null || changed.version >= view.openOrder.version;
  const closed = view.openOrder?.id === id ? null : view.openOrder;
  return { ...view, manualOrders, openOrder: isOpen && isNewer ? changed : closed };
}

function presenceFrom(facts: ControlFacts): Presence {
  return {
    lastReportAt: lastReportOf(facts),
    lastReportMonotonic: null,
    via: null,
    isConnected: false,
    isLost: false,
    current: facts.row.current_status,
    currentSince: facts.row.current_since === null ? null : Date.parse(facts.row.current_since),
    consumption: facts.consumption,
    source: null,
    reportedVersion: null,
    powerOk: null,
    motorCurrentMa: null,
    rssi: null,
    firmwareVersion: null,
    uptimeS: null,
    bootId: null,
    deferredUntil: null,
    activity: NO_ACTIVITY,
    configRev: null,
    scheduleRev: null,
  };
}

/** A change of status is stored at once, the heartbeats after it every half minute: the later of both is known. */
function lastReportOf({ heardAtMs, row }: ControlFacts): number | null {
  const changedAtMs = row.current_since === null ? null : Date.parse(row.current_since);
  const known = [heardAtMs, changedAtMs].filter((at) => at !== null);
  return known.length === 0 ? null : Math.max(...known);
}
