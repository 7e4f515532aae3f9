import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aShadow, eventually, KEY, someLevels, startBroker } from './broker-under-test.ts';

// Clients that know nothing of us. Where they are not installed, this is skipped and shown so.

const PUBLISHER = 'mosquitto_pub';
const isInstalled = spawnSync(PUBLISHER, ['--version']).error === undefined;
const OWN = 'sf/v1/d/aerator-1';
const SHADOW = `${OWN}/shadow/desired`;
const LOST = '{"s":"lost","sid":"9f3c"}';

const identity = (name = 'aerator-1', key = KEY) => ['-i', name, '-u', name, '-P', key];

type Ended = { code: number | null; output: string; errors: string };

async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const parts = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => (parts.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (parts.errors += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, ...parts };
}

function clientsOf(port: number) {
  const start = (program: string, args: string[]) => {
    const child = spawn(program, ['-h', '127.0.0.1', '-p', String(port), ...args]);
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  return {
    publish: (args: string[], input = '') => {
      const child = start(PUBLISHER, args);
      child.stdin.end(input);
      return endOf(child);
    },
    subscribe: (args: string[]) => endOf(start('mosquitto_sub', ['-W', '60', ...args])),
    listen: (args: string[]) => start('mosquitto_sub', args),
  };
}

async function startFarm(options: Parameters<typeof startBroker>[0] = {}) {
  const farm = await startBroker(options);
  return { ...farm, ...clientsOf(farm.port) };
}

describe.skipIf(!isInstalled)(
  `mosquitto’s clients${isInstalled ? '' : ' (mosquitto-clients is not installed)'}`,
  () => {
    test.each([0, 1, 2])('report at QoS %i, in order', async (qos) => {
      const farm = await startFarm({ bounds: { messagesPerS: 0 } });
      const lines = Array.from({ length: 50 }, (_, n) => `{"current_status":"ON","rssi":-${n + 1}}`);
      const { code, errors } = await farm.publish(
        [...identity(), '-t', `${OWN}/hb`, '-q', String(qos), '-l'],
        `${lines.join('\n')}\n`,
      );
      expect([code, errors]).toEqual([0, '']);
      await eventually(() => expect(farm.told('heartbeat')).toHaveLength(50));
      expect(farm.told('heartbeat').map(([, , { rssi }]) => rssi)).toEqual(lines.map((_, n) => -(n + 1)));
    });

    test.each(['mqttv31', 'mqttv311'])('are served as %s', async (version) => {
      const farm = await startFarm();
      const sent = await farm.publish([
        ...identity(),
        '-V',
        version,
        '-q',
        '1',
        '-t',
        `${OWN}/hb`,
        '-m',
        '{"current_status":"ON"}',
      ]);
      expect(sent.code).toBe(0);
      expect(farm.told('heartbeat')).toHaveLength(1);
    });

    test.each<[string, string[], RegExp]>([
      ['a wrong key', identity('aerator-1', 'guess'), /bad user name or password|not authori/i],
      ['an unknown name', identity('stranger'), /not authori/i],
      ['another’s name', ['-i', 'aerator-2', '-u', 'aerator-1', '-P', KEY], /identifier/i],
      ['MQTT 5', [...identity(), '-V', 'mqttv5'], /protocol/i],
    ])('are refused with %s, and say so', async (_what, args, sentence) => {
      const farm = await startFarm();
      const sent = await farm.publish([
        ...args,
        '-q',
        '1',
        '-t',
        `${OWN}/hb`,
        '-m',
        '{"current_status":"ON"}',
      ]);
      expect(sent.code).not.toBe(0);
      expect(sent.errors).toMatch(sentence);
      expect(farm.told('heartbeat')).toEqual([]);
    });

    test.each([1, 2])(
      'are acknowledged at QoS %i what they may not say, and nobody hears it',
      async (qos) => {
        const farm = await startFarm({ levels: [someLevels()] });
        for (const topic of ['sf/v1/d/aerator-2/hb', SHADOW, '$SYS/x/new/clients', 'cmnd/tasmota/POWER']) {
          const sent = await farm.publish([...identity(), '-q', String(qos), '-r', '-t', topic, '-m', '{}']);
          expect(sent.code).toBe(0);
        }
        expect(farm.counted('messages_denied')).toBe(4);
        expect(farm.counted('retained')).toBe(3);
        expect(farm.told('heartbeat')).toEqual([]);
      },
    );

    test.each(['#', '+/#', '$SYS/#', 'sf/v1/d/+/hb', 'sf/v1/d/aerator-2/shadow/desired'])(
      'may not listen to %s',
      async (filter) => {
        const farm = await startFarm();
        const { output, errors } = await farm.subscribe([...identity(), '-C', '1', '-t', filter]);
        expect(output).toBe('');
        expect(errors).toMatch(/denied/i);
      },
    );

    test('find their level retained, at QoS 1 and no higher', async () => {
      const farm = await startFarm({ levels: [someLevels()] });
      for (const [qos, expected] of [
        ['2', '1'],
        ['1', '1'],
        ['0', '0'],
      ] as const) {
        const { code, output } = await farm.subscribe([
          ...identity(),
          '-C',
          '1',
          '-q',
          qos,
          '-t',
          SHADOW,
          '-F',
          '%r %q %p',
        ]);
        expect([code, output.slice(0, 4)]).toEqual([0, `1 ${expected} `]);
        expect(JSON.parse(output.slice(4))).toEqual(aShadow());
      }
    });

    test('hear a level that changes while they listen, not as a retained one', async () => {
      const farm = await startFarm();
      const heard = farm.subscribe([...identity(), '-C', '1', '-q', '1', '-t', SHADOW, '-F', '%r %q']);
      await eventually(() => expect(farm.broker.link.isConnected('aerator-1')).toBe(true));
      // until its subscription stands
      const repeat = setInterval(() => farm.broker.link.publishShadow('aerator-1', aShadow()), 20);
      onTestFinished(() => clearInterval(repeat));
      expect(await heard).toMatchObject({ code: 0 });
    });

    test('have their will done when they are killed, and not when they say goodbye', async () => {
      const farm = await startFarm({ levels: [someLevels()] });
      const will = [
        '--will-topic',
        `${OWN}/state`,
        '--will-payload',
        LOST,
        '--will-qos',
        '1',
        '--will-retain',
      ];
      await farm.subscribe([...identity(), ...will, '-C', '1', '-t', SHADOW]);
      await eventually(() => expect(farm.told('disconnected')).toHaveLength(1));
      expect(farm.told('stateChanged')).toEqual([]);

      const killed = farm.listen([...identity(), ...will, '-t', 'sf/v1/time']);
      await eventually(() => expect(farm.told('connected')).toHaveLength(2));
      killed.kill('SIGKILL');
      await eventually(() => expect(farm.told('disconnected')).toHaveLength(2));
      expect(farm.told('stateChanged').map(([, , state]) => state)).toEqual([JSON.parse(LOST)]);
      expect(farm.counted('retained')).toBe(4);
    });

    test('with a kept session get the level as it is now, once, and nothing that piled up', async () => {
      const farm = await startFarm({ levels: [someLevels()] });
      const kept = [...identity(), '-c', '-q', '1', '-t', SHADOW, '-F', '%p'];
      await farm.subscribe([...kept, '-C', '1']);
      for (let version = 42; version <= 60; version++) {
        farm.broker.link.publishShadow('aerator-1', aShadow({ version }));
      }
      const back = farm.listen(kept);
      let heard = '';
      back.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      await eventually(() => expect(heard).toContain('\n'));
      // what had piled up would come before this
      farm.broker.link.publishShadow('aerator-1', aShadow({ version: 61 }));
      await eventually(() => expect(heard.match(/\n/g)).toHaveLength(2));
      expect(
        heard
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual([aShadow({ version: 60 }), aShadow({ version: 61 })]);
    });
  },
);
