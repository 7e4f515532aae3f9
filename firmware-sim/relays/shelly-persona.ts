import type { SwitchState } from '#contract/words.ts';

// Relays of the trade as they behave on the wire, written from the documents of their makers and not from what the
// gateway reads: what the two do not understand alike shows here.

export type Message = { topic: string; payload: string; retain: boolean; qos: 0 | 1 };

/** What was typed into the relay. */
export type RelaySetup = {
  host: string;
  port: number;
  user: string;
  password: string;
  clientId: string;
  /** Topic of Tasmota, topic_prefix of Shelly. */
  topic: string;
};

export type RelayPersona = {
  setup: RelaySetup;
  will: { topic: string; payload: string };
  subscriptions: readonly string[];
  /** Before it subscribes (Tasmota) and after it (both). */
  greet: () => { before: Message[]; after: Message[] };
  hear: (topic: string, payload: string) => Message[];
  /** At regular times. */
  telemetry: () => Message[];
  everyMs: number;
  /** Somebody presses the button of a channel. */
  press: (channel: number) => Message[];
  stateOf: (channel: number) => SwitchState;
  /** Its power is cut and comes back. */
  powerCut: () => void;
};

/** A motor behind each contact, as its meter sees it. */
export type Load = { powerW: number; voltageV: number };

/** Energy since `sinceMs`, Wh. */
export function energyWh({ powerW }: Load, state: SwitchState, sinceMs: number, nowMs: number): number {
  return state === 'ON' ? (powerW * Math.max(0, nowMs - sinceMs)) / 3_600_000 : 0;
}

// Shelly of the second generation (Pro 4PM and its smaller ones): online, status of each component, notifications and
// JSON-RPC, QoS 1. Its channels count from 0.

type ShellyOptions = {
  /** Addresses opened in a browser, in order. */
  opened: readonly string[];
  mac: string;
  channels: number;
  load: Load;
  nowMs: () => number;
};

type Output = { on: boolean; totalWh: number; source: string; initialState: string };

export function createShelly(options: ShellyOptions): RelayPersona {
  const { mac, load, nowMs } = options;
  const outputs: Output[] = Array.from({ length: options.channels }, () => ({
    on: false,
    totalWh: 0,
    source: 'init',
    initialState: 'off',
  }));
  let setup: RelaySetup | null = null;
  const run = { bootedAt: nowMs(), countedAt: nowMs() };
  for (const address of options.opened) open(new URL(address));
  if (setup === null) throw new Error('MQTT was never set');
  const known: RelaySetup = setup;
  const prefix = known.topic;

  function open(address: URL): void {
    const method = address.pathname.replace('/rpc/', '');
    // what a browser sends is text; each value is JSON by itself
    const params = Object.fromEntries(
      [...address.searchParams].map(([name, value]) => [name, JSON.parse(value)]),
    );
    if (method === 'MQTT.SetConfig') setMqtt(params['config']);
    else if (method === 'Switch.SetConfig') setSwitch(params);
    else if (method !== 'Shelly.Reboot') throw new Error(`no such method: ${method}`);
  }

  function setMqtt(config: unknown): void {
    const at = (name: string) => (config as Record<string, unknown>)[name];
    if (at('enable') !== true) throw new Error('MQTT is not enabled');
    const [host = '', port = '1883'] = String(at('server')).split(':');
    setup = {
      host,
      port: Number(port),
      user: String(at('user')),
      password: String(at('pass')),
      clientId: String(at('client_id')),
      topic: String(at('topic_prefix')),
    };
  }

  function setSwitch(params: Record<string, unknown>): boolean {
    const output = outputs[Number(params['id'])];
    const config = params['config'] as Record<string, unknown> | undefined;
    if (output === undefined || config === undefined) return false;
    const { initial_state: initialState } = config;
    if (typeof initialState === 'string') output.initialState = initialState;
    return true;
  }

  function count(): void {
    const at = nowMs();
    for (const output of outputs) output.totalWh += energyWh(load, wordOf(output), run.countedAt, at);
    run.countedAt = at;
  }

  function statusOf(id: number): object {
    count();
    const { on, totalWh, source } = outputs[id] ?? { on: false, totalWh: 0, source: 'init' };
    const apower = on ? load.powerW : 0;
    return {
      id,
      source,
      output: on,
      apower,
      voltage: load.voltageV,
      freq: 60,
      current: Math.round((apower / load.voltageV / 0.86) * 1000) / 1000,
      pf: on ? 0.86 : 0,
      aenergy: { total: Math.round(totalWh * 1000) / 1000, by_minute: [0, 0, 0], minute_ts: 0 },
      temperature: { tC: 41.5, tF: 106.7 },
    };
  }

  const fullStatus = (): Record<string, object> => ({
    ...Object.fromEntries(outputs.map((_, id) => [`switch:${id}`, statusOf(id)])),
    sys: {
      mac,
      restart_required: false,
      time: null,
      unixtime: null,
      uptime: Math.floor((nowMs() - run.bootedAt) / 1000),
      ram_size: 259_000,
      reset_reason: 1,
    },
    wifi: { sta_ip: '10.0.0.8', status: 'got ip', ssid: 'farm', rssi: -58 },
    mqtt: { connected: true },
  });

  const message = (topic: string, body: object | string, retain = false): Message => ({
    topic,
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    retain,
    qos: 1,
  });
  const notify = (method: string, params: object) =>
    message(`${prefix}/events/rpc`, {
      src: known.clientId,
      dst: `${prefix}/events`,
      method,
      params: { ts: nowMs() / 1000, ...params },
    });

  function switchTo(id: number, on: boolean, source: string): Message[] {
    const output = outputs[id];
    if (output === undefined) return [];
    count();
    Object.assign(output, { on, source });
    return [
      notify('NotifyStatus', { [`switch:${id}`]: { id, output: on, source } }),
      message(`${prefix}/status/switch:${id}`, statusOf(id)),
    ];
  }

  function answer(request: Record<string, unknown>): { result?: object; error?: object; told: Message[] } {
    const params = (request['params'] ?? {}) as Record<string, unknown>;
    const id = Number(params['id'] ?? 0);
    const missing = { error: { code: -105, message: `Argument 'id', value ${id} not found!` }, told: [] };
    switch (request['method']) {
      case 'Switch.Set': {
        const was_on = outputs[id]?.on;
        if (was_on === undefined) return missing;
        return { result: { was_on }, told: switchTo(id, params['on'] === true, 'MQTT') };
      }
      case 'Shelly.GetStatus':
        return { result: fullStatus(), told: [] };
      case 'Shelly.GetDeviceInfo':
        return {
          result: { id: known.clientId, mac, model: 'SPSW-104PE16EU', gen: 2, ver: '1.4.4', app: 'Pro4PM' },
          told: [],
        };
      case 'Switch.GetConfig': {
        const output = outputs[id];
        if (output === undefined) return missing;
        const config = {
          id,
          name: null,
          in_mode: 'detached',
          initial_state: output.initialState,
          auto_on: false,
          auto_off: false,
          auto_off_delay: 60,
        };
        return { result: config, told: [] };
      }
      case 'Switch.SetConfig':
        return setSwitch(params) ? { result: { restart_required: false }, told: [] } : missing;
      default:
        return { error: { code: 404, message: `No handler for ${String(request['method'])}` }, told: [] };
    }
  }

  return {
    setup: known,
    will: { topic: `${prefix}/online`, payload: 'false' },
    subscriptions: [`${prefix}/rpc`, `${prefix}/command`, 'shellies/command'],
    greet: () => ({
      before: [],
      after: [
        message(`${prefix}/online`, 'true', true),
        notify('NotifyFullStatus', fullStatus()),
        ...outputs.map((_, id) => message(`${prefix}/status/switch:${id}`, statusOf(id), true)),
        message(`${prefix}/debug/log`, 'shelly_mqtt.c: connected'),
      ],
    }),
    hear(topic, payload) {
      if (topic !== `${prefix}/rpc`) return [];
      const request = JSON.parse(payload) as Record<string, unknown>;
      const { told, ...outcome } = answer(request);
      const src = String(request['src']);
      return [
        ...told,
        message(`${src}/rpc`, { id: request['id'], src: known.clientId, dst: src, ...outcome }),
      ];
    },
    // it speaks when something changes; while it is off it says nothing at all
    telemetry() {
      count();
      return outputs.flatMap(({ on, totalWh: total }, id) =>
        on ? [notify('NotifyStatus', { [`switch:${id}`]: { id, aenergy: { total } } })] : [],
      );
    },
    everyMs: 60_000,
    press: (channel) => switchTo(channel - 1, outputs[channel - 1]?.on !== true, 'button'),
    stateOf: (channel) => wordOf(outputs[channel - 1]),
    powerCut() {
      count();
      for (const output of outputs) {
        if (output.initialState === 'on' || output.initialState === 'off')
          output.on = output.initialState === 'on';
        output.source = 'init';
      }
      Object.assign(run, { bootedAt: nowMs(), countedAt: nowMs() });
    },
  };
}

const wordOf = (output: { on: boolean } | undefined): SwitchState => (output?.on === true ? 'ON' : 'OFF');
