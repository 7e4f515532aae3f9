import { describe, expect, test } from 'vitest';
import { aController, connectPacket, eventually, startBroker } from './broker-under-test.ts';

const willOf = (name: string, more: Record<string, unknown> = {}) => ({
  topic: `sf/v1/d/${name}/state`,
  payload: Buffer.from('{"s":"lost","boot_id":17,"sid":"9f3c"}'),
  qos: 1 as const,
  retain: true,
  ...more,
});

describe('a last will', () => {
  test('comes true when the connection breaks', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected('aerator-1', { will: willOf('aerator-1') });
    client.stream.destroy();
    await eventually(() =>
      expect(farm.calls.slice(1)).toEqual([
        ['stateChanged', aController(), { s: 'lost', boot_id: '17', sid: '9f3c' }],
        ['disconnected', aController(), { clean: false, takenOver: false }],
      ]),
    );
  });

  test('does not come true after a farewell', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected('aerator-1', { will: willOf('aerator-1') });
    client.send({ cmd: 'disconnect' });
    await eventually(() =>
      expect(farm.calls.slice(1)).toEqual([
        ['disconnected', aController(), { clean: true, takenOver: false }],
      ]),
    );
  });

  test('of an older connection is not believed when the controller is back', async () => {
    const farm = await startBroker();
    await farm.rawConnected('aerator-1', { will: willOf('aerator-1') });
    const second = await farm.rawConnected('aerator-1', { will: willOf('aerator-1') });
    await eventually(() => expect(farm.told('disconnected')).toHaveLength(1));
    expect(farm.told('stateChanged')).toEqual([]);
    expect(farm.broker.link.isConnected('aerator-1')).toBe(true);
    expect(second.isClosed()).toBe(false);
  });

  test.each([
    ['on another’s topic', { topic: 'sf/v1/d/aerator-2/state' }],
    ['on a relay maker’s topic', { topic: 'tele/tasmota/LWT' }],
    ['in $SYS', { topic: '$SYS/x/new/clients' }],
    ['that is no state', { payload: Buffer.from('Offline') }],
    ['that is too large', { payload: Buffer.alloc(5_000, 0x20) }],
  ])('%s is left out, and the controller may stay', async (_what, more) => {
    const farm = await startBroker();
    const client = await farm.rawConnected('aerator-1', { will: willOf('aerator-1', more) });
    client.stream.destroy();
    await eventually(() => expect(farm.told('disconnected')).toHaveLength(1));
    expect(farm.told('stateChanged')).toEqual([]);
    expect(farm.counted('wills_refused')).toBe(1);
  });
});

describe('two connections of one name', () => {
  test('the newer one stays, the older one ends as taken over, in this order', async () => {
    const farm = await startBroker();
    const older = await farm.rawConnected();
    await farm.rawConnected();
    await older.closed();
    expect(farm.calls.map(([what, , how]) => [what, how])).toEqual([
      ['connected', { source: '127.0.0.1', since: farm.clock.now }],
      ['disconnected', { clean: false, takenOver: true }],
      ['connected', { source: '127.0.0.1', since: farm.clock.now }],
    ]);
    expect(farm.broker.clientCount()).toBe(1);
    expect(farm.counted('takeovers')).toBe(1);
  });

  test('more than three take-overs a minute mean a contested identity', async () => {
    const farm = await startBroker();
    await farm.rawConnected();
    for (let takeover = 1; takeover <= 3; takeover++) await farm.rawConnected();
    expect(farm.told('identityContested')).toEqual([]);
    await farm.rawConnected();
    expect(farm.told('identityContested')).toEqual([['identityContested', aController(), 4]]);
  });

  test('take-overs in the course of a day contest nothing', async () => {
    const farm = await startBroker();
    for (let reconnect = 0; reconnect < 10; reconnect++) {
      await farm.rawConnected();
      farm.clock.now += 21_000;
    }
    expect(farm.told('identityContested')).toEqual([]);
    expect(farm.counted('takeovers')).toBe(9);
  });

  test('an impostor with a wrong key does not disturb the one that is connected', async () => {
    const farm = await startBroker();
    const rightful = await farm.rawConnected();
    const impostor = farm.raw();
    impostor.send(connectPacket('aerator-1', { password: Buffer.from('guess') }));
    await impostor.closed();
    rightful.send({ cmd: 'pingreq' });
    await rightful.next('pingresp');
    expect(farm.told('disconnected')).toEqual([]);
  });

  test('a newcomer that is gone before its CONNACK leaves the table right', async () => {
    const farm = await startBroker();
    for (let round = 0; round < 20; round++) {
      const hasty = farm.raw();
      hasty.send(connectPacket('aerator-1'));
      hasty.stream.end();
    }
    const last = await farm.rawConnected();
    await eventually(() => expect(farm.broker.clientCount()).toBe(1));
    expect(farm.told('connected').length - farm.told('disconnected').length).toBe(1);
    last.send({ cmd: 'pingreq' });
    await last.next('pingresp');
    last.stream.destroy();
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
    expect(farm.told('connected').length).toBe(farm.told('disconnected').length);
  });
});
