import { describe, expect, test } from 'vitest';
import { StorageUnavailable } from '#core/errors.ts';
import type { DeviceDoor } from '#features/control/device-link.ts';
import { aController, eventually, publishPacket, startBroker } from './broker-under-test.ts';

const OWN = 'sf/v1/d/aerator-1';
const BEAT = { current_status: 'ON' };

describe('what a controller reports reaches the door', () => {
  test.each([
    [
      'hb',
      { seq: 812, current_status: 'on', boot_id: 17, unknown_field: 1 },
      ['heartbeat', { seq: 812, current_status: 'ON', boot_id: '17' }],
    ],
    ['state', { s: 'online', sid: '9f3c' }, ['stateChanged', { s: 'online', sid: '9f3c' }]],
    [
      'shadow/reported',
      { epoch: 'e1', version: 41, current_status: 'ON', ack: 'applied' },
      ['reported', { epoch: 'e1', version: 41, current_status: 'ON', ack: 'applied' }],
    ],
    ['event', { id: '17-3', k: 'power_fail' }, ['event', { id: '17-3', k: 'power_fail' }]],
    ['config/reported', { rev: 7, hash: 'h' }, ['revisionReported', 'config', 7]],
    ['schedule/reported', { rev: 12 }, ['revisionReported', 'schedule', 12]],
    ['ota/progress', { job: 'j', state: 'ready' }, ['otaProgress', { job: 'j', state: 'ready' }]],
    ['res/c-1', { ok: false, detail: 'busy' }, ['commandResult', 'c-1', { ok: false, detail: 'busy' }]],
  ])('%s', async (path, body, [what, ...rest]) => {
    const farm = await startBroker();
    const client = await farm.connect();
    await client.publishAsync(`${OWN}/${path}`, JSON.stringify(body), { qos: 1 });
    expect(farm.calls.slice(1)).toEqual([[what, aController(), ...rest]]);
  });

  test.each(['meter', 'log'])('%s is taken and moves nothing yet', async (path) => {
    const farm = await startBroker();
    const client = await farm.connect();
    await client.publishAsync(`${OWN}/${path}`, '{"w":1490,"wh":1}', { qos: 1 });
    expect(farm.calls.slice(1)).toEqual([]);
    expect(farm.broker.counters()).toMatchObject({ messages: 1, bad_payloads: 0, messages_denied: 0 });
  });

  test.each([0, 1, 2] as const)('at QoS %i', async (qos) => {
    const farm = await startBroker();
    const client = await farm.connect();
    await client.publishAsync(`${OWN}/hb`, JSON.stringify(BEAT), { qos });
    await eventually(() => expect(farm.told('heartbeat')).toHaveLength(1));
    expect(farm.counted('heartbeats')).toBe(1);
  });
});

describe('acknowledged means taken', () => {
  /** A door whose heartbeats are taken when the test says so. */
  function slowDoor() {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    const door: Partial<DeviceDoor> = {
      heartbeat: (_controller, fields) =>
        new Promise((resolve) => {
          waiting.push(() => {
            taken.push(`heartbeat ${fields.uptime_s}`);
            resolve();
          });
        }),
      event: async (_controller, event) => void taken.push(`event ${event.id}`),
      stateChanged: (_controller, state) => void taken.push(`state ${state.s}`),
    };
    return { door, taken, waiting };
  }

  test('a heartbeat is acknowledged only after the door has it on disk', async () => {
    const { door, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/hb`, BEAT, { messageId: 5 }), { cmd: 'pingreq' });
    await client.next('pingresp');
    expect(client.received).toEqual([]);
    waiting.shift()?.();
    expect(await client.next('puback')).toMatchObject({ messageId: 5 });
  });

  test('messages of one controller are taken and acknowledged in their order', async () => {
    const { door, taken, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const client = await farm.rawConnected();
    client.send(
      publishPacket(`${OWN}/hb`, { ...BEAT, uptime_s: 1 }, { messageId: 1 }),
      publishPacket(`${OWN}/event`, { id: '17-3', k: 'boot' }, { messageId: 2 }),
      publishPacket('not/mine', {}, { messageId: 3 }),
      publishPacket(`${OWN}/hb`, { ...BEAT, uptime_s: 2 }, { messageId: 4 }),
      publishPacket(`${OWN}/state`, { s: 'online' }, { messageId: 5 }),
    );
    await eventually(() => expect(waiting).toHaveLength(1));
    expect(taken).toEqual([]);
    waiting.shift()?.();
    await eventually(() => expect(waiting).toHaveLength(1));
    expect(taken).toEqual(['heartbeat 1', 'event 17-3']);
    waiting.shift()?.();
    await eventually(() => expect(client.received).toHaveLength(5));
    expect(taken).toEqual(['heartbeat 1', 'event 17-3', 'heartbeat 2', 'state online']);
    expect(client.received.map((packet) => packet.messageId)).toEqual([1, 2, 3, 4, 5]);
  });

  test('a state that is kept is acknowledged in its place among heartbeats that are not', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(
      publishPacket(`${OWN}/hb`, BEAT, { messageId: 1 }),
      publishPacket(`${OWN}/state`, { s: 'online' }, { messageId: 2, retain: true }),
      publishPacket(`${OWN}/hb`, BEAT, { messageId: 65_535 }),
    );
    await eventually(() => expect(client.received).toHaveLength(3));
    expect(client.received).toMatchObject([1, 2, 65_535].map((messageId) => ({ cmd: 'puback', messageId })));
  });

  test('one controller’s slow heartbeat does not hold up another’s', async () => {
    const { door, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const slow = await farm.rawConnected('aerator-1');
    slow.send(publishPacket(`${OWN}/hb`, BEAT));
    await eventually(() => expect(waiting).toHaveLength(1));
    const other = await farm.rawConnected('aerator-2');
    other.send(publishPacket('sf/v1/d/aerator-2/event', { id: '1', k: 'boot' }));
    await other.next('puback');
  });

  test('the last words of a controller count though its connection is gone', async () => {
    const { door, taken, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const client = await farm.rawConnected();
    client.send(
      publishPacket(`${OWN}/hb`, { ...BEAT, uptime_s: 1 }),
      publishPacket(`${OWN}/event`, { id: '17-3', k: 'power_fail' }),
    );
    await eventually(() => expect(waiting).toHaveLength(1));
    client.stream.destroy();
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
    waiting.shift()?.();
    await eventually(() => expect(taken).toEqual(['heartbeat 1', 'event 17-3']));
  });

  test('what waits on an older connection does not count when the controller is back', async () => {
    const { door, taken, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const older = await farm.rawConnected();
    older.send(
      publishPacket(`${OWN}/hb`, { ...BEAT, uptime_s: 1 }),
      publishPacket(`${OWN}/event`, { id: '17-3', k: 'boot' }),
    );
    await eventually(() => expect(waiting).toHaveLength(1));
    await farm.rawConnected();
    waiting.shift()?.();
    await eventually(() => expect(farm.counted('not_acknowledged')).toBe(1));
    expect(taken).toEqual(['heartbeat 1']);
  });

  test.each([1, 2] as const)(
    'what the door could not take at QoS %i is not acknowledged, and the controller stays',
    async (qos) => {
      let isBroken = true;
      const farm = await startBroker({
        door: {
          heartbeat: async () => {
            if (isBroken) throw new Error('disk full');
          },
        },
      });
      const client = await farm.rawConnected();
      client.send(publishPacket(`${OWN}/hb`, BEAT, { qos, messageId: 5 }), { cmd: 'pingreq' });
      await client.next('pingresp');
      await eventually(() => expect(farm.counted('door_failures')).toBe(1));
      isBroken = false;
      client.send(publishPacket(`${OWN}/hb`, BEAT, { qos, messageId: 5, dup: true }));
      await client.next(qos === 1 ? 'puback' : 'pubrec');
      expect(client.received).toEqual([]);
      expect(farm.counted('not_acknowledged')).toBe(1);
    },
  );

  test('what a full disk does not take is counted and summed up, not told line by line', async () => {
    const farm = await startBroker({
      door: {
        heartbeat: async () => {
          throw new StorageUnavailable('full', null);
        },
      },
    });
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/hb`, BEAT), { cmd: 'pingreq' });
    await client.next('pingresp');
    await eventually(() => expect(farm.counted('not_stored')).toBe(1));
    expect(farm.counted('door_failures')).toBe(0);
    expect(client.received).toEqual([]);
  });

  test('a door that throws at once harms nobody', async () => {
    const farm = await startBroker({
      door: {
        stateChanged: () => {
          throw new Error('no such controller');
        },
        connected: () => {
          throw new Error('no registry');
        },
      },
    });
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/state`, { s: 'online' }), publishPacket(`${OWN}/hb`, BEAT));
    await client.next('puback');
    expect(farm.counted('door_failures')).toBe(2);
  });

  test('a QoS 2 message repeated in one segment reaches the door once', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    const event = (more: object) =>
      publishPacket(`${OWN}/event`, { id: '17-3', k: 'boot' }, { qos: 2, messageId: 9, ...more });
    client.send(event({}), event({ dup: true }), event({ dup: true }));
    for (let time = 0; time < 3; time++) await client.next('pubrec');
    expect(farm.told('event')).toHaveLength(1);
    expect(farm.counted('duplicates')).toBe(2);
    client.send({ cmd: 'pubrel', messageId: 9 }, { cmd: 'pubrel', messageId: 9 });
    for (let time = 0; time < 2; time++) await client.next('pubcomp');
    client.send(event({}));
    await client.next('pubrec');
    expect(farm.told('event')).toHaveLength(2);
  });

  test('a QoS 2 message repeated while the door is busy reaches it once', async () => {
    const { door, waiting } = slowDoor();
    const farm = await startBroker({ door });
    const client = await farm.rawConnected();
    const beat = publishPacket(`${OWN}/hb`, BEAT, { qos: 2, messageId: 9 });
    client.send(beat, beat);
    await eventually(() => expect(waiting).toHaveLength(1));
    waiting.shift()?.();
    for (let time = 0; time < 2; time++) await client.next('pubrec');
    expect(waiting).toEqual([]);
  });
});

describe('what a controller may not say', () => {
  test.each([
    ['another controller’s heartbeat', 'sf/v1/d/aerator-2/hb'],
    ['an order', `${OWN}/shadow/desired`],
    ['a command', `${OWN}/cmd/c-1`],
    ['the time', 'sf/v1/time'],
    ['a relay maker’s topic', 'cmnd/tasmota/POWER'],
    ['an unknown topic', `${OWN}/hb/more`],
    ['a prototype', `${OWN}/constructor`],
    ['in $SYS', '$SYS/x/new/clients'],
    ['the loop of the self check', 'self-check'],
    ['shared', '$share/group/sf/v1/d/aerator-1/hb'],
  ])('%s is acknowledged, dropped and counted; the connection stays', async (_what, topic) => {
    const farm = await startBroker();
    const victim = await farm.rawConnected('aerator-2');
    victim.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: ['shadow/desired', 'cmd/+'].map((path) => ({
        topic: `sf/v1/d/aerator-2/${path}`,
        qos: 1,
      })),
    });
    await victim.next('suback');
    const client = await farm.rawConnected('aerator-1');
    client.send(publishPacket(topic, 'aerator-2', { messageId: 1, retain: true }));
    await client.next('puback');
    client.send(publishPacket(topic, 'aerator-2', { qos: 2, messageId: 2 }));
    await client.next('pubrec');
    client.send({ cmd: 'pubrel', messageId: 2 });
    await client.next('pubcomp');
    client.send(publishPacket(`${OWN}/hb`, BEAT, { messageId: 3 }));
    await client.next('puback');
    expect(farm.counted('messages_denied')).toBe(2);
    expect(farm.calls.slice(2)).toEqual([['heartbeat', aController(), BEAT]]);
    expect(victim.isClosed()).toBe(false);
    expect(victim.received).toEqual([]);
  });

  test('more than ten denied topics a minute end the connection', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    for (let time = 0; time < 10; time++) client.send(publishPacket('not/mine', ''));
    for (let time = 0; time < 10; time++) await client.next('puback');
    expect(client.isClosed()).toBe(false);
    client.send(publishPacket('not/mine', ''));
    await client.closed();
    expect(farm.counted('violation_kicks')).toBe(1);
  });

  test('one denied topic now and then never does', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    for (let time = 0; time < 30; time++) {
      client.send(publishPacket('not/mine', ''));
      await client.next('puback');
      farm.clock.now += 6_500;
    }
    expect(client.isClosed()).toBe(false);
  });

  test.each([
    ['no JSON', 'ON'],
    ['no object', '"ON"'],
    ['nothing', ''],
    ['a wrong word', '{"current_status":"MAYBE"}'],
    ['a wrong type', '{"current_status":"ON","rssi":"strong"}'],
    ['a prototype', '{"__proto__":{"current_status":"ON"}}'],
    ['too large', `{"current_status":"ON","pad":"${'x'.repeat(5_000)}"}`],
    ['a deep nest', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('a payload that is %s is ignored and counted; the connection stays', async (_what, payload) => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/hb`, '', { payload, retain: true }));
    await client.next('puback');
    client.send(publishPacket(`${OWN}/hb`, BEAT));
    await client.next('puback');
    expect(farm.told('heartbeat')).toHaveLength(1);
    expect(farm.counted('bad_payloads')).toBe(1);
  });

  test('a payload over 1 KiB is taken and counted', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/hb`, { ...BEAT, pad: 'x'.repeat(2_000) }));
    await client.next('puback');
    expect(farm.told('heartbeat')).toHaveLength(1);
    expect(farm.counted('large_payloads')).toBe(1);
  });
});

describe('how much a controller may say', () => {
  test('beyond its rate messages are dropped, not acknowledged and counted; then it may go on', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 2, burst: 10 } });
    const client = await farm.rawConnected();
    const beats = Array.from({ length: 15 }, (_, i) =>
      publishPacket(`${OWN}/hb`, BEAT, { messageId: i + 1 }),
    );
    client.send(...beats, { cmd: 'pingreq' });
    await client.next('pingresp');
    await eventually(() => expect(client.received).toHaveLength(10));
    expect(farm.counted('messages_over_rate')).toBe(5);
    farm.clock.now += 1_000;
    client.send(...beats.slice(0, 3));
    await eventually(() => expect(farm.counted('messages_over_rate')).toBe(6));
    await eventually(() => expect(client.received).toHaveLength(12));
    expect(farm.told('heartbeat')).toHaveLength(12);
    expect(client.isClosed()).toBe(false);
  });

  test('a flood ends the connection, and the others go on', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 2 } });
    const other = await farm.rawConnected('aerator-2');
    const flooder = await farm.rawConnected('aerator-1');
    const beat = publishPacket(`${OWN}/hb`, BEAT, { qos: 0 });
    flooder.send(...Array.from({ length: 500 }, () => beat));
    await flooder.closed();
    expect(farm.told('heartbeat')).toHaveLength(10);
    expect(farm.counted('rate_kicks')).toBe(1);
    other.send(publishPacket('sf/v1/d/aerator-2/hb', BEAT));
    await other.next('puback');
  });

  test('a flood of packets without messages ends the connection', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 2 } });
    const flooder = await farm.rawConnected();
    flooder.send(...Array.from({ length: 500 }, () => ({ cmd: 'pingreq' as const })));
    await flooder.closed();
    expect(farm.counted('control_floods')).toBe(1);
  });

  test('without a limit, as a measurement wants it, nothing is dropped', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 0 } });
    const client = await farm.rawConnected();
    const beat = publishPacket(`${OWN}/hb`, BEAT);
    client.send(...Array.from({ length: 2_000 }, () => beat), { cmd: 'pingreq' });
    await eventually(() => expect(farm.told('heartbeat')).toHaveLength(2_000));
    expect(farm.counted('messages_over_rate')).toBe(0);
  });
});
