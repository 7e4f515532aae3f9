import { generate } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { aController, connectPacket, eventually, KEY, startBroker } from './broker-under-test.ts';

describe('a controller proves who it is', () => {
  test('its name and its key let it in, and the door hears of it', async () => {
    const farm = await startBroker();
    await farm.connect();
    expect(farm.told('connected')).toEqual([
      ['connected', aController(), { source: '127.0.0.1', since: farm.clock.now }],
    ]);
    expect(farm.broker.clientCount()).toBe(1);
    expect(farm.broker.link.isConnected('aerator-1')).toBe(true);
    expect(farm.broker.link.isConnected('aerator-2')).toBe(false);
  });

  test.each([
    ['a wrong key', { password: Buffer.from('guess') }, 4, 'wrong_key', 'refused_wrong_key'],
    ['no key', { password: undefined }, 4, 'wrong_key', 'refused_wrong_key'],
    ['an unknown name', { clientId: 'stranger', username: 'stranger' }, 5, 'unknown', 'refused_unknown'],
  ] as const)('%s is refused and shown to technicians', async (_what, more, returnCode, reason, counter) => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(connectPacket('aerator-1', more));
    expect(await client.next('connack')).toMatchObject({ returnCode });
    await client.closed();
    const name = 'username' in more ? more.username : 'aerator-1';
    expect(farm.calls).toEqual([['seenUnknown', { name, source: '127.0.0.1', via: 'mqtt', reason }]]);
    expect(farm.counted(counter)).toBe(1);
  });

  test.each([
    ['empty', ''],
    ['too short', 'abc'],
    ['too long', 'a'.repeat(65)],
    ['with a slash', 'aerator/1'],
    ['with a wildcard', 'aerator+'],
    ['with U+0000', 'aera\0tor'],
    ['with an emoji', '🦐🦐🦐🦐'],
    ['of a prototype', '__proto__\n'],
    ['of 5,000 letters', 'a'.repeat(5_000)],
  ])(
    'a client id %s is refused, and shown to technicians by what of it can be printed',
    async (_what, name) => {
      const farm = await startBroker();
      const client = farm.raw();
      client.send(connectPacket(name));
      expect(await client.next('connack')).toMatchObject({ returnCode: 2 });
      await client.closed();
      const shown = name.replaceAll(/[^ -~]/g, '').slice(0, 64);
      const sight = { name: shown, source: '127.0.0.1', via: 'mqtt', reason: 'client_id' };
      expect(farm.calls).toEqual(shown === '' ? [] : [['seenUnknown', sight]]);
      expect(farm.counted('refused_client_id')).toBe(1);
    },
  );

  test('an empty client id with a kept session is refused', async () => {
    const farm = await startBroker();
    const client = farm.raw();
    // The generator refuses to make this one: an empty id with clean = 0.
    client.send(Buffer.from([0x10, 12, 0, 4, ...Buffer.from('MQTT'), 4, 0, 0, 60, 0, 0]));
    expect(await client.next('connack')).toMatchObject({ returnCode: 2 });
    await client.closed();
  });

  test('a client id that is not the user name is refused, with the right key too', async () => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(connectPacket('aerator-1', { clientId: 'aerator-2' }));
    expect(await client.next('connack')).toMatchObject({ returnCode: 2 });
    expect(farm.told('connected')).toEqual([]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty'])(
    'a controller named %s is a controller like others',
    async (name) => {
      const farm = await startBroker();
      const client = await farm.connect(name);
      await client.publishAsync(`sf/v1/d/${name}/hb`, '{"current_status":"ON"}', { qos: 1 });
      expect(farm.told('heartbeat')).toEqual([['heartbeat', aController(name), { current_status: 'ON' }]]);
    },
  );

  test.each(['__proto__', 'valueOf', 'constructor'])('a stranger named %s harms nobody', async (name) => {
    const farm = await startBroker();
    farm.known.delete(name);
    const client = farm.raw();
    client.send(connectPacket(name));
    expect(await client.next('connack')).toMatchObject({ returnCode: 5 });
    await farm.connect('aerator-1');
    expect(farm.broker.clientCount()).toBe(1);
  });

  test('a door that fails refuses for now, and the broker lives', async () => {
    const farm = await startBroker({
      door: {
        identify: (name) => {
          if (name === 'aerator-2') throw new Error('no registry');
          return aController(name);
        },
      },
    });
    const client = farm.raw();
    client.send(connectPacket('aerator-2'));
    expect(await client.next('connack')).toMatchObject({ returnCode: 3 });
    await farm.connect('aerator-1');
    expect(farm.counted('door_failures')).toBe(1);
  });

  test('MQTT 3.1 with a long name is served, MQTT 5 is refused by number', async () => {
    const farm = await startBroker();
    const name = 'a-long-name-of-more-than-23-letters';
    farm.known.add(name);
    const old = farm.raw();
    old.send(connectPacket(name, { protocolId: 'MQIsdp', protocolVersion: 3 }));
    expect(await old.next('connack')).toMatchObject({ returnCode: 0 });
    const recent = farm.raw();
    recent.send(connectPacket('aerator-1', { protocolVersion: 5 }));
    await eventually(() => expect(recent.received).toHaveLength(1));
    await recent.closed();
    expect(farm.broker.clientCount()).toBe(1);
  });

  test.each([
    ['alone', {}],
    ['with properties', { properties: { sessionExpiryInterval: 600, userProperties: { a: 'b' } } }],
    [
      'with a will',
      { will: { topic: 'gone', payload: Buffer.from('1'), qos: 1, properties: { willDelayInterval: 5 } } },
    ],
  ] as const)('a client of MQTT 5 %s is shown to technicians as that', async (_what, more) => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(connectPacket('aerator-1', { protocolVersion: 5, ...more }));
    await client.closed();
    const sight = { name: 'aerator-1', source: '127.0.0.1', via: 'mqtt', reason: 'protocol_v5' };
    expect(farm.calls).toEqual([['seenUnknown', sight]]);
    expect(farm.counted('refused_protocol')).toBe(1);
    expect(farm.counted('connection_errors')).toBe(0);
  });

  test('a CONNECT that comes byte by byte is one all the same', async () => {
    const farm = await startBroker();
    const client = farm.raw();
    for (const byte of generate(connectPacket('aerator-1'))) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.next('connack')).toMatchObject({ returnCode: 0 });
  });

  test('a bridge is no controller', async () => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(connectPacket('aerator-1', { bridgeMode: true }));
    await client.closed();
    expect(farm.told('connected')).toEqual([]);
  });
});

describe('sessions and signs of life', () => {
  test('a kept session is served as a clean one: nothing is queued for the absent', async () => {
    const farm = await startBroker();
    const first = await farm.rawConnected('aerator-1', { clean: false });
    first.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: 'sf/v1/d/aerator-1/cmd/+', qos: 1 }],
    });
    await first.next('suback');
    first.stream.destroy();
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
    const second = farm.raw();
    second.send(connectPacket('aerator-1', { clean: false }));
    expect(await second.next('connack')).toMatchObject({ returnCode: 0, sessionPresent: false });
  });

  test.each([
    ['no keep-alive', 0],
    ['a keep-alive of a day', 65_535],
  ])('who asks for %s is let in, and is gone when it falls silent', async (_what, keepalive) => {
    const farm = await startBroker({ bounds: { keepaliveS: 0.02 } });
    const client = await farm.rawConnected('aerator-1', { keepalive });
    await client.closed();
    await eventually(() =>
      expect(farm.told('disconnected')).toEqual([
        ['disconnected', aController(), { clean: false, takenOver: false }],
      ]),
    );
    expect(farm.counted('keepalive_timeouts')).toBe(1);
  });

  test('a farewell is clean, a broken connection is not', async () => {
    const farm = await startBroker();
    const polite = await farm.connect('aerator-1');
    await polite.endAsync();
    const broken = await farm.rawConnected('aerator-2');
    broken.stream.destroy();
    await eventually(() =>
      expect(farm.told('disconnected')).toEqual([
        ['disconnected', aController('aerator-1'), { clean: true, takenOver: false }],
        ['disconnected', aController('aerator-2'), { clean: false, takenOver: false }],
      ]),
    );
    expect(farm.broker.clientCount()).toBe(0);
  });

  test('the key is compared by the door alone', async () => {
    const asked: string[][] = [];
    const farm = await startBroker({
      door: {
        identify: (name, key) => {
          asked.push([name, key]);
          return aController(name);
        },
      },
    });
    await farm.connect();
    expect(asked).toEqual([['aerator-1', KEY]]);
  });
});
