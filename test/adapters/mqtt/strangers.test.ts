import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { peekConnect } from '#adapters/mqtt/peek-connect.ts';
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
      topic: fc.constant('sf/v1/d/x/state'),
      payload: fc.constant(Buffer.from('gone')),
      qos: fc.constant(1 as const),
      retain: fc.boolean(),
    }),
    { nil: undefined },
  ),
});

describe('who knocks is read from the first bytes', () => {
  test('as the broker would read it, or left to the broker', () => {
    fc.assert(
      fc.property(aConnect, (given) => {
        const password = given.username === undefined ? undefined : given.password;
        const bytes = generate({ ...connectPacket(''), ...given, password } as ReturnType<
          typeof connectPacket
        >);
        const who = peekConnect(bytes);
        const isPlain = given.username !== undefined && given.will === undefined && bytes.length < 130;
        expect(who).toEqual(isPlain ? { clientId: given.clientId, username: given.username } : null);
      }),
    );
  });

  test('whatever else arrives is left to the broker, and nothing is read beyond its end', () => {
    const whole = generate(connectPacket('stranger'));
    for (let cut = 0; cut < whole.length; cut += 1) expect(peekConnect(whole.subarray(0, cut))).toBeNull();
    expect(peekConnect(Buffer.concat([whole, Buffer.from([0xc0, 0])]))).toBeNull();
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 140 }),
        fc.nat({ max: 139 }),
        fc.nat({ max: 255 }),
        (noise, at, byte) => {
          peekConnect(Buffer.from(noise));
          const changed = Buffer.from(whole);
          changed[at % changed.length] = byte;
          const who = peekConnect(changed);
          if (who !== null)
            expect(Buffer.byteLength(who.clientId + who.username)).toBeLessThan(whole.length * 2);
        },
      ),
    );
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
