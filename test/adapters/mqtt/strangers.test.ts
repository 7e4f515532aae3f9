import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { peekConnect } from '#adapters/mqtt/peek-connect.ts';
import type { Knock, RelayDesk } from '#features/control/device-link.ts';
import { connectPacket, eventually, publishPacket, startBroker } from './broker-under-test.ts';

const aText = (maxLength: number) => fc.string({ maxLength, unit: 'grapheme' });
const aConnect = fc.record({
  clientId: aText(40),
  username: fc.option(aText(40), { nil: undefined }),
  password: fc.option(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined },
  ),
  keepalive: fc.integer({ min: 0, max: 65_535 }),
  clean: fc.constant(true),
  will: fc.option(
    fc.record({
      topic: aText(60).filter((topic) => topic !== ''),
      payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
      retain: fc.boolean(),
    }),
    { nil: undefined },
  ),
});

/** As they come: a controller of ours from another farm, and relays of the trade with nothing set but an address. */
const COMERS = {
  controller: connectPacket('aerator-from-afar', {
    will: {
      topic: 'sf/v1/d/aerator-from-afar/state',
      payload: Buffer.from(JSON.stringify({ s: 'lost', boot_id: 'b'.repeat(36), sid: 's'.repeat(36) })),
      qos: 1,
      retain: true,
    },
  }),
  tasmota: connectPacket('DVES_A1B2C3', {
    username: 'DVES_USER',
    will: { topic: 'tele/tasmota_A1B2C3/LWT', payload: Buffer.from('Offline'), qos: 1, retain: true },
  }),
  shelly: connectPacket('shellypro1pm-08f9e0aabbcc', {
    username: undefined,
    password: undefined,
    will: { topic: 'shellypro1pm-08f9e0aabbcc/online', payload: Buffer.from('false'), qos: 0, retain: true },
  }),
};

describe('who knocks is read from the first bytes', () => {
  test('as the broker would read it, or left to the broker', () => {
    fc.assert(
      fc.property(aConnect, (given) => {
        const password = given.username === undefined ? undefined : given.password;
        const bytes = generate({ ...connectPacket(''), ...given, password } as ReturnType<
          typeof connectPacket
        >);
        const { clientId, username = null, will } = given;
        const isRead = clientId !== '' && bytes.length <= 2_048;
        expect(peekConnect(bytes)).toEqual(
          isRead
            ? {
                clientId,
                username,
                will:
                  will === undefined
                    ? null
                    : { topic: will.topic, payload: will.payload, retain: will.retain },
              }
            : null,
        );
      }),
    );
  });

  test('whatever else arrives is left to the broker, and nothing is read beyond its end', () => {
    for (const whole of Object.values(COMERS).map((packet) => generate(packet))) {
      expect(peekConnect(whole)).not.toBeNull();
      for (let cut = 0; cut < whole.length; cut += 1) expect(peekConnect(whole.subarray(0, cut))).toBeNull();
      expect(peekConnect(Buffer.concat([whole, Buffer.from([0xc0, 0])]))).toBeNull();
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 140 }),
          fc.nat({ max: whole.length - 1 }),
          fc.nat({ max: 255 }),
          (noise, at, byte) => {
            peekConnect(Buffer.from(noise));
            const changed = Buffer.from(whole);
            changed[at] = byte;
            const who = peekConnect(changed);
            if (who === null) return;
            const { clientId, username, will } = who;
            const said = Buffer.byteLength(`${clientId}${username ?? ''}${will?.topic ?? ''}`);
            // a byte that is no letter is read as one of three bytes
            expect(said).toBeLessThan(whole.length + 3);
          },
        ),
      );
    }
  });

  test('what the broker would refuse for its form is left to it', () => {
    const whole = generate(COMERS.controller);
    const flagsAt = whole.indexOf('MQTT') + 5;
    const withFlags = (change: (flags: number) => number) => {
      const changed = Buffer.from(whole);
      changed[flagsAt] = change(changed[flagsAt] ?? 0);
      return peekConnect(changed);
    };
    // reserved, a will of QoS 3, the QoS of no will, a password without a name
    expect(withFlags((flags) => flags | 0x01)).toBeNull();
    expect(withFlags((flags) => flags | 0x18)).toBeNull();
    expect(withFlags((flags) => flags & ~0x04)).toBeNull();
    expect(withFlags((flags) => flags & ~0x80)).toBeNull();
  });
});

describe('a device nobody knows', () => {
  test('is refused the same, counted once and shown once, whether its words come whole or in pieces', async () => {
    const farm = await startBroker();
    const whole = generate(connectPacket('stranger'));
    for (const cut of [0, 1, 5, whole.length - 1]) {
      const client = farm.raw();
      if (cut > 0) {
        client.send(whole.subarray(0, cut));
        for (let n = 0; n < 20; n += 1) await turn();
      }
      client.send(whole.subarray(cut));
      expect(await client.next('connack')).toMatchObject({ returnCode: 5, sessionPresent: false });
      await client.closed();
    }
    expect(farm.counted('refused_unknown')).toBe(4);
    expect(farm.told('seenUnknown').map(([, sight]) => sight)).toEqual(
      Array(4).fill({ name: 'stranger', source: '127.0.0.1', via: 'mqtt', reason: 'unknown' }),
    );
    expect(farm.counted('connects')).toBe(0);
  });

  test.each([
    ['a controller of another farm', 'controller', 5, 'refused_unknown'],
    ['a Tasmota from the shop', 'tasmota', 2, 'refused_client_id'],
    ['a Shelly from the shop', 'shelly', 2, 'refused_client_id'],
  ] as const)(
    '%s, which leaves a will, is refused, counted and shown the same by its first bytes as at the broker',
    async (_, who, returnCode, counter) => {
      const knocks: Knock[] = [];
      const relays: RelayDesk = {
        isRelay: () => false,
        maySubscribe: () => false,
        subscribed: () => undefined,
        hear: () => 'ignored',
        knocked: (knock) => void knocks.push(knock),
      };
      const farm = await startBroker({ relays });
      const whole = generate(COMERS[who]);
      for (const cut of [0, 5]) {
        const client = farm.raw();
        if (cut > 0) {
          client.send(whole.subarray(0, cut));
          for (let n = 0; n < 20; n += 1) await turn();
        }
        client.send(whole.subarray(cut));
        expect(await client.next('connack')).toMatchObject({ returnCode, sessionPresent: false });
        await client.closed();
      }
      expect(farm.counted(counter)).toBe(2);
      expect(knocks[0]).toMatchObject({ will: { topic: expect.any(String) } });
      expect(knocks[1]).toEqual(knocks[0]);
      const [first, second] = farm.told('seenUnknown');
      expect(second).toEqual(first);
    },
  );

  test('is let in the moment it belongs to the farm', async () => {
    const farm = await startBroker();
    await expect(farm.connect('stranger')).rejects.toThrow(/Not authorized/);
    farm.known.add('stranger');
    await farm.connect('stranger');
    expect(farm.counted('connects')).toBe(1);
  });

  test('gets nothing through behind its CONNECT', async () => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(connectPacket('stranger'), publishPacket('sf/v1/d/aerator-1/hb', { current_status: 'ON' }));
    await client.closed();
    expect(farm.told('heartbeat')).toEqual([]);
  });
});

test('a known controller whose first message follows its CONNECT at once is heard', async () => {
  const farm = await startBroker();
  const client = farm.raw();
  client.send(connectPacket('aerator-1'), publishPacket('sf/v1/d/aerator-1/hb', { current_status: 'ON' }));
  await client.next('connack');
  await eventually(() => expect(farm.told('heartbeat')).toHaveLength(1));
});

test('who says nothing at all is cut off in the time a CONNECT may take', async () => {
  const farm = await startBroker({ bounds: { connectTimeoutMs: 30 } });
  const client = farm.raw();
  await client.closed();
  expect(farm.counted('connect_timeouts')).toBe(1);
});

test('of hundreds who said nothing in time one is cut off in each turn of the loop', async () => {
  const farm = await startBroker({ bounds: { connectTimeoutMs: 400 } });
  const clients = Array.from({ length: 150 }, () => farm.raw());
  const late = () => farm.counted('connect_timeouts') ?? 0;
  const inOneTurn: number[] = [];
  while (late() < clients.length) {
    const before = late();
    await turn();
    inOneTurn.push(late() - before);
  }
  expect(Math.max(...inOneTurn)).toBe(1);
  await Promise.all(clients.map((client) => client.closed()));
});
