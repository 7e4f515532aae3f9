import { MOST_CHANNELS } from '#contract/resources/relays.ts';
import { isFirstGeneration } from '#core/first-generation.ts';
import type { Knock } from '#features/control/device-link.ts';
import type {
  ChannelFacts,
  DeviceFacts,
  PasteFacts,
  PowerOn,
  RelayMessage,
  RelayNews,
  RelayProtocol,
  SwitchedBy,
  UnsupportedRelay,
} from '#features/equipment/relays/ports.ts';
import { asObject, type Fields, known, numberIn, readObject, shortTextIn } from './json.ts';

// Shelly of the second generation and later over MQTT, as its interface description says (Mqtt, Switch, Shelly): status
// of each component on <prefix>/status/, notifications on <prefix>/events/rpc, JSON-RPC on <prefix>/rpc with the answer
// on <src>/rpc. It counts channels from 0. One of the first generation tells everything under shellies/, in other words.

const LONGEST_NAME = 64;
const SWITCH = /^switch:(\d{1,2})$/;
const MOST_WH = 1e12;

/** Numbers of our requests, by which their answers are known. */
const CALLS = { order: 1, status: 2, config: 3, setConfig: 4, info: 5 } as const;

const INITIAL_STATE: Readonly<Record<Exclude<PowerOn, 'other'>, string>> = {
  ON: 'on',
  OFF: 'off',
  HOLD: 'restore_last',
};

export const shelly: RelayProtocol = {
  kind: 'shelly',
  longestName: LONGEST_NAME,
  read,
  maySubscribe: (mqttId, filter) =>
    filter.startsWith(`${mqttId}/`) || filter === 'shellies/command' || filter === 'shelly/command',
  hearsOrders: (mqttId, filter) => filter === `${mqttId}/rpc` || filter === `${mqttId}/#`,
  order: (mqttId, channel, target, more) => {
    // without a time it takes back the timer of an earlier order
    const timer = more?.endsInS == null ? {} : { toggle_after: more.endsInS };
    const params = { id: channel - 1, on: target === 'ON', ...timer };
    return [call(mqttId, CALLS.order, 'Switch.Set', params)];
  },
  canEnd: () => true,
  canCancelTimer: () => true,
  reportsEndOfErrors: true,
  ask: (mqttId) => [call(mqttId, CALLS.status, 'Shelly.GetStatus')],
  askMeter: (mqttId) => [call(mqttId, CALLS.status, 'Shelly.GetStatus')],
  askSettings: (mqttId, channel) => [
    call(mqttId, CALLS.info, 'Shelly.GetDeviceInfo'),
    call(mqttId, CALLS.config, 'Switch.GetConfig', { id: channel - 1 }),
  ],
  setPowerOn: (mqttId, { powerOn, channel }) => [
    call(mqttId, CALLS.setConfig, 'Switch.SetConfig', {
      id: channel - 1,
      config: { initial_state: INITIAL_STATE[powerOn] },
    }),
  ],
  switchOffFastCycleReset: () => [],
  disableTimers: (mqttId, channel) => [
    call(mqttId, CALLS.setConfig, 'Switch.SetConfig', {
      id: channel - 1,
      config: { auto_on: false, auto_off: false },
    }),
  ],
  setStateWords: () => [],
  shortenRetry: () => [],
  recognise,
  paste: (facts) => pasteShelly({ ...facts, initialState: INITIAL_STATE[facts.powerOn] }),
};

/** Where the answers to our requests come back: a topic of this relay's own. */
const answersTo = (mqttId: string): string => `sf/v1/a/${mqttId}`;

function call(mqttId: string, id: number, method: string, params?: object): RelayMessage {
  const body = { id, src: answersTo(mqttId), method, ...(params === undefined ? {} : { params }) };
  return { topic: `${mqttId}/rpc`, payload: JSON.stringify(body) };
}

function read(mqttId: string, topic: string, payload: Buffer): RelayNews | null {
  if (topic === `${answersTo(mqttId)}/rpc`) return readAnswer(payload);
  if (topic.startsWith(FIRST_GENERATION_TOPICS)) return { unsupported: 'FIRST_GENERATION' };
  if (!topic.startsWith(`${mqttId}/`)) return null;
  const path = topic.slice(mqttId.length + 1);
  if (path === 'online') return { hello: payload.toString().trim().toLowerCase() === 'true' };
  const component = /^status\/([a-z0-9_]{1,24}(?::\d{1,2})?)$/.exec(path)?.[1];
  const body = readObject(payload);
  if (body === null) return component !== undefined && SWITCH.test(component) ? { isUnreadable: true } : null;
  if (path === 'events/rpc') {
    const params = asObject(body['params']);
    if (params !== null && hasNewSettings(params)) return { hasNewSettings: true };
    return params === null ? null : newsOf(params, { isWhole: body['method'] === 'NotifyFullStatus' });
  }
  return component === undefined ? null : newsOf({ [component]: body }, { isWhole: true });
}

function hasNewSettings({ events }: Fields): boolean {
  return Array.isArray(events) && events.some((event) => asObject(event)?.['event'] === 'config_changed');
}

function readAnswer(payload: Buffer): RelayNews | null {
  const body = readObject(payload);
  if (body === null) return null;
  const error = asObject(body['error']);
  if (error !== null) {
    const refused = shortTextIn(error['message']) ?? 'the relay refused, without a reason';
    // what it does not know is no order that failed
    return body['id'] === CALLS.order || body['id'] === CALLS.setConfig ? { refused } : {};
  }
  const result = asObject(body['result']) ?? {};
  if (body['id'] === CALLS.status) return newsOf(result, { isWhole: true });
  if (body['id'] === CALLS.config) return readConfig(result);
  if (body['id'] === CALLS.info) {
    const device = known<DeviceFacts>({
      ...NO_DEVICE,
      mac: shortTextIn(result['mac']),
      model: shortTextIn(result['app']) ?? shortTextIn(result['model']),
      firmware: shortTextIn(result['ver']),
    });
    return { device, ...(result['profile'] === 'cover' ? { unsupported: 'COVER_PROFILE' as const } : {}) };
  }
  return {};
}

const NO_DEVICE = {
  mac: undefined,
  model: undefined,
  firmware: undefined,
  address: undefined,
  rssi: undefined,
  uptimeS: undefined,
  restartReason: undefined,
};

/** Components by name, as every status names them; what changed, or the whole of them. */
function newsOf(components: Fields, { isWhole }: { isWhole: boolean }): RelayNews {
  const sys = asObject(components['sys']);
  const wifi = asObject(components['wifi']);
  const channels = new Map<number, Partial<ChannelFacts>>();
  let isUnreadable = false;
  let unsupported: UnsupportedRelay | undefined;
  for (const [name, value] of Object.entries(components)) {
    if (/^cover:\d{1,2}$/.test(name)) unsupported = 'COVER_PROFILE';
    const id = SWITCH.exec(name)?.[1];
    const status = asObject(value);
    if (id === undefined || status === null || Number(id) >= MOST_CHANNELS) continue;
    const facts = channelOf(status, isWhole);
    if (facts === null) isUnreadable = true;
    else channels.set(Number(id) + 1, facts);
  }
  const device = known<DeviceFacts>({
    ...NO_DEVICE,
    mac: shortTextIn(sys?.['mac']),
    uptimeS: numberIn(sys?.['uptime'], 0, 1e10),
    restartReason: resetReason(sys?.['reset_reason']),
    address: shortTextIn(wifi?.['sta_ip']),
    rssi: numberIn(wifi?.['rssi'], -200, 0),
  });
  return {
    ...(Object.keys(device).length === 0 ? {} : { device }),
    ...(channels.size === 0 ? {} : { channels }),
    ...(isUnreadable ? { isUnreadable } : {}),
    ...(unsupported === undefined ? {} : { unsupported }),
  };
}

/** Its processor's own number: 1 is power. */
function resetReason(value: unknown): string | undefined {
  const code = numberIn(value, 0, 32);
  if (code === undefined) return undefined;
  return code === 1 ? 'Power on' : code === 3 ? 'Software restart' : `Reset reason ${code}`;
}

/** null: it tells how it stands, and not as its makers wrote it down. */
function channelOf(status: Fields, isWhole: boolean): Partial<ChannelFacts> | null {
  const output = status['output'];
  if (typeof output !== 'boolean' && (isWhole || output !== undefined)) return null;
  const energy = asObject(status['aenergy']);
  const errors = status['errors'];
  const total = numberIn(energy?.['total'], 0, MOST_WH);
  return known<ChannelFacts>({
    current: typeof output === 'boolean' ? (output ? 'ON' : 'OFF') : undefined,
    switchedBy: switchedBy(status['source']),
    powerW: numberIn(status['apower'], 0, 1e6),
    voltageV: numberIn(status['voltage'], 0, 1e5),
    currentA: numberIn(status['current'], 0, 1e4),
    powerFactor: numberIn(status['pf'], 0, 1),
    temperatureC: numberIn(asObject(status['temperature'])?.['tC'], -60, 200),
    countedWh: total,
    // it tells no instant; that its counter started anew shows in the figure alone
    countedSince: total === undefined ? undefined : null,
    autoOffS: undefined,
    autoOnS: undefined,
    powerOn: undefined,
    errors: Array.isArray(errors)
      ? errors.flatMap((word) => shortTextIn(word) ?? []).slice(0, 8)
      : isWhole
        ? // shown only while there are some
          []
        : undefined,
  });
}

/** Its `source`; a script or a schedule of its own is as little a hand as its timer. */
function switchedBy(source: unknown): SwitchedBy | undefined {
  const word = shortTextIn(source)?.toLowerCase();
  if (word === undefined) return undefined;
  if (word === 'mqtt') return 'order';
  if (word === 'init' || word === 'boot') return 'start';
  if (/^(timer|schedule|script|loopback)/.test(word)) return 'timer';
  if (/^(limit|over|under|protect)/.test(word)) return 'protection';
  // a button, an input, its own page, its makers' cloud
  return 'hand';
}

function readConfig(config: Fields): RelayNews {
  const id = numberIn(config['id'], 0, MOST_CHANNELS - 1);
  if (id === undefined) return {};
  const found = Object.entries(INITIAL_STATE).find(([, word]) => word === config['initial_state'])?.[0];
  const powerOn = found === 'ON' || found === 'OFF' || found === 'HOLD' ? found : 'other';
  const timer = (name: string) =>
    config[name] === true ? (numberIn(config[`${name}_delay`], 0, 1e7) ?? 1) : 0;
  return {
    channels: new Map([[id + 1, { powerOn, autoOffS: timer('auto_off'), autoOnS: timer('auto_on') }]]),
  };
}

/** All topics of the first generation begin so; those of the second with a prefix that is set in them. */
const FIRST_GENERATION_TOPICS = 'shellies/';

function recognise({ clientId, will }: Knock): ReturnType<RelayProtocol['recognise']> {
  const [, model, mac] =
    /^(shelly[a-z0-9]{1,40}(?:-[a-z0-9]{1,4})?)-([0-9a-fA-F]{6,12})$/.exec(clientId) ?? [];
  const prefix = will === null ? undefined : /^([^#+]{1,200})\/online$/.exec(will.topic)?.[1];
  const isItsWill = prefix !== undefined && will?.payload === 'false';
  if (model === undefined && !isItsWill) return null;
  const isFirst = prefix?.startsWith(FIRST_GENERATION_TOPICS) ?? isFirstGeneration(clientId);
  return {
    name: model === undefined ? (prefix ?? clientId).slice(0, 64) : clientId,
    model: model ?? null,
    mac: mac?.toUpperCase() ?? null,
    ...(isFirst ? { unsupported: 'FIRST_GENERATION' as const } : {}),
  };
}

/**
 * What is opened in a browser for a Shelly: its requests may be written into the address line. The last one starts it
 * anew, because other settings of MQTT hold from the next start on.
 */
function pasteShelly(facts: PasteFacts & { initialState: string }): ReturnType<RelayProtocol['paste']> {
  const { host, port, mqttId, key, relayAddress, channel, initialState } = facts;
  const mqtt = {
    enable: true,
    server: `${host}:${port}`,
    client_id: mqttId,
    user: mqttId,
    ...(key === null ? {} : { pass: key }),
    topic_prefix: mqttId,
    ssl_ca: null,
    enable_rpc: true,
    rpc_ntf: true,
    status_ntf: true,
    enable_control: false,
  };
  const output = { initial_state: initialState, auto_on: false, auto_off: false };
  // without a known address a technician puts it in; no browser opens this word
  const base = `http://${relayAddress ?? 'RELAY-ADDRESS'}/rpc`;
  const open = (text: string) => ({ where: 'browser' as const, text: `${base}/${text}` });
  const written = (value: object) => encodeURIComponent(JSON.stringify(value));
  return {
    fields: [
      ['server', mqtt.server],
      ['client_id', mqttId],
      ['user', mqttId],
      ...(key === null ? [] : [['pass', key]]),
      ['topic_prefix', mqttId],
      ['rpc_ntf', 'true'],
      ['status_ntf', 'true'],
      ['initial_state', initialState],
      ['auto_off', 'false'],
    ].map(([name = '', value = '']) => ({ name, value })),
    steps: [
      open(`Switch.SetConfig?id=${channel - 1}&config=${written(output)}`),
      open(`MQTT.SetConfig?config=${written(mqtt)}`),
      open('Shelly.Reboot'),
    ],
  };
}
