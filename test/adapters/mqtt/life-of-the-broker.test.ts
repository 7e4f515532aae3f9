import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { aShadow, publishPacket, startBroker } from './broker-under-test.ts';

describe('the life of a broker', () => {
  test('it can tell that a message still gets through', async () => {
    const farm = await startBroker();
    expect(await farm.broker.selfCheck()).toBe(true);
    expect(await Promise.all([farm.broker.selfCheck(), farm.broker.selfCheck()])).toEqual([true, true]);
    await farm.broker.stop();
    expect(await farm.broker.selfCheck()).toBe(false);
  });

  test('a port that is taken is a plain error', async () => {
    const farm = await startBroker();
    await expect(farm.broker.listenTcp(farm.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await farm.rawConnected();
  });

  test('stop closes the connections and frees the port, and no controller counts as lost', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected('aerator-1', {
      will: { topic: 'sf/v1/d/aerator-1/state', payload: '{"s":"lost"}', qos: 1, retain: true },
    });
    const unknown = farm.raw();
    unknown.send(Buffer.from([0x10]));
    await farm.broker.stop();
    await Promise.all([client.closed(), unknown.closed()]);
    expect(farm.told('stateChanged')).toEqual([]);
    expect(farm.told('disconnected').map(([, , how]) => how)).toEqual([{ clean: true, takenOver: false }]);
    expect(farm.broker.clientCount()).toBe(0);
    await new Promise<void>((resolve, reject) => {
      const probe = net.createServer().once('error', reject);
      probe.listen(farm.port, '127.0.0.1', () => probe.close(() => resolve()));
    });
  });

  test('stopping twice is stopping once, and what comes after is quiet', async () => {
    const farm = await startBroker();
    await Promise.all([farm.broker.stop(), farm.broker.stop()]);
    farm.broker.link.publishShadow('aerator-1', aShadow());
    farm.broker.link.forget('aerator-1');
    farm.broker.publishTime();
    expect(farm.broker.link.isConnected('aerator-1')).toBe(false);
    expect(farm.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('another broker takes the port of a stopped one', async () => {
    const farm = await startBroker();
    await farm.rawConnected();
    await farm.broker.stop();
    const next = await startBroker();
    await next.broker.listenTcp(farm.port, '127.0.0.1');
    const client = await next.connect('aerator-1');
    await client.publishAsync('sf/v1/d/aerator-1/hb', '{"current_status":"ON"}', { qos: 1 });
    expect(next.told('heartbeat')).toHaveLength(1);
  });

  test('two ways in serve one farm', async () => {
    const farm = await startBroker();
    const { port } = await farm.broker.listenTcp(0, '127.0.0.1');
    expect(port).not.toBe(farm.port);
    await farm.rawConnected('aerator-1');
    expect(farm.broker.clientCount()).toBe(1);
  });

  test('it says no key and no payload in its log', async () => {
    const farm = await startBroker({ bounds: { violationsPerMinute: 1 } });
    const client = await farm.rawConnected();
    client.send(publishPacket('x', 'very-secret'), publishPacket('x', 'very-secret'));
    await client.closed();
    const text = JSON.stringify(farm.log);
    expect(text).toContain('violation_kicks');
    expect(text).not.toContain('very-secret');
    expect(text).not.toContain('the-right-key');
  });
});
