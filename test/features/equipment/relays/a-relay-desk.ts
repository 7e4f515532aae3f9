import { shelly } from '#adapters/relays/shelly.ts';
import { tasmota } from '#adapters/relays/tasmota.ts';
import type { RelayKind } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import { NO_ACTIVITY } from '#core/device-activity.ts';
import type { ControlView, DeviceTrouble, OverridingReason } from '#features/control/control-view.ts';
import type { Controller, DeviceDoor, Levels } from '#features/control/device-link.ts';
import { createRelayBook } from '#features/equipment/relays/relay-book.ts';
import { createRelayWork } from '#features/equipment/relays/relay-desk.ts';
import { controlPointRow } from '#test/farm-rows.ts';

const FARM = '0195a000-0000-7000-8000-000000000001';
const POINT = '0195a000-0000-7000-8000-000000000002';
const NAME = 'pond-7';

type Level = { target: SwitchState; until?: number; after?: SwitchState };

/** One relay of the trade and the gateway's side of it, without a network: what is said to it stands in `said`. */
export async function aRelayDesk(kind: RelayKind, more: { minOnS?: number; minOffS?: number } = {}) {
  const clock = { now: 1_000_000 };
  const said: { topic: string; payload: string }[] = [];
  const reports: Record<string, unknown>[] = [];
  const state = {
    version: 1,
    level: { target: 'OFF' } as Level,
    overriding: null as OverridingReason | null,
    trouble: null as DeviceTrouble | null,
  };
  const book = createRelayBook({
    queries: {
      allMeters: async () => [],
      allRelays: async () => [
        {
          id: POINT,
          kind,
          channel: 1,
          carrier_id: POINT,
          load: 'motor',
          mac: null,
          model: null,
          adopted_by: null,
          created_at: new Date(0).toISOString(),
        },
      ],
    },
  });
  await book.load();
  const view: ControlView = {
    row: { ...controlPointRow(POINT, FARM, FARM), fail_safe: 'HOLD', rev: 1 },
    unsaved: null,
    mqttId: NAME,
    zone: 'America/Fortaleza',
    farmName: 'Fazenda Aurora',
    ponds: [],
    powerKw: 0,
    schedules: [],
    manualOrders: [],
    openOrder: null,
    keys: [],
    presence: {
      lastReportAt: null,
      lastReportMonotonic: null,
      via: null,
      isConnected: true,
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
      configRev: null,
      scheduleRev: null,
      activity: NO_ACTIVITY,
    },
  };
  const nothing = () => undefined;
  const door: DeviceDoor = {
    identify: () => null,
    isKnown: () => true,
    connected: nothing,
    disconnected: nothing,
    stateChanged: nothing,
    heartbeat: (_, fields) => void reports.push(fields),
    reported: async (_, fields) => void reports.push(fields),
    event: async () => undefined,
    revisionReported: nothing,
    otaProgress: nothing,
    commandResult: nothing,
    seenUnknown: nothing,
    identityContested: nothing,
  };
  const levels = (): Levels => ({
    mqttId: NAME,
    shadow: {
      epoch: 'e',
      version: state.version,
      target_status: state.level.target,
      origin: 'LOCAL',
      issued_at: 0,
      config_rev: 1,
      schedule_rev: 1,
      ...(state.level.until === undefined ? {} : { until: state.level.until }),
      ...(state.level.after === undefined ? {} : { then: state.level.after }),
    },
    config: {
      rev: 1,
      hash: '',
      heartbeat_s: 30,
      fail_safe: 'HOLD',
      lost_s: 90,
      min_on_s: more.minOnS ?? 0,
      min_off_s: more.minOffS ?? 0,
      start_delay_s: 0,
      utc_offset_s: 0,
      locked_out: state.overriding === 'LOCK_OUT',
    },
    schedule: { rev: 1, hash: '', from: 0, to: 0, tr: [], weekly: [] },
  });
  const work = createRelayWork({
    monotonic: () => clock.now,
    now: () => clock.now,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    book,
    views: { byId: (id) => (id === POINT ? view : null), byMqttId: (name) => (name === NAME ? view : null) },
    door,
    levelsOf: levels,
    overridingReason: () => state.overriding,
    setTrouble: (_, trouble) => {
      state.trouble = trouble;
    },
    protocols: { tasmota, shelly },
    discovered: { note: nothing },
    heartbeatS: 30,
    changed: nothing,
  });
  work.attach((topic, payload) => void said.push({ topic, payload }));
  const controller: Controller = { controlPointId: POINT, deviceId: NAME, mqttId: NAME, keyId: 'k' };
  work.watching(door).connected(controller, { source: '10.0.0.7', since: clock.now });
  const link = work.following({
    publishShadow: nothing,
    publishConfig: nothing,
    publishSchedule: nothing,
    publishOta: nothing,
    forget: nothing,
    isConnected: () => true,
  });
  const hears = (topic: string, body: unknown): void =>
    void work.desk.hear(
      controller,
      topic,
      Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  const row = book.byId(POINT);
  if (row === null) throw new Error('the book has its relay');

  return {
    state,
    reports,
    canEnd: () => work.canEnd(row),
    /** What the relay says. */
    tells(to: SwitchState, source = 'MQTT') {
      if (kind === 'tasmota') hears(`stat/${NAME}/POWER`, to);
      else hears(`${NAME}/status/switch:0`, { id: 0, source, output: to === 'ON' });
    },
    hears,
    /** It has subscribed, so it hears its orders from here on. */
    listens: () => work.desk.subscribed(controller, kind === 'tasmota' ? `cmnd/${NAME}/#` : `${NAME}/rpc`),
    /** The control point gets a new level. */
    level(level: Level) {
      state.version += 1;
      state.level = level;
      link.publishShadow(NAME, levels().shadow);
    },
    /** Time goes by, and the relay work looks each second. */
    pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.now += 1_000;
        work.tick();
      }
    },
    /** What was said to it since the last call, in the relay's words: settings and questions left out. */
    orders(): string[] {
      return said.splice(0).flatMap(({ topic, payload }) => {
        if (kind === 'tasmota') {
          const name = topic.replace(`cmnd/${NAME}/`, '');
          return /^(POWER|TimedPower|Backlog)/.test(name) ? [`${name} ${payload}`.trim()] : [];
        }
        const { method, params } = JSON.parse(payload) as { method: string; params?: unknown };
        return method === 'Switch.Set' ? [JSON.stringify(params)] : [];
      });
    },
  };
}
