import { relayClock, type Said, startWire } from './on-the-wire.ts';

// A Tasmota as its makers describe it (Commands, MQTT, PowerOnState, Rules, and the sources where those are silent):
// topics by FullTopic, every command answered on stat/…/RESULT, PulseTime from each Power ON on, TimedPower and Backlog
// in memory, MaxPower with its WARNING, state texts. It never says who switched it.

type Power = 'ON' | 'OFF';
export type Tasmota = ReturnType<typeof startTasmota>;

export type TasmotaOptions = {
  mqtt: string;
  /** Lines pasted into its console. */
  lines: readonly string[];
  speed: number;
  /** As it was set before anything was pasted. */
  before?: Readonly<Record<string, string>>;
  firmware?: string;
  channels?: number;
  /** It has been running for this long. */
  uptimeS?: number;
  hasMeter?: boolean;
  /** Of its life until now, Wh. */
  countedWh?: number;
  /** Settings that this build does not take: each command of these names is answered and changes nothing. */
  stuck?: readonly string[];
};

const MOTOR_W = 1_490;
const VOLTS = 220;
const LONGEST_RETRY_S = 120;

export function startTasmota(options: TasmotaOptions) {
  const { speed, channels = 1, firmware = '14.2.0(tasmota)', hasMeter = true } = options;
  const clock = relayClock(speed);
  const stuck = new Set((options.stuck ?? []).map((name) => name.toLowerCase()));
  const settings = new Map<string, string>();
  for (const [name, value] of Object.entries(options.before ?? {})) settings.set(name.toLowerCase(), value);
  for (const line of options.lines) paste(line);
  const power: Power[] = Array.from({ length: channels }, () => 'OFF');
  const cancelPulse: (() => void)[] = [];
  const timed = new Map<string, () => void>();
  const history: { at: number; channel: number; to: Power }[] = [];
  const backlog: string[] = [];
  const run = {
    bootedAt: -(options.uptimeS ?? 100_000) * 1000,
    isBooting: options.uptimeS === 0,
    boots: 7,
    countedWh: options.countedWh ?? 0,
    countedAt: 0,
    isBacklogRunning: false,
  };

  function paste(line: string): void {
    for (const part of line.replace(/^backlog0?\s+/i, '').split(';')) {
      const [, name = '', value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(part) ?? [];
      if (!stuck.has(name.toLowerCase())) settings.set(name.toLowerCase(), value);
    }
  }

  const get = (name: string, otherwise: string) => settings.get(name.toLowerCase()) ?? otherwise;
  const topicOf = (prefix: 'cmnd' | 'stat' | 'tele', name: string) => {
    const word = get(`Prefix${['cmnd', 'stat', 'tele'].indexOf(prefix) + 1}`, prefix);
    const full = get('FullTopic', '%prefix%/%topic%/')
      .replace('%prefix%', word)
      .replace('%topic%', get('Topic', 'tasmota'));
    return full + name;
  };
  const nameOf = (channel: number) =>
    channels === 1 && get('SetOption26', '0') === '0' ? 'POWER' : `POWER${channel}`;
  const textOf = (state: Power) => (state === 'ON' ? get('StateText2', 'ON') : get('StateText1', 'OFF'));
  const uptimeS = () => Math.floor((clock.now() - run.bootedAt) / 1000);
  const timeText = () => new Date(Date.UTC(2026, 0, 1) + clock.now()).toISOString().slice(0, 19);

  function result(body: object): void {
    const name = Object.keys(body)[0]?.toUpperCase() ?? '';
    wire.say([
      {
        topic: topicOf('stat', get('SetOption4', '0') === '1' ? name : 'RESULT'),
        payload: JSON.stringify(body),
      },
    ]);
  }

  function count(): void {
    const on = power.filter((state) => state === 'ON').length;
    run.countedWh += (on * MOTOR_W * (clock.now() - run.countedAt)) / 3_600_000;
    run.countedAt = clock.now();
  }

  function tellPower(channel: number): void {
    const text = textOf(power[channel - 1] ?? 'OFF');
    result({ [nameOf(channel)]: text });
    if (get('SetOption90', '0') === '0')
      wire.say([{ topic: topicOf('stat', nameOf(channel)), payload: text }]);
  }

  /** Power ON begins its PulseTime anew, whoever says it. */
  function switchTo(channel: number, to: Power): void {
    count();
    if (power[channel - 1] !== to) history.push({ at: clock.now(), channel, to });
    power[channel - 1] = to;
    cancelPulse[channel]?.();
    const pulse = Number(get(`PulseTime${channel}`, '0'));
    if (to === 'ON' && pulse > 0)
      cancelPulse[channel] = clock.after(pulse <= 111 ? pulse * 100 : (pulse - 100) * 1000, () =>
        switchTo(channel, 'OFF'),
      );
    tellPower(channel);
  }

  function stateBody(): object {
    return {
      Time: timeText(),
      Uptime: `${Math.floor(uptimeS() / 86_400)}T00:00:00`,
      UptimeSec: uptimeS(),
      MqttCount: 3,
      ...Object.fromEntries(power.map((state, index) => [nameOf(index + 1), textOf(state)])),
      Wifi: { AP: 1, SSId: 'fazenda', Channel: 6, RSSI: 74, Signal: -63 },
    };
  }

  function sensorBody(): object {
    count();
    const on = power.filter((state) => state === 'ON').length;
    return {
      Time: timeText(),
      ...(hasMeter
        ? {
            ENERGY: {
              TotalStartTime: '2025-01-01T00:00:00',
              Total: Math.round(run.countedWh) / 1000,
              Power: on * MOTOR_W,
              Factor: on === 0 ? 0 : 0.86,
              Voltage: VOLTS,
              Current: Math.round((on * MOTOR_W) / VOLTS / 0.86) / 1,
            },
          }
        : {}),
    };
  }

  function telemetry(): void {
    wire.say([
      { topic: topicOf('tele', 'STATE'), payload: JSON.stringify(stateBody()) },
      { topic: topicOf('tele', 'SENSOR'), payload: JSON.stringify(sensorBody()) },
    ]);
    clock.after(Number(get('TelePeriod', '300')) * 1000, telemetry);
  }

  const hasTimedPower = () => Number(/^(\d+)\.(\d+)/.exec(firmware)?.slice(1).join('.') ?? 0) >= 13.4;

  function timedPower(channel: number, value: string): void {
    const name = `power${channel}`;
    if (value === '') {
      timed.get(name)?.();
      timed.delete(name);
      return result({ [`TimedPower${channel}`]: 'Done' });
    }
    const [ms = '0', word = '1'] = value.split(',');
    const to = ['0', 'off'].includes(word.trim().toLowerCase()) ? 'OFF' : 'ON';
    timed.get(name)?.();
    timed.set(
      name,
      clock.after(Math.max(50, Number(ms)), () => switchTo(channel, to === 'ON' ? 'OFF' : 'ON')),
    );
    switchTo(channel, to);
  }

  function runBacklog(): void {
    const next = backlog.shift();
    run.isBacklogRunning = next !== undefined;
    if (next === undefined) return;
    const [, name = '', value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(next) ?? [];
    if (name.toLowerCase() !== 'delay') obey(name.toLowerCase(), value);
    clock.after(name.toLowerCase() === 'delay' ? Number(value) * 100 : 200, runBacklog);
  }

  function addBacklog(value: string): void {
    if (value === '') {
      const word = backlog.length === 0 && !run.isBacklogRunning ? 'Empty' : 'Aborted';
      backlog.length = 0;
      return result({ Backlog: word });
    }
    backlog.push(...value.split(';').map((part) => part.trim()));
    if (!run.isBacklogRunning) runBacklog();
  }

  function obey(command: string, value: string): void {
    const [, name = '', digits = ''] = /^([a-z]+?)(\d*)$/.exec(command) ?? [];
    const channel = digits === '' ? 1 : Number(digits);
    switch (name) {
      case 'power': {
        if (channel > channels) return result({ Command: 'Error', Input: command.toUpperCase() });
        const word = value.toLowerCase();
        if (['on', '1', 'true'].includes(word)) return switchTo(channel, 'ON');
        if (['off', '0', 'false'].includes(word)) return switchTo(channel, 'OFF');
        if (['toggle', '2'].includes(word))
          return switchTo(channel, power[channel - 1] === 'ON' ? 'OFF' : 'ON');
        return tellPower(channel);
      }
      case 'timedpower':
        if (!hasTimedPower()) break;
        return timedPower(channel, value);
      case 'backlog':
        return addBacklog(value);
      case 'state':
        return result(stateBody());
      case 'status':
        if (value === '2')
          return wire.say([
            {
              topic: topicOf('stat', 'STATUS2'),
              payload: JSON.stringify({ StatusFWR: { Version: firmware } }),
            },
          ]);
        if (value === '8' || value === '10')
          return wire.say([
            {
              topic: topicOf('stat', `STATUS${value}`),
              payload: JSON.stringify({ StatusSNS: sensorBody() }),
            },
          ]);
        return;
      case 'pulsetime': {
        setTo(`PulseTime${channel}`, value);
        if (!stuck.has(`pulsetime${channel}`) && value !== '') cancelPulse[channel]?.();
        return result({
          [`PulseTime${channel}`]: { Set: Number(get(`PulseTime${channel}`, '0')), Remaining: 0 },
        });
      }
      case 'poweronstate':
        setTo('PowerOnState', value);
        return result({ PowerOnState: Number(get('PowerOnState', '3')) });
      case 'mqttretry':
        setTo('MqttRetry', value);
        return result({ MqttRetry: Number(get('MqttRetry', '10')) });
      case 'setoption':
        setTo(`SetOption${digits}`, value);
        return result({ [`SetOption${digits}`]: get(`SetOption${digits}`, '0') === '1' ? 'ON' : 'OFF' });
      case 'statetext':
        setTo(`StateText${digits}`, value);
        return result({ [`StateText${digits}`]: get(`StateText${digits}`, digits === '2' ? 'ON' : 'OFF') });
      default:
    }
    result({ Command: 'Unknown', Input: command.toUpperCase() });
  }

  function setTo(name: string, value: string): void {
    if (value !== '' && !stuck.has(name.toLowerCase())) settings.set(name.toLowerCase(), value);
  }

  function greet(): void {
    const mac = '24A160AABBCC';
    const boot: Said[] = [
      {
        topic: topicOf('tele', 'INFO1'),
        payload: JSON.stringify({ Info1: { Module: 'Sonoff Pow', Version: firmware } }),
      },
      {
        topic: topicOf('tele', 'INFO2'),
        payload: JSON.stringify({ Info2: { Hostname: 'rele', IPAddress: '10.0.0.7' } }),
      },
      {
        topic: topicOf('tele', 'INFO3'),
        payload: JSON.stringify({ Info3: { RestartReason: 'Power On', BootCount: run.boots } }),
      },
    ];
    wire.say([
      {
        topic: `tasmota/discovery/${mac}/config`,
        payload: JSON.stringify({ ip: '10.0.0.7', mac, md: 'Sonoff Pow', sw: firmware }),
        retain: true,
      },
      ...(run.isBooting ? boot : []),
    ]);
    if (run.isBooting) for (let channel = 1; channel <= channels; channel += 1) tellPower(channel);
    run.isBooting = false;
    wire.say([{ topic: topicOf('tele', 'STATE'), payload: JSON.stringify(stateBody()) }]);
  }

  const wire = startWire({
    url: options.mqtt,
    clock,
    keepaliveS: Number(get('MqttKeepAlive', '30')),
    options: {
      clientId: get('MqttClient', 'DVES_AABBCC'),
      username: get('MqttUser', 'DVES_USER'),
      password: get('MqttPassword', 'DVES_PASS'),
      will: { topic: topicOf('tele', 'LWT'), payload: Buffer.from('Offline'), qos: 1, retain: true },
    },
    // each failed attempt makes the next wait longer, up to two minutes
    retryMs: (failed) => Math.min(LONGEST_RETRY_S, Number(get('MqttRetry', '10')) * failed) * 1000,
    connected(client) {
      wire.say([
        { topic: topicOf('tele', 'LWT'), payload: 'Online', retain: true },
        { topic: topicOf('cmnd', 'POWER'), payload: '' },
      ]);
      client.subscribe([topicOf('cmnd', '#'), 'cmnd/tasmotas/#', 'cmnd/DVES_AABBCC_fb/#'], greet);
    },
    hear(topic, payload) {
      const own = topicOf('cmnd', '');
      if (topic.startsWith(own)) obey(topic.slice(own.length).toLowerCase(), payload.trim());
    },
  });
  clock.after(1_000, telemetry);

  return {
    history,
    heard: wire.heard,
    isConnected: wire.isConnected,
    state: (channel = 1): Power => power[channel - 1] ?? 'OFF',
    setting: (name: string) => get(name, ''),
    /** The button of a channel. */
    press: (channel = 1) => switchTo(channel, power[channel - 1] === 'ON' ? 'OFF' : 'ON'),
    /** Its load draws more than MaxPower: it warns and switches everything off. */
    overload() {
      const warning = { Time: timeText(), MaxPowerReached: 2_650 };
      wire.say([{ topic: topicOf('stat', 'WARNING'), payload: JSON.stringify(warning) }]);
      for (let channel = 1; channel <= channels; channel += 1) switchTo(channel, 'OFF');
    },
    /** Typed into its console. */
    type: (command: string, value: string) => obey(command.toLowerCase(), value),
    say: wire.say,
    topicOf,
    /** Its supply is cut for so long; then PowerOnState decides. */
    powerCut(downMs: number) {
      wire.cut();
      for (const cancel of [...cancelPulse, ...timed.values()]) cancel?.();
      timed.clear();
      backlog.length = 0;
      clock.after(downMs, () => {
        const word = get('PowerOnState', '3');
        if (word === '0' || word === '1') power.fill(word === '1' ? 'ON' : 'OFF');
        Object.assign(run, { bootedAt: clock.now(), isBooting: true, boots: run.boots + 1 });
        wire.open();
      });
    },
    stop() {
      clock.stop();
      wire.cut();
    },
  };
}
