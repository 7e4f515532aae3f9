import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { runStatement } from '#adapters/sql/database.ts';
import { createLeases, holdLease, underLease } from '#adapters/sql/lease.ts';
import { migratePostgres, migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { connectPostgres } from '#adapters/sql/open-postgres.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { arrivedNews } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { insert, put } from '#core/changes.ts';
import { formatHlc } from '#store/hlc.ts';
import { type App, aControlPoint, aFarmWith, body, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { NATS, type NatsServer, startNats } from '#test/nats-server.ts';
import { localOf, pair } from '#test/paired-apps.ts';
import { describeOnPostgres, freshDatabase } from '#test/postgres.ts';
import { aBrowser } from '#test/receivers.ts';

/** Until something another process said has arrived: it comes over a real connection, so it takes real time. */
const until = (holds: () => boolean | Promise<boolean>) => expect.poll(holds, { interval: 10 }).toBe(true);

describeOnPostgres('a process of a new version on a database of an old one', () => {
  test('brings stamps back, before it serves, that another had drawn into the future', async () => {
    const old = await startApp('postgres', ['--role', 'hosted']);
    await aFarmWith(old);
    const run = runStatement(old.database.read);
    const future = formatHlc(old.clock.now() + 2 * 365 * 86_400_000, 0, 'c0000001');
    await run('update sync_register set hlc = $1 where hlc = (select max(hlc) from sync_register)', [future]);
    await run("delete from instance_values where id = 'stamps_looked_at'", []);
    const newer = await startAppBeside(old, ['--role', 'hosted']);
    const { rows } = await run('select max(hlc) as hlc from sync_register', []);
    const newest = String((rows as { hlc: string }[])[0]?.hlc);
    // in their order right behind now, 65,536 of them a millisecond
    expect(newest <= formatHlc(old.clock.now() + 1_000, 0, '')).toBe(true);
    await newer.close();
    await old.close();
  });
});

describe.each(['PostgreSQL', 'NATS'] as const)('through %s', (bus) => {
  const isThere = bus === 'PostgreSQL' || NATS !== undefined;
  (isThere ? describeOnPostgres : describe.skip)('two processes on one database', () => factsOfTwo(bus));
});

function factsOfTwo(bus: 'PostgreSQL' | 'NATS'): void {
  let here: App;
  let there: App;
  let nats: NatsServer | null = null;
  beforeAll(async () => {
    nats = bus === 'NATS' ? await startNats() : null;
    const args = ['--role', 'hosted', ...(nats === null ? [] : ['--bus-url', nats.url])];
    here = await startApp('postgres', args);
    there = await startAppBeside(here, args);
  });
  afterAll(async () => {
    await there.close();
    await here.close();
    await nats?.stop();
  });

  test('a control point made at one is known to the other', async () => {
    const farm = await aFarmWith(here);
    const made = await aControlPoint(here, farm);
    await until(() => there.control.registry.byId(made.id) !== null);
    expect(there.control.registry.byId(made.id)).toMatchObject({
      row: { cod: made.cod },
      farmName: 'Fazenda Norte',
    });
  });

  test('an order given at one is the target at the other, and a schedule, and a pond', async () => {
    const farm = await aFarmWith(here);
    const point = await aControlPoint(here, farm);
    const view = () => there.control.registry.byId(point.id);
    await here.call('POST', `/control-points/${point.id}/turn-on`, { token: farm.token });
    const pond = await here.call('POST', '/ponds/', {
      token: farm.token,
      body: {
        farm_id: farm.farmId,
        cod: 'V-1',
        pond_type: 'FATTENING',
        size_m2: 900,
        control_point_id: point.id,
      },
    });
    expect(pond.status).toBe(201);
    await until(() => view()?.row.target_status === 'ON' && view()?.ponds.length === 1);
    await here.call('DELETE', `/ponds/${String(body(pond)['id'])}`, { token: farm.token });
    await until(() => view()?.ponds.length === 0);
  });

  test('who watches the one hears what happens at the other', async () => {
    const farm = await aFarmWith(here);
    const point = await aControlPoint(here, farm);
    await until(() => there.control.registry.byId(point.id) !== null);
    const abort = new AbortController();
    const stream = await fetch(`${there.base}/api/v1/events?farm_id=${farm.farmId}`, {
      headers: { Authorization: `Bearer ${farm.token}` },
      signal: abort.signal,
    });
    const heard: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) heard.push(Buffer.from(chunk).toString());
    })().catch(() => undefined);
    await until(() => heard.join('').includes('event: snapshot'));
    await here.call('PUT', `/control-points/${point.id}`, { token: farm.token, body: { cod: 'CP-NOVO' } });
    await until(() => /event: control_point\ndata: .*CP-NOVO/.test(heard.join('')));
    abort.abort();
    await reading;
  });

  test('what a gateway told goes to the phone whole, although both look at it: each counts once for the person', async () => {
    const { token, user } = await here.signUp();
    const channel = await here.call('POST', '/notification-channels', {
      token,
      body: {
        kind: 'WEB_PUSH',
        subscription: aBrowser('https://push.farm.test/both').subscription,
      },
    });
    expect(channel.status).toBe(201);
    const at = new Date(here.clock.now()).toISOString();
    const words = { title: 'a', message: 'a', is_read: false, read_at: null, created_at: at };
    const ids = Array.from({ length: 150 }, () => here.kernel.newId());
    await here.kernel.commit({
      actor: null,
      changes: ids.flatMap((id) => [
        insert(notification, {
          id,
          user_id: user.id,
          farm_id: null,
          type: 'ALERT',
          data: { severity: 'HIGH' },
          ...words,
        }),
        put(arrivedNews, { id, arrived_at: at }),
      ]),
    });
    await Promise.all([here.delivery.tell(), there.delivery.tell()]);
    await here.delivery.tell();
    const told = await here.database.read
      .selectFrom('deliveries')
      .select('id')
      .where('user_id', '=', user.id)
      .where('notification_id', 'in', ids)
      .execute();
    expect(told).toHaveLength(ids.length);
  });

  test('a logout at one ends the session at the other at once', async () => {
    const { token } = await here.signUp();
    expect((await there.call('GET', '/users/me', { token })).status).toBe(200);
    await here.call('POST', '/auth/logout', { token });
    await until(async () => (await there.call('GET', '/users/me', { token })).status === 401);
  });

  test('a gateway that connects anew to the other is let go by the one', async () => {
    const gateway = await startApp('sqlite', ['--hosted-url', here.base]);
    const owner = await here.signUp();
    await pair({ hosted: here, gateway }, { token: owner.token });
    const token = await localOf(gateway).sessionToken();
    const open = ({ base }: App) => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/sync/v1/live`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const closed = new Promise<number>((resolve) => socket.on('close', resolve));
      const heard: unknown[] = [];
      socket.on('message', (frame: Buffer) => heard.push(JSON.parse(frame.toString())));
      return { heard, closed, greeted: once(socket, 'message') };
    };
    const first = open(here);
    await first.greeted;
    there.clock.advance(1_000);
    const second = open(there);
    await second.greeted;
    expect(await first.closed).toBe(4001);
    expect(there.sync?.sockets.counts().open).toBe(1);
    // of a gateway hears the process alone that has it
    if (nats !== null) {
      const { subscriptions } = nats;
      const ofGateways = async () =>
        (await subscriptions()).flat().filter((name) => name.includes('.stream.'));
      await expect.poll(ofGateways).toEqual([expect.stringMatching(/\.stream\.2$/)]);
    }
    // what happens at the one is told through the other
    const { heard } = second;
    here.processes.bus.tell({ is: 'stream', streamId: 2, head: 77 });
    // what was written while the two were paired may be told before
    await expect.poll(() => heard.at(-1)).toEqual({ is: 'poke', head: 77 });
    await gateway.close();
  });

  test('a gateway that is unpaired at the one is let go by the other at once', async () => {
    const gateway = await startApp('sqlite', ['--hosted-url', here.base]);
    const owner = await here.signUp();
    const claimed = await pair({ hosted: here, gateway }, { token: owner.token });
    const socket = new WebSocket(`${there.base.replace('http', 'ws')}/sync/v1/live`, {
      headers: { Authorization: `Bearer ${await localOf(gateway).sessionToken()}` },
    });
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    const said: string[] = [];
    socket.on('message', (frame: Buffer) => said.push(frame.toString()));
    await once(socket, 'message');
    await here.call('DELETE', `/sync/gateways/${String(claimed['id'])}`, { token: owner.token });
    expect(await closed).toBe(4003);
    expect(JSON.parse(said.at(-1) ?? '')).toEqual({ is: 'revoked' });
    await gateway.close();
  });

  test('a process that lost the line to the others looks at everything again', async () => {
    const farm = await aFarmWith(here);
    if (nats === null) {
      // every connection that listens, as a restart of PostgreSQL cuts them
      const { rows } = await runStatement(here.database.read)(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'farm bus'`,
        [],
      );
      expect(rows).toHaveLength(2);
    } else await nats.stop();
    const made = await aControlPoint(here, farm);
    await nats?.start();
    await until(() => there.control.registry.byId(made.id) !== null);
  });
}

onBothEngines('work that one process does for all', (open) => {
  const atTime = (at: { now: number }) => () => at.now;

  test('one holds a lease, another takes it over after the death of the first', async () => {
    const { database, close } = await open();
    const at = { now: 1_000_000 };
    const first = createLeases({ read: database.read, clock: atTime(at) }, 'first');
    const second = createLeases({ read: database.read, clock: atTime(at) }, 'second');
    expect(await first.take('executor', 10_000)).toEqual({ term: 1 });
    expect(await second.take('executor', 10_000)).toBeNull();
    at.now += 9_000;
    expect(await first.take('executor', 10_000)).toEqual({ term: 1 });
    at.now += 9_999;
    expect(await second.take('executor', 10_000)).toBeNull();
    at.now += 1;
    expect(await second.take('executor', 10_000)).toEqual({ term: 2 });
    expect(await first.take('executor', 10_000)).toBeNull();
    await close();
  });

  test('a lease that is given up is free at once, one of another name always was', async () => {
    const { database, close } = await open();
    const first = createLeases({ read: database.read, clock: () => 5_000 }, 'first');
    const second = createLeases({ read: database.read, clock: () => 5_000 }, 'second');
    await first.take('sweep', 60_000);
    expect(await second.take('payments', 60_000)).toEqual({ term: 1 });
    await second.giveUp('sweep');
    expect(await second.take('sweep', 60_000)).toBeNull();
    await first.giveUp('sweep');
    expect(await second.take('sweep', 60_000)).toEqual({ term: 2 });
    await close();
  });

  test('of twenty processes that reach for it at once one gets it', async () => {
    const { database, close } = await open();
    const runs: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, n) =>
      underLease(createLeases({ read: database.read, clock: () => 1 }, `process ${n}`), {
        name: 'payments',
        ms: 60_000,
        run: () => runs.push(n),
      }),
    );
    await Promise.all(tasks.map((task) => task()));
    expect(runs).toHaveLength(1);
    await close();
  });

  test('whoever cannot reach the database stops acting before its time is over', async () => {
    const at = { now: 0 };
    let isGone = false;
    const held = holdLease({
      leases: {
        take: async () => {
          if (isGone) throw new Error('no connection');
          return { term: 1 };
        },
        giveUp: async () => undefined,
      },
      name: 'executor',
      ms: 10_000,
      monotonic: atTime(at),
      onError: () => undefined,
    });
    expect(held.isHeld()).toBe(false);
    await held.look();
    expect(held.isHeld()).toBe(true);
    isGone = true;
    at.now = 7_000;
    await held.look();
    expect(held.isHeld()).toBe(true);
    at.now = 8_000;
    expect(held.isHeld()).toBe(false);
  });
});

describe('processes that start at once on one database', () => {
  const now = '2026-03-01T00:00:00.000Z';

  describeOnPostgres('on PostgreSQL', () => {
    test('three of them migrate it once', async () => {
      const fresh = await freshDatabase();
      const migrations = readMigrations('migrations/postgres');
      const pools = [1, 2, 3].map(() => connectPostgres(fresh.url, 2));
      const applied = await Promise.all(pools.map((pool) => migratePostgres(pool, migrations, now)));
      expect(applied.map((names) => names.length).toSorted((a, b) => b - a)).toEqual([
        migrations.length,
        0,
        0,
      ]);
      await Promise.all(pools.map((pool) => pool.end()));
      await fresh.drop();
    });
  });

  test('on SQLite a second start finds nothing due', () => {
    const connection = connectSqlite(':memory:');
    const migrations = readMigrations('migrations/sqlite');
    expect(migrateSqlite(connection, migrations, now)).toHaveLength(migrations.length);
    expect(migrateSqlite(connection, migrations, now)).toEqual([]);
    connection.close();
  });
});
