import type { RowOf } from '#contract/resource.ts';
import { controlPoint, type order } from '#contract/resources/control-points.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import type { Committed } from '#core/changes.ts';
import { NO_ACTIVITY } from '#core/device-activity.ts';
import type { Log } from '#core/kernel.ts';
import { createOxygenLoop, type OxygenLoop } from '#features/control/aeration/oxygen-loop.ts';
import type { OxygenQueries } from '#features/control/aeration/ports.ts';
import { giveOrder } from '#features/control/control-points/give-order.ts';
import type { ControlPoint, ControlView, Order } from '#features/control/control-view.ts';
import { manualOrdersOf, ruleFactsOf } from '#features/control/schedules/control-facts.ts';
import { untrustedWish } from '#features/control/schedules/follow-clock-step.ts';
import { asWish, wantedState } from '#features/control/schedules/wanted-state.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { controlPointRow } from '#test/farm-rows.ts';

type Row = RowOf<typeof measurement>;

/** 18:00 on the farm, 3 hours behind UTC. */
export const DUSK = Date.UTC(2026, 2, 1, 21);
export const MINUTE = 60_000;

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const FARM = '0195a000-0000-7000-8000-000000000001';
const POINT = '0195a000-0000-7000-8000-000000000002';
export const POND = '0195a000-0000-7000-8000-000000000003';

/**
 * A pond with its motor and its measurements on a disk, and the program that may die and come back. Control is the real
 * rules over a view kept here; true time goes on whatever the clock shows.
 */
export async function aPond(settings: Partial<ControlPoint> & { schedules?: ControlView['schedules'] } = {}) {
  const { schedules = [], ...set } = settings;
  const world = {
    trueMs: DUSK,
    clockError: 0,
    isTrusted: true,
    goodTime: null as number | null,
    trustedUntil: null as number | null,
    boots: 0,
    bootedAt: DUSK,
    ids: 0,
  };
  const rows: (Row & { isTakenBack: boolean })[] = [];
  const log: { sentence: string; fields: Record<string, unknown> }[] = [];
  const orders: RowOf<typeof order>[] = [];
  let view: ControlView = viewOf({ do_on: 4, do_off: 5, do_emergency: 3, ...set }, schedules);
  let loop: OxygenLoop;

  const now = () => world.trueMs + world.clockError;
  const monotonic = () => world.trueMs - world.bootedAt;
  const clockQuality = () => (world.isTrusted ? ('trusted' as const) : ('estimated' as const));
  const newId = () => `0195a000-0000-7000-8001-${String((world.ids += 1)).padStart(12, '0')}`;
  const iso = (ms: number) => new Date(ms).toISOString();
  const queries: OxygenQueries = {
    async newestReadings(pondId, { until, after, limit }) {
      return rows
        .filter(({ pond_id, source }) => pond_id === pondId && source !== 'import')
        .filter(({ measurement_date }) => until === null || measurement_date <= until)
        .sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
        .filter((row) => after === null || keyOf(row) < `${after.measurement_date} ${after.id}`)
        .slice(0, limit);
    },
    airedByAerators: async () => [],
    farmPlaces: async () => [{ id: FARM, zone: 'America/Fortaleza', lat: null, lng: null }],
    reasonsOfSafety: async () => {
      const { target_origin, target_status, version } = view.row;
      if (target_origin !== 'SAFETY' || target_status !== 'ON') return [];
      return orders
        .filter((given) => given.version === version)
        .map(({ reason }) => ({ controlPointId: POINT, reason }));
    },
  };

  async function boot(): Promise<void> {
    world.boots += 1;
    world.bootedAt = world.trueMs;
    loop = createOxygenLoop({
      now,
      monotonic,
      clockQuality,
      log: {
        ...quiet,
        info: (fields, sentence) => void log.push({ sentence, fields }),
        warn: (fields, sentence) => void log.push({ sentence, fields }),
      },
      views: { all: () => [view], byId: () => view },
      queries,
      scienceOf: async () => SCIENCE_DEFAULTS,
      previousUntil: world.goodTime,
    });
    await loop.load();
  }

  function committed(before: Row | null, after: Row, hidden = false): Committed {
    return { rows: [{ table: measurement.name, id: after.id, before, after, rev: 1, hidden }] };
  }

  async function follow(unit: Committed): Promise<void> {
    loop.follow(unit);
    await loop.settled();
  }

  /** What the schedule's second tick does: the wish by level, and an order when it differs. */
  function tick(): { before: ControlPoint; demands: ReturnType<OxygenLoop['safetyOf']> } {
    const before = view.row;
    const safety = loop.safetyOf(POINT);
    if (world.isTrusted) world.trustedUntil = now();
    else world.trustedUntil ??= now();
    const wish = world.isTrusted
      ? asWish(
          wantedState({
            ...ruleFactsOf(view, now()),
            lockedOut: view.row.locked_out,
            safety,
            orders: manualOrdersOf(view, now()),
          }),
          now(),
        )
      : untrustedWish(view, { now: now(), safety, trustedUntil: world.trustedUntil });
    if (wish !== null && wish.target !== view.row.target_status) give({ ...wish, issuedBy: null });
    return { before, demands: safety };
  }

  function give(
    wish: Omit<Parameters<typeof giveOrder>[2], 'details'> & { details?: Record<string, unknown> },
  ): void {
    const given = giveOrder({ now, newId, idOf: (cause) => cause, clockQuality }, view, wish);
    orders.push(given.order);
    const { order: _order, earlier: _earlier, ...target } = given.unsaved;
    const isManual = wish.origin === 'LOCAL' || wish.origin === 'REMOTE';
    const stored: Order = { ...given.order, rev: 1 };
    view = {
      ...view,
      row: { ...view.row, ...target },
      manualOrders: isManual ? [stored, ...view.manualOrders] : view.manualOrders,
    };
  }

  await boot();
  return {
    world,
    rows,
    log,
    orders,
    now,
    clockTime: () => iso(now()),
    view: () => view,
    motor: () => view.row.target_status,
    demands: () => loop.safetyOf(POINT),
    lastReason: () => orders.at(-1)?.reason ?? null,
    tick,
    /** Time passes with the program looking every minute, or as often as told. */
    async pass(minutes: number, every = 1): Promise<void> {
      for (let gone = 0; gone < minutes; gone += every) {
        world.trueMs += Math.min(every, minutes - gone) * MINUTE;
        await loop.look();
        tick();
      }
    },
    /** A reading that was taken some minutes ago by the clock of the program. */
    async measure(
      oxygenMgL: number | null,
      { minutesAgo = 0, source = 'probe' as Row['source'] } = {},
    ): Promise<string> {
      const row = {
        ...NOTHING,
        isTakenBack: false,
        id: newId(),
        pond_id: POND,
        measurement_date: iso(now() - minutesAgo * MINUTE),
        dissolved_oxygen: oxygenMgL,
        source,
        clock_quality: clockQuality(),
        created_at: iso(now()),
      };
      rows.push(row);
      await follow(committed(null, row));
      tick();
      return row.id;
    },
    async correct(id: string, dissolved_oxygen: number | null): Promise<void> {
      const place = rows.findIndex((row) => row.id === id);
      const before = rows[place];
      if (before === undefined) return;
      const after = { ...before, dissolved_oxygen };
      rows[place] = after;
      await follow(committed(before, after));
      tick();
    },
    async takeBack(id: string): Promise<void> {
      const place = rows.findIndex((row) => row.id === id);
      const gone = rows[place];
      if (gone === undefined) return;
      rows[place] = { ...gone, isTakenBack: true };
      await follow(committed(gone, gone, true));
      tick();
    },
    order(target: 'ON' | 'OFF', holdMinutes: number | null = null): void {
      give({
        target,
        origin: 'LOCAL',
        issuedBy: FARM,
        reason: null,
        holdUntil: holdMinutes === null ? null : now() + holdMinutes * MINUTE,
      });
      tick();
    },
    lockOut(isLocked: boolean): void {
      view = { ...view, row: { ...view.row, locked_out: isLocked } };
      if (isLocked)
        give({
          target: 'OFF',
          origin: 'SAFETY',
          issuedBy: FARM,
          reason: 'locked out: work',
          holdUntil: null,
        });
      tick();
    },
    async set(changes: Partial<ControlPoint>): Promise<void> {
      const before = view.row;
      view = { ...view, row: { ...view.row, ...changes } };
      await follow({
        rows: [{ table: controlPoint.name, id: POINT, before, after: view.row, rev: 2, hidden: false }],
      });
      tick();
    },
    async restart(minutesDown = 0): Promise<void> {
      if (world.isTrusted) world.goodTime = now();
      world.trueMs += minutesDown * MINUTE;
      await boot();
      tick();
    },
    /** From now on the clock shows so much more than the true time. */
    async setClock(aheadMinutes: number, isTrusted = world.isTrusted): Promise<void> {
      world.clockError = aheadMinutes * MINUTE;
      world.isTrusted = isTrusted;
      loop.followClock();
      await loop.settled();
      tick();
    },
    /** The disk did not take it: the loop heard of it all the same. */
    hear(row: Row): void {
      loop.hear(row);
      tick();
    },
  };
}

export type SimulatedPond = Awaited<ReturnType<typeof aPond>>;

const NOTHING = {
  temperature: null,
  ph: null,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
  notes: null,
  created_by: null,
  updated_at: null,
};

const keyOf = (row: Pick<Row, 'measurement_date' | 'id'>) => `${row.measurement_date} ${row.id}`;

function viewOf(set: Partial<ControlPoint>, schedules: ControlView['schedules']): ControlView {
  return {
    row: { ...controlPointRow(POINT, FARM, FARM), ...set, rev: 1 },
    unsaved: null,
    mqttId: 'cp-1',
    zone: 'America/Fortaleza',
    farmName: 'Fazenda Aurora',
    ponds: [{ id: POND, cod: 'V-01' }],
    powerKw: 1.5,
    schedules,
    manualOrders: [],
    openOrder: null,
    keys: [],
    presence: {
      lastReportAt: null,
      lastReportMonotonic: null,
      via: null,
      isConnected: false,
      isLost: false,
      current: null,
      currentSince: null,
      consumption: 0,
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
    },
  };
}
