import type { SwitchState } from '#contract/words.ts';
import { energyWh, type Load, type Message, type RelayPersona, type RelaySetup } from './shelly-persona.ts';

// Tasmota 14: LWT, the empty POWER it publishes to itself at every connect, INFO1..3 at a start, STATE and SENSOR every
// TelePeriod, discovery for others, and an answer to each command it knows.

export type TasmotaOptions = {
  /** What was set, names in lower case; the last to say so holds. */
  settings: ReadonlyMap<string, string>;
  mac: string;
  channels: number;
  load: Load;
  nowMs: () => number;
};

/** Reads a pasted Backlog as the console does: commands with semicolons between, a name and a value each. */
export function readBacklog(line: string): Map<string, string> {
  const settings = new Map<string, string>();
  const body = /^backlog0?\s+(.*)$/is.exec(line.trim())?.[1];
  if (body === undefined) throw new Error('not a Backlog');
  const commands = body.split(';').map((part) => part.trim());
  // the console refuses longer ones: 30 commands
  if (commands.length > 30) throw new Error(`a Backlog of ${commands.length} commands is too long`);
  for (const command of commands) {
    const at = command.search(/\s/);
    settings.set(command.slice(0, at).toLowerCase(), command.slice(at + 1).trim());
  }
  return settings;
}

export function createTasmota(options: TasmotaOptions): RelayPersona {
  const { settings, mac, channels, load, nowMs } = options;
  const need = (name: string): string => {
    const value = settings.get(name);
    if (value === undefined) throw new Error(`${name} was not set`);
    return value;
  };
  const setup: RelaySetup = {
    host: need('mqtthost'),
    port: Number(need('mqttport')),
    user: need('mqttuser'),
    password: need('mqttpassword'),
    clientId: need('mqttclient'),
    topic: need('topic'),
  };
  const words = new Map(settings);
  const state: SwitchState[] = Array.from({ length: channels }, () => 'OFF');
  const run = {
    bootedAt: nowMs(),
    countedAt: nowMs(),
    totalWh: 0,
    isFresh: true,
    boots: 1,
    reason: 'Power On',
  };

  const topicOf = (prefix: string, name: string) =>
    need('fulltopic').replace('%prefix%', prefix).replace('%topic%', setup.topic) + name;
  const message = (topic: string, payload: string | object, retain = false): Message => ({
    topic,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    retain,
    qos: 0,
  });
  const nameOf = (channel: number) => (channels === 1 ? 'POWER' : `POWER${channel}`);
  /** A state in the words that were set for it. */
  const textOf = (each: SwitchState) =>
    (each === 'ON' ? words.get('statetext2') : words.get('statetext1')) ?? each;
  const isSet = (name: string) => words.get(name) === '1';

  function count(): void {
    const at = nowMs();
    for (const each of state) run.totalWh += energyWh(load, each, run.countedAt, at);
    run.countedAt = at;
  }

  function statusBody(): object {
    const uptimeS = Math.floor((nowMs() - run.bootedAt) / 1000);
    return {
      Time: new Date(nowMs()).toISOString().slice(0, 19),
      Uptime: `0T${new Date(uptimeS * 1000).toISOString().slice(11, 19)}`,
      UptimeSec: uptimeS,
      Heap: 26,
      SleepMode: 'Dynamic',
      MqttCount: 1,
      ...Object.fromEntries(state.map((each, index) => [nameOf(index + 1), textOf(each)])),
      Wifi: {
        AP: 1,
        SSId: 'farm',
        BSSId: '10:20:30:40:50:60',
        Channel: 6,
        RSSI: 74,
        Signal: -63,
        LinkCount: 1,
      },
    };
  }

  function sensorBody(): object {
    count();
    const on = state.filter((each) => each === 'ON').length;
    const powerW = on * load.powerW;
    return {
      Time: new Date(nowMs()).toISOString().slice(0, 19),
      ENERGY: {
        TotalStartTime: '2026-01-01T00:00:00',
        Total: Math.round(run.totalWh) / 1000,
        Yesterday: 0,
        Today: Math.round(run.totalWh) / 1000,
        Period: 0,
        Power: powerW,
        ApparentPower: powerW,
        ReactivePower: 0,
        Factor: on === 0 ? 0 : 0.86,
        Voltage: load.voltageV,
        Current: Math.round((powerW / load.voltageV / 0.86) * 1000) / 1000,
      },
    };
  }

  function switchTo(channel: number, to: SwitchState): Message[] {
    count();
    state[channel - 1] = to;
    return tellPower(channel);
  }

  function tellPower(channel: number): Message[] {
    const name = nameOf(channel);
    const current = textOf(state[channel - 1] ?? 'OFF');
    // with the first option answers come under the name of their command, with the second no plain word is said
    return [
      message(topicOf('stat', isSet('setoption4') ? name : 'RESULT'), { [name]: current }),
      ...(isSet('setoption90') ? [] : [message(topicOf('stat', name), current)]),
    ];
  }

  function obey(command: string, value: string): Message[] {
    const power = /^power(\d*)$/.exec(command)?.[1];
    const result = (body: object) => [message(topicOf('stat', 'RESULT'), body)];
    if (power !== undefined) {
      const channel = power === '' ? 1 : Number(power);
      if (channel < 1 || channel > channels) return result({ Command: 'Error' });
      const word = value.trim().toLowerCase();
      if (word === '') return tellPower(channel);
      const isOn = state[channel - 1] === 'ON';
      if (['on', '1', 'true'].includes(word)) return switchTo(channel, 'ON');
      if (['off', '0', 'false'].includes(word)) return switchTo(channel, 'OFF');
      if (['toggle', '2'].includes(word)) return switchTo(channel, isOn ? 'OFF' : 'ON');
      return result({ Command: 'Error' });
    }
    if (command === 'state') return result(statusBody());
    if (command === 'status' && value === '8')
      return [message(topicOf('stat', 'STATUS8'), { StatusSNS: sensorBody() })];
    if (command === 'setoption65') {
      if (value !== '') words.set(command, value);
      return result({ SetOption65: words.get(command) === '1' ? 'ON' : 'OFF' });
    }
    if (command === 'poweronstate') {
      if (value !== '') words.set(command, value);
      return result({ PowerOnState: Number(words.get(command) ?? '3') });
    }
    const pulse = /^pulsetime(\d+)$/.exec(command)?.[1];
    if (pulse !== undefined) return result({ [`PulseTime${pulse}`]: { Set: 0, Remaining: 0 } });
    return result({ Command: 'Unknown' });
  }

  return {
    setup,
    will: { topic: topicOf('tele', 'LWT'), payload: 'Offline' },
    subscriptions: [topicOf('cmnd', '#'), 'cmnd/tasmotas/#', `cmnd/DVES_${mac.slice(-6)}_fb/#`],
    greet() {
      const isFresh = run.isFresh;
      run.isFresh = false;
      const boot = [
        message(topicOf('tele', 'INFO1'), {
          Info1: {
            Module: 'Sonoff Pow R3',
            Version: '14.2.0(release-tasmota)',
            FallbackTopic: `cmnd/DVES_${mac.slice(-6)}_fb/`,
            GroupTopic: 'cmnd/tasmotas/',
          },
        }),
        message(topicOf('tele', 'INFO2'), {
          Info2: { WebServerMode: 'Admin', Hostname: 'relay', IPAddress: '10.0.0.7' },
        }),
        message(topicOf('tele', 'INFO3'), { Info3: { RestartReason: run.reason, BootCount: run.boots } }),
        ...state.flatMap((_, index) => tellPower(index + 1)),
      ];
      return {
        before: [message(topicOf('tele', 'LWT'), 'Online', true), message(topicOf('cmnd', 'POWER'), '')],
        after: [
          ...(isFresh ? boot : []),
          message(
            `tasmota/discovery/${mac}/config`,
            { ip: '10.0.0.7', mac, md: 'Sonoff Pow R3', sw: '14.2.0', t: setup.topic },
            true,
          ),
          message(`tasmota/discovery/${mac}/sensors`, { sn: {}, ver: 1 }, true),
          message(topicOf('tele', 'STATE'), statusBody()),
          message(topicOf('tele', 'SENSOR'), sensorBody()),
        ],
      };
    },
    hear(topic, payload) {
      const own = topicOf('cmnd', '');
      return topic.startsWith(own) ? obey(topic.slice(own.length).toLowerCase(), payload.trim()) : [];
    },
    telemetry: () => [
      message(topicOf('tele', 'STATE'), statusBody()),
      message(topicOf('tele', 'SENSOR'), sensorBody()),
    ],
    everyMs: Number(settings.get('teleperiod') ?? '300') * 1000,
    press: (channel) => switchTo(channel, state[channel - 1] === 'ON' ? 'OFF' : 'ON'),
    stateOf: (channel) => state[channel - 1] ?? 'OFF',
    powerCut() {
      count();
      const word = words.get('poweronstate') ?? '3';
      if (word === '0' || word === '1') state.fill(word === '1' ? 'ON' : 'OFF');
      Object.assign(run, { bootedAt: nowMs(), countedAt: nowMs(), isFresh: true, boots: run.boots + 1 });
    },
  };
}
