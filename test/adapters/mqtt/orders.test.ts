import { describe, expect, test } from 'vitest';
import {
  aConfig,
  aController,
  aSchedule,
  aShadow,
  connectPacket,
  eventually,
  publishPacket,
  type RawClient,
  someLevels,
  startBroker,
} from './broker-under-test.ts';

const OWN = 'sf/v1/d/aerator-1';

async function subscribe(client: RawClient, topics: Record<string, 0 | 1 | 2>) {
  client.send({
    cmd: 'subscribe',
    messageId: 77,
    subscriptions: Object.entries(topics).map(([topic, qos]) => ({ topic, qos })),
  });
  return (await client.next('suback')).granted;
}

const heard = (client: RawClient) =>
  client.received.flatMap((packet) =>
    packet.cmd === 'publish'
      ? [
          {
            topic: packet.topic,
            body: JSON.parse(packet.payload.toString()),
            qos: packet.qos,
            retain: packet.retain,
          },
        ]
      : [],
  );

describe('levels', () => {
  test('a new level reaches the controller that listens, once, as no retained message', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    await subscribe(client, { [`${OWN}/shadow/desired`]: 1 });
    farm.broker.link.publishShadow('aerator-1', aShadow());
    await eventually(() =>
      expect(heard(client)).toEqual([
        { topic: `${OWN}/shadow/desired`, body: aShadow(), qos: 1, retain: false },
      ]),
    );
  });

  test('a controller reads numbers as people write them, whatever binary fractions left of them', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    await subscribe(client, { [`${OWN}/config/desired`]: 1, [`${OWN}/shadow/desired`]: 1 });
    farm.broker.link.publishConfig('aerator-1', { ...aConfig(), start_delay_s: 4.6000000000000005 });
    farm.broker.link.publishShadow('aerator-1', aShadow({ until: 1e-7 }));
    await eventually(() => {
      const texts = client.received.flatMap((one) => (one.cmd === 'publish' ? [String(one.payload)] : []));
      expect(texts.join('\n')).toMatch(/"start_delay_s":4\.6[,}](.|\n)*"until":0\.0000001[,}]/);
    });
  });

  test('a controller that connects later finds the newest levels', async () => {
    const farm = await startBroker();
    farm.broker.link.publishShadow('aerator-1', aShadow({ version: 41 }));
    farm.broker.link.publishShadow('aerator-1', aShadow({ version: 42, target_status: 'OFF' }));
    farm.broker.link.publishConfig('aerator-1', aConfig());
    farm.broker.link.publishSchedule('aerator-1', aSchedule());
    const client = await farm.rawConnected();
    await subscribe(client, {
      [`${OWN}/shadow/desired`]: 1,
      [`${OWN}/config/desired`]: 1,
      [`${OWN}/schedule/desired`]: 0,
    });
    await eventually(() =>
      expect(heard(client)).toEqual([
        {
          topic: `${OWN}/shadow/desired`,
          body: aShadow({ version: 42, target_status: 'OFF' }),
          qos: 1,
          retain: true,
        },
        { topic: `${OWN}/config/desired`, body: aConfig(), qos: 1, retain: true },
        { topic: `${OWN}/schedule/desired`, body: aSchedule(), qos: 0, retain: true },
      ]),
    );
  });

  test('a broker that starts has the levels of all controllers before the first connects', async () => {
    const farm = await startBroker({ levels: [someLevels('aerator-1'), someLevels('aerator-2')] });
    const client = await farm.rawConnected('aerator-2');
    await subscribe(client, { 'sf/v1/d/aerator-2/shadow/desired': 1 });
    await eventually(() => expect(heard(client)).toMatchObject([{ body: aShadow(), retain: true }]));
  });

  test('where one may ask for them, a controller that connects gets its levels as they are now', async () => {
    const current = { ...someLevels(), shadow: aShadow({ version: 99 }) };
    const farm = await startBroker({
      levels: [someLevels()],
      levelsOf: (mqttId) => (mqttId === 'aerator-1' ? current : null),
    });
    const client = await farm.rawConnected();
    await subscribe(client, { [`${OWN}/shadow/desired`]: 1 });
    await eventually(() => expect(heard(client)).toMatchObject([{ body: { version: 99 } }]));
  });

  test('a controller whose subscriptions are sent with its CONNECT gets them too', async () => {
    const farm = await startBroker({ levels: [someLevels()] });
    const client = farm.raw();
    client.send(connectPacket('aerator-1'), {
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: `${OWN}/shadow/desired`, qos: 1 }],
    });
    await eventually(() => expect(heard(client)).toHaveLength(1));
  });

  test('a forgotten controller is disconnected and its levels are gone', async () => {
    const farm = await startBroker({ levels: [someLevels()] });
    const client = await farm.rawConnected();
    await subscribe(client, { [`${OWN}/shadow/desired`]: 1 });
    await eventually(() => expect(heard(client)).toHaveLength(1));
    farm.broker.link.forget('aerator-1');
    expect(farm.broker.link.isConnected('aerator-1')).toBe(false);
    expect(farm.counted('retained')).toBe(0);
    await client.closed();
    expect(farm.told('disconnected')).toEqual([
      ['disconnected', aController(), { clean: false, takenOver: false }],
    ]);
    const again = await farm.rawConnected();
    await subscribe(again, { [`${OWN}/shadow/desired`]: 1 });
    again.send({ cmd: 'pingreq' });
    await again.next('pingresp');
    expect(heard(client)).toHaveLength(1);
    expect(heard(again)).toEqual([]);
  });

  test('nothing a forgotten controller had still to say counts', async () => {
    let take = () => {};
    const farm = await startBroker({
      door: { heartbeat: () => new Promise((resolve) => (take = resolve)) },
    });
    const client = await farm.rawConnected();
    client.send(
      publishPacket(`${OWN}/hb`, { current_status: 'ON', uptime_s: 1 }),
      publishPacket(`${OWN}/event`, { id: '1', k: 'boot' }),
      { cmd: 'pingreq' },
    );
    await client.next('pingresp');
    farm.broker.link.forget('aerator-1');
    take();
    await eventually(() => expect(farm.counted('not_acknowledged')).toBe(1));
    expect(farm.told('event')).toEqual([]);
  });

  test('the time is told at once to who asks, and to all every now and then', async () => {
    const farm = await startBroker();
    const early = await farm.rawConnected('aerator-1');
    await subscribe(early, { 'sf/v1/time': 1 });
    const told = (t: number) => ({ topic: 'sf/v1/time', body: { t }, qos: 0, retain: false });
    await eventually(() => expect(heard(early)).toEqual([told(1_767_225_600)]));
    farm.clock.now += 60_000;
    farm.broker.publishTime();
    await eventually(() => expect(heard(early)).toEqual([told(1_767_225_600), told(1_767_225_660)]));
    const late = await farm.rawConnected('aerator-2');
    await subscribe(late, { 'sf/v1/time': 1 });
    await eventually(() => expect(heard(late)).toEqual([told(1_767_225_660)]));
  });

  test('no time is told while the clock is not to be trusted', async () => {
    const farm = await startBroker({ isTimeTrusted: () => false });
    const client = await farm.rawConnected('aerator-1');
    await subscribe(client, { 'sf/v1/time': 1 });
    farm.broker.publishTime();
    client.send({ cmd: 'pingreq' });
    await client.next('pingresp');
    expect(heard(client)).toEqual([]);
  });

  test('a state is kept and a report is not, whatever their flag says', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(
      publishPacket(`${OWN}/state`, { s: 'online' }, { retain: true, messageId: 1 }),
      publishPacket(`${OWN}/hb`, { current_status: 'ON' }, { retain: true, messageId: 2 }),
    );
    await client.next('puback');
    await client.next('puback');
    expect(farm.told('stateChanged')).toHaveLength(1);
    expect(farm.told('heartbeat')).toHaveLength(1);
    expect(farm.counted('retained')).toBe(1);
  });
});

describe('what a controller may hear', () => {
  test.each([
    '#',
    '+',
    '+/#',
    'sf/#',
    'sf/v1/d/#',
    'sf/v1/d/+/hb',
    'sf/v1/d/+/shadow/desired',
    'sf/v1/d/aerator-1/#',
    'sf/v1/d/aerator-1/+/desired',
    'sf/v1/d/aerator-2/shadow/desired',
    'sf/v1/d/aerator-1/state',
    'sf/v1/d/aerator-1/cmd/#',
    '$SYS/#',
    '$SYS/+/new/clients',
    '$share/group/sf/v1/d/aerator-1/shadow/desired',
    'dead-letter',
    'self-check',
    'sf/v1/d/aerator-1/cmd/\0',
    'cmnd/tasmota/#',
  ])('not %s; the connection stays', async (topic) => {
    const farm = await startBroker({ levels: [someLevels('aerator-1'), someLevels('aerator-2')] });
    const client = await farm.rawConnected();
    expect(await subscribe(client, { [topic]: 1 })).toEqual([128]);
    farm.broker.link.publishShadow('aerator-2', aShadow());
    client.send(publishPacket('not/mine', 'x'), publishPacket(`${OWN}/hb`, { current_status: 'ON' }));
    await client.next('puback');
    await client.next('puback');
    expect(heard(client)).toEqual([]);
    expect(farm.counted('subscriptions_denied')).toBe(1);
  });

  test('refused and granted stand side by side in one answer', async () => {
    const farm = await startBroker({ levels: [someLevels()], isTimeTrusted: () => false });
    const client = await farm.rawConnected();
    expect(await subscribe(client, { '#': 1, [`${OWN}/shadow/desired`]: 1, 'sf/v1/time': 0 })).toEqual([
      128, 1, 0,
    ]);
    await eventually(() => expect(heard(client)).toHaveLength(1));
  });

  test('nothing is sent above the QoS asked for, nor above 1', async () => {
    const farm = await startBroker({ levels: [someLevels()] });
    const twice = await farm.rawConnected('aerator-1');
    await subscribe(twice, { [`${OWN}/shadow/desired`]: 2 });
    await eventually(() => expect(heard(twice)).toMatchObject([{ qos: 1 }]));
    farm.broker.link.publishShadow('aerator-1', aShadow());
    await eventually(() => expect(heard(twice)).toMatchObject([{ qos: 1 }, { qos: 1 }]));
  });

  test('a client may name only so many orders it waits for', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 0, violationsPerMinute: 0 } });
    const client = await farm.rawConnected();
    const filters = Array.from({ length: 40 }, (_, i) => [`${OWN}/cmd/c-${i}`, 1] as const);
    const granted = await subscribe(client, Object.fromEntries(filters));
    expect(granted).toEqual([...Array(32).fill(1), ...Array(8).fill(128)]);
    client.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: [`${OWN}/cmd/c-0`] });
    await client.next('unsuback');
    expect(await subscribe(client, { [`${OWN}/cmd/c-39`]: 1 })).toEqual([1]);
  });

  test('who does not read is disconnected, and the others are served meanwhile', async () => {
    const farm = await startBroker({ bounds: { maxUnsentBytes: 64 * 1024 } });
    const slow = await farm.rawConnected('aerator-1');
    await subscribe(slow, { [`${OWN}/schedule/desired`]: 1 });
    const other = await farm.rawConnected('aerator-2');
    await subscribe(other, { 'sf/v1/d/aerator-2/shadow/desired': 1 });
    slow.stream.pause();
    const large = { ...aSchedule(), hash: 'h'.repeat(60_000) };
    for (let sent = 0; farm.counted('slow_kicks') === 0 && sent < 1_000; sent++) {
      farm.broker.link.publishSchedule('aerator-1', large);
      // one turn of the loop: messages are written after it
      await new Promise((resolve) => setImmediate(resolve));
    }
    farm.broker.link.publishShadow('aerator-2', aShadow());
    await eventually(() => expect(heard(other)).toHaveLength(1));
    expect(farm.counted('slow_kicks')).toBe(1);
    await eventually(() => expect(farm.broker.link.isConnected('aerator-1')).toBe(false));
  });

  test('a hundred messages that somebody does not read do not silence the broker', async () => {
    const farm = await startBroker({ bounds: { maxUnsentBytes: 1024 ** 3 } });
    const slow = await farm.rawConnected('aerator-1');
    await subscribe(slow, { [`${OWN}/schedule/desired`]: 1 });
    slow.stream.pause();
    const large = { ...aSchedule(), hash: 'h'.repeat(60_000) };
    for (let sent = 0; sent < 400; sent++) farm.broker.link.publishSchedule('aerator-1', large);
    const other = await farm.rawConnected('aerator-2');
    await subscribe(other, { 'sf/v1/d/aerator-2/shadow/desired': 1 });
    farm.broker.link.publishShadow('aerator-2', aShadow());
    await eventually(() => expect(heard(other)).toHaveLength(1));
    expect(await farm.broker.selfCheck()).toBe(true);
  });
});
