import net from 'node:net';
import { Aedes, type AedesOptions } from 'aedes';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type SupervisorDeps, superviseBroker } from '#adapters/mqtt/supervise-broker.ts';
import {
  aShadow,
  connectPacket,
  eventually,
  publishPacket,
  rawClient,
  someLevels,
  startBroker,
} from './broker-under-test.ts';

const SHADOW = 'sf/v1/d/aerator-1/shadow/desired';

/** A supervised broker whose insides can be silenced, each time it is made. */
async function startSupervised(more: Partial<SupervisorDeps> = {}) {
  const farm = await startBroker();
  await farm.broker.stop();
  const made: Aedes[] = [];
  const restarts: number[] = [];
  const shadow = { version: 41 };
  const broker = await superviseBroker({
    ...farm.brokerDeps,
    levels: () => [{ ...someLevels(), shadow: aShadow(shadow) }],
    bounds: { connectsPerMinutePerAddress: 0, selfCheckMs: 30 },
    makeAedes: async (options: AedesOptions) => {
      const aedes = await Aedes.createBroker(options);
      made.push(aedes);
      return aedes;
    },
    restarted: (times) => restarts.push(times),
    ...more,
  });
  onTestFinished(() => broker.stop());
  const { port } = await broker.listenTcp(0, '127.0.0.1');
  const current = () => {
    const aedes = made.at(-1);
    if (aedes === undefined) throw new Error('no broker was made');
    return aedes;
  };
  return {
    ...farm,
    broker,
    port,
    made,
    current,
    restarts,
    shadow,
    warnings: () => farm.log.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence),
    connected: async (name = 'aerator-1') => {
      const client = rawClient(net.connect(port, '127.0.0.1'));
      client.send(connectPacket(name));
      await client.next('connack');
      return client;
    },
  };
}

/** Ways a broker has been seen, or can be made, to stop serving while its ports are open. */
const SILENCES: [string, (aedes: Aedes) => void][] = [
  [
    'its emitter hands nothing on',
    (aedes) => {
      // the emitter is no part of the broker's types
      (aedes as unknown as { mq: { emit: () => void } }).mq.emit = () => {};
    },
  ],
  [
    'publishing never ends',
    (aedes) => {
      aedes.publish = () => {};
    },
  ],
  [
    'nobody is let in any more',
    (aedes) => {
      aedes.authenticate = () => {};
    },
  ],
  [
    'nobody who is let in can listen',
    (aedes) => {
      aedes.subscribe = () => {};
    },
  ],
  ['it closed itself', (aedes) => aedes.close()],
];

describe('a broker that falls silent is started anew in place', () => {
  test.each(SILENCES)('when %s', async (_how, silence) => {
    const farm = await startSupervised();
    const before = await farm.connected();
    silence(farm.current());
    await farm.broker.look();
    expect(farm.broker.health()).toEqual({
      ok: false,
      detail: 'messages do not get through the broker',
    });
    expect(farm.restarts).toEqual([]);
    farm.shadow.version = 42;
    await farm.broker.look();
    await before.closed();
    expect(farm.restarts).toEqual([1]);
    expect(farm.broker.health()).toEqual({ ok: true });
    expect(farm.warnings()).toEqual([
      'the broker fell silent and is started anew; controllers come back by themselves',
    ]);

    const again = await farm.connected();
    again.send(
      { cmd: 'subscribe', messageId: 2, subscriptions: [{ topic: SHADOW, qos: 1 }] },
      publishPacket('sf/v1/d/aerator-1/hb', { current_status: 'ON' }),
    );
    const level = await again.next('publish');
    expect(JSON.parse(level.payload.toString())).toMatchObject({ version: 42 });
    await again.next('puback');
    expect(farm.told('heartbeat')).toHaveLength(1);
    await farm.broker.look();
    expect(farm.broker.restarts()).toBe(1);
  });

  test('the link stays the same: what is published after the restart arrives', async () => {
    const farm = await startSupervised();
    const { link } = farm.broker;
    farm.current().publish = () => {};
    await farm.broker.look();
    await farm.broker.look();
    const client = await farm.connected();
    client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic: SHADOW, qos: 1 }] });
    await client.next('suback');
    await client.next('publish');
    link.publishShadow('aerator-1', aShadow({ version: 77 }));
    const level = await client.next('publish');
    expect(JSON.parse(level.payload.toString())).toMatchObject({ version: 77 });
    expect(link.isConnected('aerator-1')).toBe(true);
  });

  test('what was counted goes on', async () => {
    const farm = await startSupervised();
    await farm.connected();
    farm.current().publish = () => {};
    await farm.broker.look();
    await farm.broker.look();
    await farm.connected();
    expect(farm.broker.counters.events()).toMatchObject({ connects: 2 });
  });

  test('one failed look is no reason', async () => {
    const farm = await startSupervised();
    const aedes = farm.current();
    const { publish } = aedes;
    aedes.publish = () => {};
    await farm.broker.look();
    aedes.publish = publish;
    await farm.broker.look();
    aedes.publish = () => {};
    await farm.broker.look();
    expect(farm.made).toHaveLength(1);
    expect(farm.restarts).toEqual([]);
  });

  test('a process that was busy for longer than the time of the check does not restart its broker', async () => {
    const farm = await startSupervised();
    for (let look = 0; look < 3; look++) {
      const looked = farm.broker.look();
      const until = performance.now() + 60;
      while (performance.now() < until);
      await looked;
    }
    expect(farm.broker.health()).toEqual({ ok: true });
    expect(farm.made).toHaveLength(1);
  });

  test('where its port is taken meanwhile, it is tried again until it is free', async () => {
    const farm = await startSupervised();
    const thief = net.createServer();
    farm.current().publish = () => {};
    const made = farm.made.length;
    let isStolen = false;
    const supervised = farm.current();
    // the thief comes in the moment the port is free
    supervised.close = (done = () => {}) => {
      if (isStolen) return done();
      isStolen = true;
      thief.listen(farm.port, '127.0.0.1', done);
    };
    await farm.broker.look();
    await farm.broker.look();
    expect(farm.made).toHaveLength(made + 1);
    expect(farm.broker.health().ok).toBe(false);
    expect(farm.log.some(({ sentence }) => sentence.includes('could not be started anew'))).toBe(true);
    await new Promise((resolve) => thief.close(resolve));
    await farm.broker.look();
    expect(farm.broker.health()).toEqual({ ok: true });
    await farm.connected();
  });

  test('a broker that is stopped is not started anew', async () => {
    const farm = await startSupervised();
    await farm.broker.stop();
    for (let look = 0; look < 3; look++) await farm.broker.look();
    expect(farm.made).toHaveLength(1);
    expect(farm.broker.link.isConnected('aerator-1')).toBe(false);
  });

  test('the check itself leaves nothing behind', async () => {
    const farm = await startSupervised();
    for (let look = 0; look < 50; look++) await farm.broker.look();
    await eventually(() => expect(farm.current().connectedClients).toBe(0));
    expect(farm.broker.clientCount()).toBe(0);
    expect(farm.calls).toEqual([]);
    const { refused_full, ...refusals } = farm.broker.counters.refusals();
    expect([refused_full, ...Object.values(refusals)].every((count) => count === 0)).toBe(true);
  });
});

test('two hundred controllers come back to the restarted broker and find their levels', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `aerator-${1000 + n}`);
  const farm = await startSupervised({ levels: () => names.map((name) => someLevels(name)) });
  for (const name of names) farm.known.add(name);
  const clients = await Promise.all(names.map((name) => farm.connected(name)));
  farm.current().publish = () => {};
  await farm.broker.look();
  await farm.broker.look();
  await Promise.all(clients.map((client) => client.closed()));
  // work, not time: other processes of this machine do not count
  const before = process.cpuUsage();
  await Promise.all(
    names.map(async (name) => {
      const client = await farm.connected(name);
      const topic = `sf/v1/d/${name}/shadow/desired`;
      client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic, qos: 1 }] });
      await client.next('publish');
    }),
  );
  expect(farm.broker.clientCount()).toBe(200);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
