import { relayClock, type Said, startWire } from './on-the-wire.ts';

// A Shelly of the second generation as its interface description has it (Mqtt, Switch, Cover, Shelly, Sys; Notifications):
// JSON-RPC on <prefix>/rpc with the answer on <src>/rpc, NotifyStatus with what changed, the whole status of a component
// on <prefix>/status, `source` of the last command, `errors` while there are some, one timer per output.

export type Shelly = ReturnType<typeof startShelly>;
type Params = Readonly<Record<string, unknown>>;

export type ShellyOptions = {
  mqtt: string;
  /** Addresses opened in a browser. */
  opened: readonly string[];
  speed: number;
  channels?: number;
  uptimeS?: number;
  profile?: 'switch' | 'cover';
  countedWh?: number;
  /** auto_off after so long, in a version whose setting cannot be changed over the network. */
  timerS?: number;
};

type Output = {
  on: boolean;
  source: string;
  errors: string[];
  timer: { startedAt: number; seconds: number; cancel: () => void } | null;
  config: Record<string, unknown>;
};

const MOTOR_W = 1_490;
const VOLTS = 220;

export function startShelly(options: ShellyOptions) {
  const { speed, channels = 1, profile = 'switch' } = options;
  const clock = relayClock(speed);
  const outputs: Output[] = Array.from({ length: channels }, () => ({
    on: false,
    source: 'init',
    errors: [],
    timer: null,
    config: {
      in_mode: 'follow',
      initial_state: 'off',
      auto_on: false,
      auto_on_delay: 60,
      auto_off: options.timerS !== undefined,
      auto_off_delay: options.timerS ?? 60,
    },
  }));
  const mqtt: Record<string, unknown> = {};
  const run = {
    bootedAt: -(options.uptimeS ?? 100_000) * 1000,
    countedWh: options.countedWh ?? 0,
    countedAt: 0,
  };
  const history: { at: number; channel: number; on: boolean; source: string }[] = [];
  for (const address of options.opened) open(new URL(address.replace('RELAY-ADDRESS', '10.0.0.8')));
  const prefix = String(mqtt['topic_prefix']);

  /** What stands in the address line of a browser: each value is JSON. */
  function open({ pathname, searchParams }: URL): void {
    const params = Object.fromEntries(
      [...searchParams].map(([name, value]) => [name, JSON.parse(value) as unknown]),
    );
    const method = pathname.replace('/rpc/', '').toLowerCase();
    if (method === 'mqtt.setconfig') Object.assign(mqtt, params['config']);
    if (method === 'switch.setconfig') setConfig(params);
  }

  function setConfig({ id, config }: Params): boolean {
    const output = outputs[Number(id)];
    if (output === undefined || profile === 'cover') return false;
    for (const [name, value] of Object.entries(config as Params)) {
      if (options.timerS === undefined || name !== 'auto_off') output.config[name] = value;
    }
    return true;
  }

  function count(): void {
    const on = outputs.filter((output) => output.on).length;
    run.countedWh += (on * MOTOR_W * (clock.now() - run.countedAt)) / 3_600_000;
    run.countedAt = clock.now();
  }

  function statusOf(id: number): object {
    count();
    const { on = false, source = 'init', errors = [], timer = null } = outputs[id] ?? {};
    const apower = on ? MOTOR_W : 0;
    return {
      id,
      source,
      output: on,
      ...(timer === null ? {} : { timer_started_at: timer.startedAt / 1000, timer_duration: timer.seconds }),
      apower,
      voltage: VOLTS,
      current: Math.round((apower / VOLTS / 0.86) * 1000) / 1000,
      aenergy: { total: Math.round(run.countedWh * 1000) / 1000, by_minute: [0, 0, 0], minute_ts: 0 },
      temperature: { tC: 41.5, tF: 106.7 },
      ...(errors.length === 0 ? {} : { errors }),
    };
  }

  const components = (): Record<string, object> => ({
    ...(profile === 'cover'
      ? {
          'cover:0': {
            id: 0,
            source: 'init',
            state: 'stopped',
            apower: 0,
            voltage: VOLTS,
            pos_control: false,
          },
        }
      : Object.fromEntries(outputs.map((_, id) => [`switch:${id}`, statusOf(id)]))),
    sys: { mac: 'A8032AB12345', uptime: Math.floor((clock.now() - run.bootedAt) / 1000), reset_reason: 1 },
    wifi: { sta_ip: '10.0.0.8', status: 'got ip', rssi: -58 },
  });

  const notify = (method: string, params: object): Said => ({
    topic: `${prefix}/events/rpc`,
    payload: JSON.stringify({
      src: mqtt['client_id'],
      dst: `${prefix}/events`,
      method,
      params: { ts: clock.now() / 1000, ...params },
    }),
    qos: 1,
  });
  const configChanged = (id: number) =>
    notify('NotifyEvent', { events: [{ component: `switch:${id}`, id, event: 'config_changed' }] });
  function wholeStatus(id: number): Said {
    const topic = `${prefix}/status/switch:${id}`;
    return { topic, payload: garbled(topic) ?? JSON.stringify(statusOf(id)), qos: 1 };
  }

  /** A new command takes back the timer of the one before; auto_off and auto_on are timers of the output itself. */
  function switchTo(
    id: number,
    on: boolean,
    source: string,
    more: { toggleAfterS?: number; errors?: string[] } = {},
  ): void {
    const output = outputs[id];
    if (output === undefined) return;
    count();
    if (output.on !== on) history.push({ at: clock.now(), channel: id + 1, on, source });
    output.timer?.cancel();
    Object.assign(output, { on, source, timer: null, errors: more.errors ?? (on ? [] : output.errors) });
    const auto = on ? 'auto_off' : 'auto_on';
    const seconds =
      more.toggleAfterS ??
      (output.config[auto] === true ? Number(output.config[`${auto}_delay`]) : undefined);
    if (seconds !== undefined) {
      const cancel = clock.after(seconds * 1000, () => switchTo(id, !on, 'timer'));
      output.timer = { startedAt: clock.now(), seconds, cancel };
    }
    const delta = { id, output: on, source, ...(more.errors === undefined ? {} : { errors: more.errors }) };
    const told = isGarbled() ? [] : [notify('NotifyStatus', { [`switch:${id}`]: delta })];
    wire.say([...told, wholeStatus(id)]);
  }

  const isGarbled = () => garbled(`${prefix}/status/switch:0`) !== null;

  function answer(
    method: string,
    params: Params,
  ): { result: object } | { error: { code: number; message: string } } {
    const id = Number(params['id'] ?? 0);
    const isSwitch = method.startsWith('switch.');
    if (isSwitch && profile === 'cover') return { error: { code: 404, message: `No handler for ${method}` } };
    if (isSwitch && outputs[id] === undefined)
      return { error: { code: -105, message: `Argument 'id', value ${id} not found!` } };
    switch (method) {
      case 'switch.set': {
        const was_on = outputs[id]?.on;
        const toggleAfterS = params['toggle_after'];
        switchTo(id, params['on'] === true, 'MQTT', typeof toggleAfterS === 'number' ? { toggleAfterS } : {});
        return { result: { was_on } };
      }
      case 'switch.getconfig':
        return { result: { id, ...outputs[id]?.config } };
      case 'switch.setconfig':
        setConfig(params);
        wire.say([configChanged(id)]);
        return { result: { restart_required: false } };
      case 'shelly.getstatus':
        return { result: isGarbled() ? {} : components() };
      case 'shelly.getdeviceinfo':
        return {
          result: {
            id: mqtt['client_id'],
            mac: 'A8032AB12345',
            model: 'SPSW-202PE16EU',
            gen: 2,
            ver: '1.4.4',
            app: 'Pro2PM',
            profile,
          },
        };
      default:
        return { error: { code: 404, message: `No handler for ${method}` } };
    }
  }

  let garbled: (topic: string) => string | null = () => null;
  const wire = startWire({
    url: options.mqtt,
    clock,
    keepaliveS: 60,
    options: {
      clientId: String(mqtt['client_id']),
      username: String(mqtt['user']),
      password: String(mqtt['pass']),
      will: { topic: `${prefix}/online`, payload: Buffer.from('false'), qos: 1, retain: true },
    },
    retryMs: (failed) => Math.min(60, 2 ** failed) * 1000,
    connected(client) {
      client.subscribe([`${prefix}/rpc`, `${prefix}/command`, 'shellies/command'], () => {
        const whole = profile === 'cover' ? [] : outputs.map((_, id) => wholeStatus(id));
        wire.say([
          { topic: `${prefix}/online`, payload: 'true', retain: true, qos: 1 },
          notify('NotifyFullStatus', components()),
          ...whole,
        ]);
      });
    },
    hear(topic, payload) {
      if (topic !== `${prefix}/rpc`) return;
      const { id, src, method, params } = JSON.parse(payload) as Record<string, unknown>;
      const outcome = answer(String(method).toLowerCase(), (params ?? {}) as Params);
      const body = { id, src: mqtt['client_id'], dst: src, ...outcome };
      wire.say([{ topic: `${String(src)}/rpc`, payload: JSON.stringify(body), qos: 1 }]);
    },
  });

  return {
    history,
    heard: wire.heard,
    isConnected: wire.isConnected,
    state: (channel = 1): 'ON' | 'OFF' => (outputs[channel - 1]?.on === true ? 'ON' : 'OFF'),
    config: (channel = 1) => ({ ...outputs[channel - 1]?.config }),
    timer: (channel = 1) => outputs[channel - 1]?.timer?.seconds ?? null,
    /** A button, an input, its own page, its app: whatever `source` says of it. */
    press: (channel = 1, source = 'button') =>
      switchTo(channel - 1, outputs[channel - 1]?.on !== true, source),
    overload: (channel = 1, error = 'overpower') =>
      switchTo(channel - 1, false, 'limit_power', { errors: [error] }),
    /** On its own page, or from its makers' cloud. */
    set(config: Params, channel = 1) {
      setConfig({ id: channel - 1, config });
      wire.say([configChanged(channel - 1)]);
    },
    /** From now on it says this on these topics, and nothing else of its state. */
    garble(by: (topic: string) => string | null) {
      garbled = by;
      for (const id of outputs.keys()) wire.say([wholeStatus(id)]);
    },
    prefix,
    powerCut(downMs: number) {
      wire.cut();
      for (const output of outputs) output.timer?.cancel();
      clock.after(downMs, () => {
        for (const output of outputs) {
          const word = output.config['initial_state'];
          Object.assign(output, {
            on: word === 'on' || (word === 'restore_last' && output.on),
            source: 'init',
            errors: [],
            timer: null,
          });
        }
        run.bootedAt = clock.now();
        wire.open();
      });
    },
    stop() {
      clock.stop();
      wire.cut();
    },
  };
}
