import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shelly } from '#adapters/relays/shelly.ts';
import { tasmota } from '#adapters/relays/tasmota.ts';
import type { RelayProtocol } from '#features/equipment/relays/ports.ts';

const read = (protocol: RelayProtocol, topic: string, body: unknown) => {
  const news = protocol.read(
    'pond-7',
    topic,
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  );
  return news === null
    ? null
    : { ...news, ...(news.channels ? { channels: Object.fromEntries(news.channels) } : {}) };
};

// Texts as relays send them, from the documents of their makers.
describe('what Tasmota says', () => {
  test.each<[string, string, unknown, unknown]>([
    ['its greeting', 'tele/pond-7/LWT', 'Online', { hello: true }],
    ['its will', 'tele/pond-7/LWT', 'Offline', { hello: false }],
    ['its state', 'stat/pond-7/POWER', 'ON', { channels: { 1: { current: 'ON' } } }],
    ['the state of a further channel', 'stat/pond-7/POWER3', 'OFF', { channels: { 3: { current: 'OFF' } } }],
    ['an answer', 'stat/pond-7/RESULT', { POWER2: 'ON' }, { channels: { 2: { current: 'ON' } } }],
    ['a setting', 'stat/pond-7/RESULT', { PowerOnState: 2 }, { channels: { 0: { powerOn: 'other' } } }],
    ['the recovery that forgets', 'stat/pond-7/RESULT', { SetOption65: 'OFF' }, { hasFastCycleReset: true }],
    [
      'a timer of 30 s',
      'stat/pond-7/RESULT',
      { PulseTime1: { Set: 130, Remaining: 0 } },
      { channels: { 1: { autoOffS: 30 } } },
    ],
    [
      'its start',
      'tele/pond-7/INFO3',
      { Info3: { RestartReason: 'Power On', BootCount: 7 } },
      { hasStarted: true, device: { restartReason: 'Power On' } },
    ],
    [
      'its start, as older versions say it',
      'tele/pond-7/INFO3',
      { RestartReason: 'Power On' },
      { hasStarted: true, device: { restartReason: 'Power On' } },
    ],
    [
      'its telemetry',
      'tele/pond-7/STATE',
      { UptimeSec: 300, POWER: 'ON', Wifi: { RSSI: 76, Signal: -62 } },
      { device: { uptimeS: 300, rssi: -62 }, channels: { 1: { current: 'ON' } } },
    ],
    [
      'its meter',
      'tele/pond-7/SENSOR',
      {
        ENERGY: {
          TotalStartTime: '2026-01-01T00:00:00',
          Total: 12.345,
          Power: 1490,
          Factor: 0.86,
          Voltage: 219,
          Current: 7.9,
        },
      },
      {
        channels: {
          0: {
            powerW: 1490,
            voltageV: 219,
            currentA: 7.9,
            powerFactor: 0.86,
            countedWh: 12_345,
            countedSince: '2026-01-01T00:00:00',
          },
        },
      },
    ],
    [
      'two meters in one',
      'tele/pond-7/SENSOR',
      { ENERGY: { Total: [1, 2], Power: [10, 20], Voltage: 220, Current: [0.1, 0.2] } },
      {
        channels: {
          1: { powerW: 10, voltageV: 220, currentA: 0.1, countedWh: 1000, countedSince: null },
          2: { powerW: 20, voltageV: 220, currentA: 0.2, countedWh: 2000, countedSince: null },
        },
      },
    ],
    [
      'a meter beside a sensor without a value',
      'tele/pond-7/SENSOR',
      '{"DS18B20":{"Temperature":nan},"AM2301":{"Humidity":-inf, "List":[nan, 1]},"ENERGY":{"Power":1490}}',
      { channels: { 0: { powerW: 1490 } } },
    ],
    [
      'why it is about to switch off',
      'stat/pond-7/WARNING',
      { Time: '2026-01-01T00:00:00', MaxPowerReached: 2650 },
      { channels: { 0: { errors: ['MaxPowerReached'] } } },
    ],
    ['its state in words of its owner', 'stat/pond-7/POWER', 'LIGADO', { isUnreadable: true }],
    [
      'its state in such words, told with others',
      'stat/pond-7/RESULT',
      { POWER: 'LIGADO' },
      { isUnreadable: true },
    ],
    [
      'its firmware',
      'stat/pond-7/STATUS2',
      { StatusFWR: { Version: '14.2.0(tasmota)' } },
      { device: { firmware: '14.2.0(tasmota)' } },
    ],
    ['how long it waits before it tries again', 'stat/pond-7/RESULT', { MqttRetry: 60 }, { retryS: 60 }],
    [
      'an order it does not know',
      'stat/pond-7/RESULT',
      { Command: 'Error', Input: 'POWER4' },
      { refused: 'the relay does not know a command of ours' },
    ],
    ['a question it does not know', 'stat/pond-7/RESULT', { Command: 'Unknown', Input: 'MQTTRETRY' }, {}],
    [
      'that it has no timer in memory',
      'stat/pond-7/RESULT',
      { Command: 'Unknown', Input: 'TIMEDPOWER1' },
      { hasNoTimer: true },
    ],
    ['what it asks itself at every connect', 'cmnd/pond-7/POWER', '', null],
    ['what another relay says', 'stat/pond-8/POWER', 'ON', null],
    ['an impossible power', 'tele/pond-7/SENSOR', { ENERGY: { Power: -1e300 } }, { channels: { 0: {} } }],
  ])('%s', (_, topic, body, news) => {
    expect(read(tasmota, topic, body)).toEqual(news);
  });

  test.each([
    ['a short name', 'aer-07', 1],
    ['the longest name', 'a'.repeat(32), 2],
  ])(
    'what is pasted into it with %s fits its console, and keeps it from forgetting, from ghost orders and from words nobody reads',
    (_, mqttId, count) => {
      const facts = { host: '192.168.100.200', port: 1883, mqttId, key: 'k'.repeat(32), relayAddress: null };
      const { steps } = tasmota.paste({ ...facts, powerOn: 'HOLD', channel: 1 });
      const lines = steps.map(({ text }) => text);
      expect(lines).toHaveLength(count);
      for (const line of lines)
        expect([line.split(';').length <= 30, line.length < 520]).toEqual([true, true]);
      // it starts anew after the last line, where it learns who its gateway is
      expect(lines.at(-1)).toMatch(/^Backlog MqttHost 192\.168\.100\.200; /);
      const all = lines.map((line) => line.replace('Backlog ', '')).join('; ');
      expect(all.split('; ')).toEqual(
        expect.arrayContaining([
          'PowerOnState 3',
          'PowerRetain 0',
          'SetOption4 0',
          'SetOption65 1',
          'SetOption90 0',
          'StateText1 OFF',
          'StateText2 ON',
          'PowerDelta 110',
          'WifiConfig 4',
        ]),
      );
    },
  );
});

describe('what Shelly says', () => {
  test.each<[string, string, unknown, unknown]>([
    ['its greeting', 'pond-7/online', 'true', { hello: true }],
    ['its will', 'pond-7/online', 'false', { hello: false }],
    [
      'the status of a channel',
      'pond-7/status/switch:0',
      {
        id: 0,
        source: 'MQTT',
        output: true,
        apower: 1490,
        voltage: 219,
        current: 7.9,
        aenergy: { total: 6532.1 },
        temperature: { tC: 41.5 },
      },
      {
        channels: {
          1: {
            current: 'ON',
            switchedBy: 'order',
            powerW: 1490,
            voltageV: 219,
            currentA: 7.9,
            temperatureC: 41.5,
            countedWh: 6532.1,
            countedSince: null,
            errors: [],
          },
        },
      },
    ],
    [
      'an overload',
      'pond-7/status/switch:1',
      { id: 1, output: false, errors: ['overpower'] },
      { channels: { 2: { current: 'OFF', errors: ['overpower'] } } },
    ],
    [
      'a notification',
      'pond-7/events/rpc',
      { method: 'NotifyStatus', params: { ts: 1, 'switch:0': { id: 0, output: false, source: 'button' } } },
      // it names what changed: errors that stand are not over because it does not repeat them
      { channels: { 1: { current: 'OFF', switchedBy: 'hand' } } },
    ],
    ...(
      [
        ['init', 'start'],
        ['timer', 'timer'],
        ['loopback', 'timer'],
        ['limit_power', 'protection'],
        ['overtemp', 'protection'],
        ['MQTT', 'order'],
        ['button', 'hand'],
        ['switch', 'hand'],
        ['HTTP_in', 'hand'],
        ['WS_in', 'hand'],
        ['SHC', 'hand'],
        ['UI', 'hand'],
      ] as const
    ).map(([source, switchedBy]): [string, string, unknown, unknown] => [
      `that it was switched by ${source}`,
      'pond-7/events/rpc',
      { method: 'NotifyStatus', params: { 'switch:0': { id: 0, output: false, source } } },
      { channels: { 1: { current: 'OFF', switchedBy } } },
    ]),
    [
      'that its settings were changed',
      'pond-7/events/rpc',
      { method: 'NotifyEvent', params: { events: [{ component: 'switch:0', event: 'config_changed' }] } },
      { hasNewSettings: true },
    ],
    ['its state in another form', 'pond-7/status/switch:0', { id: 0, output: 'on' }, { isUnreadable: true }],
    ['its state as no JSON', 'pond-7/status/switch:0', '{', { isUnreadable: true }],
    [
      'that it moves a curtain',
      'sf/v1/a/pond-7/rpc',
      { id: 2, result: { 'cover:0': { state: 'stopped' } } },
      { unsupported: 'COVER_PROFILE' },
    ],
    [
      'its words in the first generation',
      'shellies/pond-7/relay/0',
      'off',
      { unsupported: 'FIRST_GENERATION' },
    ],
    ['its answer to an order', 'sf/v1/a/pond-7/rpc', { id: 1, result: { was_on: false } }, {}],
    [
      'its refusal of an order',
      'sf/v1/a/pond-7/rpc',
      { id: 1, error: { code: -106, message: 'overtemp' } },
      { refused: 'overtemp' },
    ],
    [
      'its settings',
      'sf/v1/a/pond-7/rpc',
      { id: 3, result: { id: 0, initial_state: 'match_input', auto_off: true, auto_off_delay: 60 } },
      { channels: { 1: { powerOn: 'other', autoOffS: 60, autoOnS: 0 } } },
    ],
    ['an answer to another', 'sf/v1/a/pond-8/rpc', { id: 1, result: {} }, null],
    ['its log', 'pond-7/debug/log', 'mqtt connected', null],
  ])('%s', (_, topic, body, news) => {
    expect(read(shelly, topic, body)).toEqual(news);
  });
});

describe.each([tasmota, shelly])('$kind', (protocol) => {
  test('whatever comes is read without a fault, and never says anything of another relay', () => {
    const paths = fc.constantFrom(
      'tele/pond-7/SENSOR',
      'stat/pond-7/RESULT',
      'tele/pond-7/STATE',
      'stat/pond-7/POWER1',
      'pond-7/status/switch:0',
      'pond-7/events/rpc',
      'sf/v1/a/pond-7/rpc',
      'tasmota/discovery/AABBCCDDEEFF/config',
    );
    const names = fc.constantFrom(
      'ENERGY',
      'POWER',
      'POWER99',
      'Power',
      'Total',
      'Wifi',
      'params',
      'result',
      'id',
      'output',
      'aenergy',
      'errors',
      'switch:0',
      '__proto__',
      'constructor',
      'StatusSNS',
      'Info1',
      'sys',
    );
    const body = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(1, 3, -1, 1e308, null, true, 'ON', 'x'.repeat(99)),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    })).object;
    fc.assert(
      fc.property(
        paths,
        fc.oneof(
          body.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        (topic, text) => {
          const news = protocol.read('pond-7', topic, Buffer.from(text));
          for (const [channel, facts] of news?.channels ?? []) {
            expect(channel).toBeLessThanOrEqual(16);
            expect(['ON', 'OFF', undefined]).toContain(facts.current);
            expect(Number.isFinite(facts.powerW ?? 0) && Number.isFinite(facts.countedWh ?? 0)).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('orders are for its own topics, which no other relay may hear', () => {
    for (const target of ['ON', 'OFF'] as const) {
      for (const { topic } of protocol.order('pond-7', 1, target)) {
        expect(protocol.maySubscribe('pond-7', topic)).toBe(true);
        expect(protocol.maySubscribe('pond-77', topic)).toBe(false);
        expect(protocol.maySubscribe('pond', topic)).toBe(false);
      }
    }
    for (const filter of ['#', '+/#', 'cmnd/#', 'cmnd/+/POWER', '$SYS/#', 'sf/v1/#', '+/rpc']) {
      expect(protocol.maySubscribe('pond-7', filter)).toBe(false);
    }
  });
});
