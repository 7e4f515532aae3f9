import { MOST_CHANNELS } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import type { Knock } from '#features/control/device-link.ts';
import type {
  ChannelFacts,
  DeviceFacts,
  OrderMore,
  PasteFacts,
  PowerOn,
  RelayMessage,
  RelayNews,
  RelayProtocol,
} from '#features/equipment/relays/ports.ts';
import { asObject, type Fields, known, numberIn, readObject, shortTextIn } from './json.ts';

// Orders of a Tasmota that end by themselves. TimedPower (from 13.4 on) waits in memory and wears no flash; older ones
// have Backlog with Delay, one queue for the whole relay. PulseTime is no way: it is written to flash, and stays.

type Command = { name: string; payload: string };

const FIRST_TIMED_POWER = [13, 4] as const;
/** Delay counts tenths of a second, this many at most; a Backlog has room for 30 commands. */
const LONGEST_DELAY = 3_600;
const MOST_DELAYS = 28;
const LONGEST_BACKLOG_S = (MOST_DELAYS * LONGEST_DELAY) / 10;

function orderOf(channel: number, target: SwitchState, more?: OrderMore): Command[] {
  const power = { name: `POWER${channel}`, payload: target };
  if (more === undefined) return [power];
  const way = wayOf(more.firmware);
  const cancel: Command[] =
    way === null || !more.mayHaveTimer
      ? []
      : [{ name: way === 'timed_power' ? `TimedPower${channel}` : 'Backlog', payload: '' }];
  const { endsInS } = more;
  if (endsInS === null || !canEnd(more)) return [...cancel, power];
  if (way === 'timed_power') {
    const timed = `${Math.round(endsInS * 1000)},${target === 'ON' ? 1 : 0}`;
    // a build without it switches all the same
    return [...cancel, power, { name: `TimedPower${channel}`, payload: timed }];
  }
  const then = `POWER${channel} ${target === 'ON' ? 'OFF' : 'ON'}`;
  return [...cancel, power, { name: 'Backlog', payload: [...delays(endsInS), then].join('; ') }];
}

/** True where the relay can end an order by itself. */
function canEnd({ endsInS, firmware, isAlone }: OrderMore): boolean {
  const way = wayOf(firmware);
  if (way === null || endsInS === null) return false;
  return way === 'timed_power' || (isAlone && endsInS <= LONGEST_BACKLOG_S);
}

const canCancelTimer = ({ firmware }: OrderMore): boolean => wayOf(firmware) !== null;

/** null: nobody knows which firmware it has. */
function wayOf(firmware: string | null): 'timed_power' | 'backlog' | null {
  const [, major, minor] = /^v?(\d{1,3})\.(\d{1,3})/.exec(firmware ?? '') ?? [];
  if (major === undefined || minor === undefined) return null;
  const isNewer =
    Number(major) > FIRST_TIMED_POWER[0] ||
    (Number(major) === FIRST_TIMED_POWER[0] && Number(minor) >= FIRST_TIMED_POWER[1]);
  return isNewer ? 'timed_power' : 'backlog';
}

function delays(seconds: number): string[] {
  const steps: string[] = [];
  // the shortest it takes is two tenths
  for (let left = Math.round(seconds * 10); left >= 2; left -= LONGEST_DELAY)
    steps.push(`Delay ${Math.min(left, LONGEST_DELAY)}`);
  return steps;
}

/** Its console takes 519 characters and 30 commands in a line. */
const LONGEST_LINE = 519;

const backlog = (values: readonly [string, string][]): string =>
  `Backlog ${values.map(([name, value]) => `${name} ${value}`).join('; ')}`;

// Tasmota over MQTT with FullTopic %prefix%/%topic%/, as its documents MQTT and Commands describe it: orders on
// cmnd/<topic>/, answers on stat/<topic>/, telemetry on tele/<topic>/. Every message of it is QoS 0 and echoes no
// version. It never says who switched it; of its own timer (PulseTime) and its limit of power (MaxPower) it tells.

/** Of versions before 8.1; later ones take more. */
const LONGEST_NAME = 32;
const POWER = /^POWER(\d{0,2})$/;
const GROUPS = /^cmnd\/(?:tasmotas|DVES_[0-9A-Fa-f]{6}_fb)\/(?:#|\+|[A-Za-z0-9]+)$/;
const DISCOVERY = /^tasmota\/discovery\/([0-9A-Fa-f]{12})\/config$/;
const MOST_WH = 1e12;

/** Its waits grow from this to two minutes, whatever is set; less than this it does not take. */
const SHORTEST_RETRY_S = 10;

/** PowerOnState of a fail-safe; 2 (toggle), 4 and 5 are none that a farm can live with. */
const POWER_ON: Readonly<Record<Exclude<PowerOn, 'other'>, number>> = { OFF: 0, ON: 1, HOLD: 3 };

export const tasmota: RelayProtocol = {
  kind: 'tasmota',
  longestName: LONGEST_NAME,
  read,
  maySubscribe: (mqttId, filter) => filter.startsWith(`cmnd/${mqttId}/`) || GROUPS.test(filter),
  hearsOrders: (mqttId, filter) => filter === `cmnd/${mqttId}/#` || filter === `cmnd/${mqttId}/+`,
  order: (mqttId, channel, target, more) =>
    orderOf(channel, target, more).map(({ name, payload }) => command(mqttId, name, payload)),
  canEnd,
  canCancelTimer,
  reportsEndOfErrors: false,
  ask: (mqttId) => [command(mqttId, 'STATE', '')],
  askMeter: (mqttId) => [command(mqttId, 'STATUS', '8')],
  askSettings: (mqttId, channel) => [
    command(mqttId, 'SetOption65', ''),
    command(mqttId, 'PowerOnState', ''),
    command(mqttId, `PulseTime${channel}`, ''),
    command(mqttId, 'MqttRetry', ''),
    command(mqttId, 'STATUS', '2'),
  ],
  setPowerOn: (mqttId, { powerOn }) => [command(mqttId, 'PowerOnState', String(POWER_ON[powerOn]))],
  switchOffFastCycleReset: (mqttId) => [command(mqttId, 'SetOption65', '1')],
  disableTimers: (mqttId, channel) => [command(mqttId, `PulseTime${channel}`, '0')],
  setStateWords: (mqttId) => [
    command(mqttId, 'StateText1', 'OFF'),
    command(mqttId, 'StateText2', 'ON'),
    command(mqttId, 'STATE', ''),
  ],
  shortenRetry: (mqttId) => [command(mqttId, 'MqttRetry', String(SHORTEST_RETRY_S))],
  recognise,
  paste: (facts) => pasteTasmota({ ...facts, powerOnState: POWER_ON[facts.powerOn] }),
};

const command = (mqttId: string, name: string, payload: string): RelayMessage => ({
  topic: `cmnd/${mqttId}/${name}`,
  payload,
});

function read(mqttId: string, topic: string, payload: Buffer): RelayNews | null {
  const mac = DISCOVERY.exec(topic)?.[1];
  if (mac !== undefined) return readDiscovery(mac, payload);
  const word = (prefix: string) =>
    topic.startsWith(`${prefix}/${mqttId}/`) ? topic.slice(prefix.length + mqttId.length + 2) : null;
  const told = word('tele');
  if (told === 'LWT') return { hello: payload.toString().trim().toLowerCase() !== 'offline' };
  if (told !== null) return readBody(payload, /^INFO[123]$/.test(told));
  const said = word('stat');
  if (said === null) return null;
  const channel = channelOf(said);
  if (said === 'WARNING') return readWarning(payload);
  if (channel === null) return readBody(payload, false);
  const current = stateOf(payload.toString());
  return current === undefined ? { isUnreadable: true } : { channels: new Map([[channel, { current }]]) };
}

/** Before it switches everything off because the load drew too much. */
function readWarning(payload: Buffer): RelayNews | null {
  const limit = Object.keys(readObject(payload) ?? {}).find((name) => /^Max(Power|Energy)Reached/.test(name));
  return limit === undefined ? null : { channels: new Map([[0, { errors: [limit] }]]) };
}

/** POWER and POWER1 are the first channel; null: not a name of a channel. */
function channelOf(name: string): number | null {
  const digits = POWER.exec(name)?.[1];
  if (digits === undefined) return null;
  const channel = digits === '' ? 1 : Number(digits);
  return channel >= 1 && channel <= MOST_CHANNELS ? channel : null;
}

function stateOf(value: unknown): SwitchState | undefined {
  // from version 14.5 on a channel may be an object
  const plain = asObject(value)?.['State'] ?? value;
  const word =
    typeof plain === 'string' || typeof plain === 'number' ? String(plain).trim().toUpperCase() : '';
  if (word === 'ON' || word === '1' || word === 'TRUE') return 'ON';
  if (word === 'OFF' || word === '0' || word === 'FALSE') return 'OFF';
  return undefined;
}

function readBody(payload: Buffer, isBoot: boolean): RelayNews | null {
  const body = readObject(payload);
  if (body === null) return null;
  // answers to STATUS wrap what tele says plainly; INFO1..3 do so from version 10 on
  const inner =
    asObject(body['StatusSTS']) ??
    asObject(body['StatusSNS']) ??
    asObject(body['StatusFWR']) ??
    asObject(body['Info1']) ??
    asObject(body['Info2']) ??
    asObject(body['Info3']) ??
    body;
  const { channels, isUnreadable } = channelsOf(inner);
  const device = deviceOf(inner);
  return {
    ...(isBoot ? { hasStarted: true as const } : {}),
    ...(Object.keys(device).length === 0 ? {} : { device }),
    ...(channels.size === 0 ? {} : { channels }),
    ...(isUnreadable ? { isUnreadable } : {}),
    ...settingsOf(inner),
    ...refusalOf(inner),
  };
}

/** Newer ones name the command they do not know; only one that switches is an order that failed. */
function refusalOf({ Command: word, Input: input }: Fields): Pick<RelayNews, 'refused' | 'hasNoTimer'> {
  if (word !== 'Unknown' && word !== 'Error') return {};
  const name = typeof input === 'string' ? input.toUpperCase() : '';
  if (name.startsWith('TIMEDPOWER')) return { hasNoTimer: true };
  const isOrder = name === '' ? word === 'Error' : name.startsWith('POWER') && !name.startsWith('POWERON');
  return isOrder ? { refused: 'the relay does not know a command of ours' } : {};
}

function deviceOf(body: Fields): Partial<DeviceFacts> {
  const wifi = asObject(body['Wifi']);
  return known<DeviceFacts>({
    mac: undefined,
    model: shortTextIn(body['Module']),
    firmware: shortTextIn(body['Version']),
    address: shortTextIn(body['IPAddress']),
    rssi: numberIn(wifi?.['Signal'], -200, 0),
    uptimeS: numberIn(body['UptimeSec'], 0, 1e10),
    restartReason: shortTextIn(body['RestartReason']),
  });
}

function settingsOf(body: Fields): Pick<RelayNews, 'hasFastCycleReset' | 'retryS'> {
  const word = stateOf(body['SetOption65']);
  const retryS = numberIn(body['MqttRetry'], 0, 100_000);
  return {
    // 1 switches the recovery off
    ...(word === undefined ? {} : { hasFastCycleReset: word === 'OFF' }),
    ...(retryS === undefined ? {} : { retryS }),
  };
}

function channelsOf(body: Fields) {
  const channels = new Map<number, Partial<ChannelFacts>>();
  let isUnreadable = false;
  const add = (channel: number, facts: Partial<ChannelFacts>) =>
    void channels.set(channel, { ...channels.get(channel), ...facts });
  for (const [name, value] of Object.entries(body)) {
    const channel = channelOf(name);
    const current = channel === null ? undefined : stateOf(value);
    if (channel !== null && current !== undefined) add(channel, { current });
    if (channel !== null && current === undefined) isUnreadable = true;
    const pulse = /^PulseTime(\d{1,2})$/.exec(name)?.[1];
    const set = pulse === undefined ? undefined : numberIn(asObject(value)?.['Set'] ?? value, 0, 64_900);
    // up to 111 it counts tenths of a second, from 112 on seconds beyond 100
    if (set !== undefined) add(Number(pulse), { autoOffS: set <= 111 ? set / 10 : set - 100 });
  }
  const powerOn = numberIn(body['PowerOnState'], 0, 5);
  if (powerOn !== undefined) add(0, { powerOn: powerOnOf(powerOn) });
  for (const [channel, facts] of metersOf(asObject(body['ENERGY']))) add(channel, facts);
  return { channels, isUnreadable };
}

function powerOnOf(state: number): PowerOn {
  const found = Object.entries(POWER_ON).find(([, number]) => number === state)?.[0];
  return found === 'ON' || found === 'OFF' || found === 'HOLD' ? found : 'other';
}

/** One meter speaks for the device as a whole (0), several for their channels. */
function metersOf(energy: Fields | null): [number, Partial<ChannelFacts>][] {
  if (energy === null) return [];
  const powers = energy['Power'];
  const isMany = Array.isArray(powers);
  const count = isMany ? Math.min(powers.length, MOST_CHANNELS) : 1;
  const since = shortTextIn(energy['TotalStartTime']) ?? null;
  return Array.from({ length: count }, (_, index) => {
    // a voltage may be common to all
    const at = (name: string) => (Array.isArray(energy[name]) ? energy[name][index] : energy[name]);
    const total =
      isMany && !Array.isArray(energy['Total']) ? undefined : numberIn(at('Total'), 0, MOST_WH / 1000);
    return [
      isMany ? index + 1 : 0,
      known<ChannelFacts>({
        current: undefined,
        switchedBy: undefined,
        powerW: numberIn(at('Power'), 0, 1e6),
        voltageV: numberIn(at('Voltage'), 0, 1e5),
        currentA: numberIn(at('Current'), 0, 1e4),
        powerFactor: numberIn(at('Factor'), 0, 1),
        temperatureC: undefined,
        countedWh: total === undefined ? undefined : Math.round(total * 1_000_000) / 1000,
        countedSince: total === undefined ? undefined : since,
        autoOffS: undefined,
        autoOnS: undefined,
        powerOn: undefined,
        errors: undefined,
      }),
    ];
  });
}

function readDiscovery(mac: string, payload: Buffer): RelayNews | null {
  const body = readObject(payload);
  if (body === null) return null;
  const device = known<DeviceFacts>({
    mac: mac.toUpperCase(),
    model: shortTextIn(body['md']),
    firmware: shortTextIn(body['sw']),
    address: shortTextIn(body['ip']),
    rssi: undefined,
    uptimeS: undefined,
    restartReason: undefined,
  });
  return { device };
}

function recognise({ clientId, username, will }: Knock): ReturnType<RelayProtocol['recognise']> {
  const six = /^DVES_([0-9A-Fa-f]{6})$/.exec(clientId)?.[1];
  const topic = will === null ? undefined : /^tele\/([^/]{1,64})\/LWT$/.exec(will.topic)?.[1];
  if (six === undefined && username !== 'DVES_USER' && topic === undefined) return null;
  return { name: topic ?? clientId.slice(0, 64), model: null, mac: six?.toUpperCase() ?? null };
}

/**
 * What is pasted into the console of a Tasmota relay. The values are those a farm needs:
 * SetOption65 1: seven short power cuts would otherwise put it back to its factory settings, and a generator flickers.
 * Retain 0: a retained order switches a motor after a reconnect. SetOption0 1 keeps the state over a power cut.
 * SetOption4 0, SetOption90 0 and the state texts are the words this gateway reads: one that says LIGADO never reports.
 * PowerDelta 110: a change of 10 W is told at once. WifiConfig 4: without its Wi-Fi it tries on and never restarts.
 */
function pasteTasmota(facts: PasteFacts & { powerOnState: number }): ReturnType<RelayProtocol['paste']> {
  const { host, port, mqttId, key } = facts;
  const whereTo: [string, string][] = [
    ['MqttHost', host],
    ['MqttPort', String(port)],
    ['MqttUser', mqttId],
    ...(key === null ? [] : ([['MqttPassword', key]] as [string, string][])),
    ['MqttClient', mqttId],
    ['Topic', mqttId],
    ['FullTopic', '%prefix%/%topic%/'],
    ['Prefix1', 'cmnd'],
    ['Prefix2', 'stat'],
    ['Prefix3', 'tele'],
  ];
  const behaviour: [string, string][] = [
    ['TelePeriod', '30'],
    ['PowerOnState', String(facts.powerOnState)],
    ['PowerRetain', '0'],
    ['SwitchRetain', '0'],
    ['ButtonRetain', '0'],
    ['SetOption0', '1'],
    ['SetOption3', '1'],
    ['SetOption4', '0'],
    ['SetOption65', '1'],
    ['SetOption90', '0'],
    ['StateText1', 'OFF'],
    ['StateText2', 'ON'],
    ['PowerDelta', '110'],
    ['WifiConfig', '4'],
    ['MqttKeepAlive', '30'],
    ['MqttRetry', '10'],
    ['NtpServer1', host],
  ];
  const whole = backlog([...whereTo, ...behaviour]);
  // what starts the relay anew comes last: the next line would be lost
  const lines = whole.length <= LONGEST_LINE ? [whole] : [backlog(behaviour), backlog(whereTo)];
  return {
    fields: [...whereTo, ...behaviour].map(([name, value]) => ({ name, value })),
    steps: lines.map((text) => ({ where: 'tasmota_console', text })),
  };
}
