import net from 'node:net';
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { expect, onTestFinished, test } from 'vitest';
import {
  connectPacket,
  eventually,
  publishPacket,
  type RawClient,
  rawClient,
  someLevels,
  startBroker,
} from './broker-under-test.ts';

const OWN = 'sf/v1/d/aerator-1';
const HOSTILE_NAMES = Array.from({ length: 20 }, (_, n) => `aerator-${100 + n}`);
const FLOODS = 40;

/** One conversation of a client that means no good: any bytes, frames whose head is right, or JSON that is nearly so. */
const aFrame = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(fc.integer({ min: 0x10, max: 0xff }), fc.uint8Array({ maxLength: 60 }))
    .map(([head, body]) => Buffer.from([head, body.length, ...body])),
  fc
    .tuple(
      fc.constantFrom('hb', 'state', 'event', 'shadow/reported', 'res/x', 'log'),
      aPayload(),
      fc.integer({ min: 0, max: 2 }),
    )
    .map(
      ([path, payload, qos]) =>
        (name: string) =>
          generate(
            publishPacket(`sf/v1/d/${name}/${path}`, payload, {
              qos,
              messageId: 1 + (payload.length % 60_000),
            }),
          ),
    ),
);

function aPayload(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc
      .record({ current_status: fc.anything(), rssi: fc.anything(), v: fc.anything() })
      .map((value) => safeJson(value)),
    fc.string({ maxLength: 300 }),
    fc.constantFrom(
      '{"__proto__":{"current_status":"ON"}}',
      '[[[[[[[[',
      '{"current_status":"ON"',
      '\u0000',
      '1e999',
    ),
  );
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Reports one after another, each after the acknowledgement of the last; how often the broker was busy with others meanwhile. */
async function report(client: RawClient, count: number, beats: () => number): Promise<number[]> {
  const between: number[] = [];
  for (let n = 1; n <= count; n++) {
    const before = beats();
    client.send(publishPacket(`${OWN}/hb`, { current_status: 'ON' }, { messageId: n }));
    expect((await client.next('puback')).messageId).toBe(n);
    between.push(beats() - before);
  }
  return between;
}

test('while twenty clients send whatever bytes there are, the one that keeps to the rules is served', async () => {
  const farm = await startBroker({ bounds: { messagesPerS: 200 } });
  for (const name of HOSTILE_NAMES) farm.known.add(name);
  const good = await farm.rawConnected();
  const state = { isOver: false, conversations: 0 };
  const frames = fc.sample(fc.array(aFrame, { minLength: 1, maxLength: 12 }), { numRuns: 400, seed: 7 });

  async function attack(name: string): Promise<void> {
    while (!state.isOver) {
      const conversation = frames[state.conversations % frames.length] ?? [];
      state.conversations += 1;
      const client = rawClient(net.connect(farm.port, '127.0.0.1'));
      const bytes = conversation.map((frame) => (typeof frame === 'function' ? frame(name) : frame));
      client.send(connectPacket(name), ...bytes);
      client.stream.end();
      await client.closed();
    }
  }

  const attacks = HOSTILE_NAMES.map(attack);
  // by the number of hostile conversations that ended between a report and its acknowledgement, not by the clock
  const between = await report(good, 100, () => state.conversations);
  state.isOver = true;
  await Promise.all(attacks);
  between.sort((a, b) => a - b);
  expect(state.conversations).toBeGreaterThan(100);
  expect(between[98]).toBeLessThanOrEqual(HOSTILE_NAMES.length * 3);
  expect(farm.told('heartbeat').filter(([, { mqttId }]) => mqttId === 'aerator-1')).toHaveLength(100);
  expect(await farm.broker.selfCheck()).toBe(true);
  await eventually(() => expect(farm.broker.clientCount()).toBe(1));
  expect(farm.log.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('while others flood, every report of the one that keeps to the rules is acknowledged in its turn', async () => {
  const farm = await startBroker();
  for (const name of HOSTILE_NAMES) farm.known.add(name);
  const good = await farm.rawConnected();
  const flooders = await Promise.all(HOSTILE_NAMES.map((name) => farm.rawConnected(name)));
  const beat = (name: string): Packet => publishPacket(`sf/v1/d/${name}/hb`, { current_status: 'ON' });
  for (const [n, client] of flooders.entries()) {
    const name = HOSTILE_NAMES[n] ?? '';
    client.send(...Array.from({ length: FLOODS * 50 }, () => beat(name)));
  }
  await report(good, 50, () => 0);
  await Promise.all(flooders.map((client) => client.closed()));
  expect(farm.counted('rate_kicks')).toBe(HOSTILE_NAMES.length);
  expect(farm.log.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('a subscriber that is frozen stops nobody: the others get every level, and it is cut off', async () => {
  const farm = await startBroker({ levels: [someLevels('aerator-1'), someLevels('aerator-2')] });
  const subscribe = (name: string): Packet => ({
    cmd: 'subscribe',
    messageId: 9,
    subscriptions: [
      { topic: `sf/v1/d/${name}/shadow/desired`, qos: 1 },
      { topic: 'sf/v1/time', qos: 0 },
    ],
  });
  const frozen = await farm.rawConnected('aerator-1');
  frozen.send(subscribe('aerator-1'));
  await frozen.next('suback');
  frozen.stream.pause();
  const other = await farm.rawConnected('aerator-2');
  other.send(subscribe('aerator-2'));
  await other.next('suback');
  await nextLevel(other);

  const { shadow } = someLevels();
  const feed = setInterval(() => {
    for (let n = 0; n < 2_000; n++) farm.broker.link.publishShadow('aerator-1', shadow);
  }, 1);
  onTestFinished(() => clearInterval(feed));
  for (let version = 100; version < 130; version++) {
    farm.broker.link.publishShadow('aerator-2', { ...shadow, version });
    const level = await nextLevel(other);
    expect(level).toMatchObject({ version });
  }
  await eventually(() => expect(farm.counted('slow_kicks')).toBe(1));
  clearInterval(feed);
  expect(farm.broker.link.isConnected('aerator-2')).toBe(true);
});

async function nextLevel(client: RawClient): Promise<unknown> {
  for (;;) {
    const packet = await client.next('publish');
    if (packet.topic.endsWith('shadow/desired')) return JSON.parse(packet.payload.toString());
  }
}
