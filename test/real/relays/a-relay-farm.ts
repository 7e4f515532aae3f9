import { setTimeout as pause } from 'node:timers/promises';
import { type Json, type Point, type RealFarm, startFarm } from '../a-farm.ts';
import { until } from '../started-gateway.ts';
import { type Shelly, type ShellyOptions, startShelly } from './shelly.ts';
import { startTasmota, type Tasmota, type TasmotaOptions } from './tasmota.ts';

export type Kind = 'tasmota' | 'shelly';
export type Relay = {
  press: () => void;
  overload: () => void;
  state: () => 'ON' | 'OFF';
  /** How often the motor was started so far. */
  starts: () => number;
  stop: () => void;
} & ({ kind: 'tasmota'; own: Tasmota } | { kind: 'shelly'; own: Shelly });
export type RelayFarm = Awaited<ReturnType<typeof startRelayFarm>>;

/** The bound of every case: the motor is where the farm wants it, or somebody is told, farm seconds. */
const BOUND_S = 90;

/** A farm whose clocks, those of its relays too, run `speed` times as fast as those of the machine. */
export async function startRelayFarm(speed: number) {
  const farm: RealFarm = await startFarm({ speed });
  const relays: { stop: () => void }[] = [];
  const shown = (point: Point) => farm.get(`/control-points/${point.id}`);

  async function within<Value>(
    seconds: number,
    ask: () => Value | Promise<Value>,
    fits: (value: Value) => boolean,
  ) {
    return until(ask, fits, (seconds * 1000) / speed);
  }

  async function lines(point: Point, kind: Kind): Promise<string[]> {
    const adopted = await farm.put(`/control-points/${point.id}/relay`, {
      kind,
      load: 'motor',
      mqtt_host: '127.0.0.1',
    });
    // of our own answer, whose shape the contract tests check
    return (adopted['settings'] as { steps: { text: string }[] }).steps.map(({ text }) => text);
  }

  async function tasmota(point: Point, more: Partial<TasmotaOptions> = {}): Promise<Relay> {
    const own = startTasmota({ mqtt: farm.mqtt, lines: await lines(point, 'tasmota'), speed, ...more });
    relays.push(own);
    const { press, overload, state, stop, history } = own;
    const starts = () => history.filter(({ to }) => to === 'ON').length;
    return { kind: 'tasmota', own, press: () => press(), overload, state: () => state(), starts, stop };
  }

  async function shelly(point: Point, more: Partial<ShellyOptions> = {}): Promise<Relay> {
    const own = startShelly({ mqtt: farm.mqtt, opened: await lines(point, 'shelly'), speed, ...more });
    relays.push(own);
    const { press, overload, state, stop, history } = own;
    const starts = () => history.filter(({ on }) => on).length;
    return {
      kind: 'shelly',
      own,
      press: () => press(),
      overload: () => overload(),
      state: () => state(),
      starts,
      stop,
    };
  }

  return {
    ...farm,
    speed,
    shown,
    within,
    tasmota,
    shelly,
    /** Farm time passes. */
    pass: (seconds: number) => pause((seconds * 1000) / speed),
    relayOf: async (point: Point) => (await farm.get(`/control-points/${point.id}/relay`))['relay'] as Json,
    async warnings(point: Point): Promise<string[]> {
      const relay = (await farm.get(`/control-points/${point.id}/relay`))['relay'] as {
        warnings: { code: string }[];
      };
      return relay.warnings.map(({ code }) => code);
    },
    /** What somebody is told of this motor now. */
    async told(point: Point): Promise<unknown[]> {
      const alerts = await farm.alerts();
      return alerts
        .filter((alert) => alert['control_point_id'] === point.id && alert['status'] === 'ACTIVE')
        .map((alert) => alert['type']);
    },
    online: (point: Point) =>
      within(
        BOUND_S,
        () => farm.get(`/devices/status/${point.device_id}`),
        (status) => status['is_online'] === true,
      ),
    /** The motor is there within the bound; answers after how many farm seconds. */
    async reaches(relay: Pick<Relay, 'state'>, state: 'ON' | 'OFF'): Promise<number> {
      const since = performance.now();
      await within(BOUND_S, relay.state, (now) => now === state);
      return ((performance.now() - since) * speed) / 1000;
    },
    async isTold(point: Point): Promise<void> {
      await within(
        BOUND_S,
        () => farm.alerts(),
        (alerts) =>
          alerts.some(
            (alert) =>
              alert['control_point_id'] === point.id &&
              ['COMMAND_NOT_CONFIRMED', 'DEVICE_OFFLINE'].includes(String(alert['type'])),
          ),
      );
    },
    async order(point: Point, target: 'on' | 'off', body: Json = {}): Promise<Json> {
      return farm.post(`/control-points/${point.id}/turn-${target}`, body);
    },
    /** A schedule by the clock of the program, a moment ahead. */
    async scheduleOn(point: Point): Promise<void> {
      const now = Date.parse(String((await farm.get('/system/clock'))['server_time']));
      await farm.post(`/control-points/${point.id}/schedules`, {
        action: 'ON',
        start_time: new Date(now + 15_000).toISOString(),
        end_time: new Date(now + 6 * 3_600_000).toISOString(),
      });
    },
    async measure(point: Point, oxygen: number): Promise<void> {
      await farm.post('/water-quality/', { pond_id: point.pond_id, dissolved_oxygen: oxygen });
    },
    async close() {
      for (const relay of relays) relay.stop();
      await farm.close();
    },
  };
}
