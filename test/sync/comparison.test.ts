import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { BUCKETS, bucketOf, digestOf } from '#store/merge/digest.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { measured, survivalSet, weighed } from '#test/recorded-rows.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';
import { tablesThatSay } from '#test/tables-that-say.ts';

const SOON = { timeout: 60_000, interval: 50 };
const DAY_MS = 86_400_000;

onBothEngines('both sides are compared', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;

  beforeAll(async () => {
    apps = await syncedApps(engine);
    const { hosted, gateway } = apps;
    owner = await hosted.signUp();
    farm = await aStockedFarm(gateway);
    const { token, farmId, ponds, batch } = farm;
    await aControlPoint(gateway, { token, farmId, cod: 'Aerador 1' });
    await measured(gateway, ponds[0]?.id ?? '', { temperature: 28.5, ph: 7.9, notes: 'manhã – céu limpo' });
    await weighed(gateway, batch.id, 4.2, { individual_weights_g: [4.1, 4.3] });
    await survivalSet(gateway, batch.id, 81.5);
    await apps.pairWith(owner);
    // from the other side, too
    await hosted.call('POST', '/ponds/', {
      token: owner.token,
      body: { farm_id: farmId, cod: 'V-9', size_m2: 100 },
    });
    await measured(hosted, ponds[1]?.id ?? '', { temperature: 27 });
    await gateway.call('DELETE', `/ponds/${ponds[1]?.id}`, { token });
    await apps.settled();
    apps.advance(3_600_000);
  });
  afterAll(() => apps.close());

  const status = async () => body(await apps.gateway.call('GET', '/sync/status', { token: farm.token }));
  const comparison = async () => (await status())['comparison'] as Record<string, unknown>;

  /** The comparison of the next day. */
  async function compared(): Promise<void> {
    const before = (await comparison())['last_at'];
    apps.advance(DAY_MS);
    await apps.settled();
    await vi.waitFor(async () => {
      // one that found something under way is put off for a while
      apps.advance(400_000);
      await apps.gateway.gatewaySync?.compare();
      expect((await comparison())['last_at']).not.toBe(before);
    }, SOON);
  }

  /** Past the program, as a broken card or a mistake would: the triggers that watch over it are gone. */
  async function damage(app: App, table: string, statement: string): Promise<void> {
    const { dialect, read } = app.database;
    const triggers =
      dialect === 'postgres'
        ? await sql<{ name: string }>`select tgname as name from pg_trigger
            where tgrelid = ${table}::regclass and not tgisinternal`.execute(read)
        : await sql<{ name: string }>`select name from sqlite_master
            where type = 'trigger' and tbl_name = ${table}`.execute(read);
    for (const { name } of triggers.rows)
      await sql.raw(`drop trigger ${name}${dialect === 'postgres' ? ` on ${table}` : ''}`).execute(read);
    await sql.raw(statement).execute(read);
  }
  const temperatures = async (app: App) =>
    (
      await app.database.read.selectFrom('measurements').select(['temperature', 'ph']).orderBy('id').execute()
    ).map(({ temperature, ph }) => [temperature, ph]);

  test('after ordinary sync they are alike', async () => {
    await compared();
    expect(await comparison()).toMatchObject({ differed: [], repaired_rows: 0 });
  });

  test('a name that changed by itself on the farm’s card is as it was', async () => {
    await damage(apps.gateway, 'farms', `update farms set name = 'Fazenda ?ul'`);
    await compared();
    expect(await comparison()).toMatchObject({ differed: ['farms'], repaired_rows: 1 });
    const [here] = (await apps.gateway.call('GET', '/farms/', { token: farm.token })).body as {
      name: string;
    }[];
    expect(here?.name).toBe('Fazenda Sul');
    expect(
      apps.gateway.sentences.some(
        ({ level, sentence }) => level === 'error' && sentence.includes('differed'),
      ),
    ).toBe(true);
    await compared();
    expect(await comparison()).toMatchObject({ differed: [] });
  });

  test('rows that vanished on either side come back, facts and readings among them', async () => {
    const before = await temperatures(apps.gateway);
    await damage(apps.gateway, 'measurements', `delete from measurements where temperature = 28.5`);
    await damage(apps.hosted, 'survival_changes', `delete from survival_changes`);
    await compared();
    expect((await comparison())['differed']).toEqual(['survival_changes', 'measurements']);
    expect(await temperatures(apps.gateway)).toEqual(before);
    const kept = await apps.hosted.database.read.selectFrom('survival_changes').select('value').execute();
    expect(kept).toEqual([{ value: 81.5 }]);
    await compared();
    expect(await comparison()).toMatchObject({ differed: [] });
  });

  test('a reading that was changed past the program is as the hosted instance has it', async () => {
    await damage(apps.gateway, 'survival_changes', `update survival_changes set value = 3`);
    await compared();
    const kept = await apps.gateway.database.read.selectFrom('survival_changes').select('value').execute();
    expect(kept).toEqual([{ value: 81.5 }]);
  });

  test('what cannot be taken from a gateway is refused and kept nowhere', async () => {
    const stranger = await aStockedFarm(apps.hosted);
    const there = await apps.hosted.database.read
      .selectFrom('farms')
      .selectAll()
      .where('id', '=', stranger.farmId)
      .executeTakeFirstOrThrow();
    const point = await apps.stream(apps.hosted, 2);
    const reply = await apps.hosted.sync?.server.ask({ gatewayId: point.gateway_id, streamId: 2 }, 'repair', {
      epoch: point.epoch,
      table: 'farms',
      bucket: bucketOf(there.id),
      after: null,
      to: null,
      history_from: '',
      history_to: '',
      rows: [
        {
          entity: 4,
          id: there.id,
          cl: 1,
          hlc: 'ffffffffffff.0000.00010001',
          over: {},
          body: { ...there, name: 'Minha agora' },
        },
      ],
    });
    expect(reply).toMatchObject({ ok: expect.any(Boolean) });
    const after = await apps.hosted.database.read
      .selectFrom('farms')
      .select('name')
      .where('id', '=', there.id)
      .executeTakeFirstOrThrow();
    expect(after.name).toBe(there.name);
    expect(await apps.hosted.database.read.selectFrom('sync_parked').select('id').execute()).toEqual([]);
  });

  test('an account that ends in the cloud leaves nothing on the farm either, also of who left it before', async () => {
    const { hosted, gateway } = apps;
    const someone = async (name: string, street: string) => {
      const person = await hosted.signUp({ email: `${street}@farm.test` });
      const ask = (method: string, path: string, sent?: unknown) =>
        hosted.call(method, path, { token: person.token, ...(sent === undefined ? {} : { body: sent }) });
      await ask('PUT', '/users/me', { name, phone_number: '+55 88 97777-0000' });
      const place = { street, number: 7, city: 'Aracati', state: 'CE', zip_code: '62899000' };
      for (const end of ['', ' velha']) {
        const made = await ask('POST', '/addresses/', { ...place, street: street + end });
        if (end !== '') await ask('DELETE', `/addresses/${String(body(made)['id'])}`);
      }
      await joinFarm(hosted, { token: owner.token, farmId: farm.farmId }, person, 'TECHNICIAN');
      return { ...person, end: () => ask('DELETE', '/users/me', { password: 'camarao-123' }) };
    };
    const member = await someone('Jurema Unica', 'ruadajurema');
    const former = await someone('Iracema Unica', 'ruadairacema');
    await apps.settled();
    // a token and a channel are the gateway's own
    const onFarm = await apps.logInOnFarm('ruadajurema@farm.test');
    const channel = await gateway.call('POST', '/notification-channels/', {
      token: onFarm,
      body: { kind: 'WEBHOOK', address: 'https://example.com/ruadajurema', types: ['ALERT'] },
    });
    expect(channel.status).toBe(201);
    await hosted.call('DELETE', `/farms/${farm.farmId}/members/${former.user.id}`, { token: owner.token });
    await apps.settled();
    const said = ['Unica', 'ruadajurema', 'ruadairacema', '97777', '62899'];
    // of who left nothing but the name stays, beside what was done
    expect(await tablesThatSay(gateway, 'Iracema Unica')).toEqual(['users']);
    for (const own of ['ruadairacema', '97777', '62899'])
      expect(await tablesThatSay(gateway, own)).toEqual([]);

    for (const person of [member, former]) expect((await person.end()).status).toBe(204);
    await apps.settled();
    await gateway.people.eraseLeftovers();
    await apps.settled();
    for (const text of said) {
      expect([text, await tablesThatSay(gateway, text)]).toEqual([text, []]);
      expect([text, await tablesThatSay(hosted, text)]).toEqual([text, []]);
    }
    await compared();
    expect(await comparison()).toMatchObject({ differed: [] });
    const parked = (app: App) => app.database.read.selectFrom('sync_parked').select('reason').execute();
    expect([await parked(gateway), await parked(hosted)]).toEqual([[], []]);
  });

  test('what lay below a deleted pond goes on both sides once they agree on it, and they stay alike', async () => {
    const { hosted, gateway } = apps;
    const gone = farm.ponds[1]?.id ?? '';
    const left = async (app: App) =>
      (await app.database.read.selectFrom('measurements').select('id').where('pond_id', '=', gone).execute())
        .length;
    expect([await left(gateway), await left(hosted)]).toEqual([1, 1]);
    const { email } = await gateway.database.read
      .selectFrom('users')
      .select('email')
      .where('id', '=', farm.userId)
      .executeTakeFirstOrThrow();
    for (let month = 0; month < 7; month += 1) {
      apps.advance(27 * DAY_MS);
      await apps.settled();
    }
    const again = { email, password: 'camarao-123', remember_me: true };
    const login = body(await gateway.call('POST', '/auth/login', { body: again }));
    farm = { ...farm, token: String(login['access_token']) };
    // what is said now and not heard for days may be about it
    await apps.linkDown();
    await gateway.call('POST', '/ponds/', { token: farm.token, body: { farm_id: farm.farmId, cod: 'V-10' } });
    apps.advance(2 * DAY_MS);
    for (const app of [gateway, hosted]) await sweep(app);
    expect([await left(gateway), await left(hosted)]).toEqual([1, 1]);
    await apps.linkUp();
    await vi.waitFor(async () => {
      for (const app of [gateway, hosted]) await sweep(app);
      expect([await left(gateway), await left(hosted)]).toEqual([0, 0]);
    }, SOON);
    await compared();
    expect(await comparison()).toMatchObject({ differed: [] });
    expect(await temperatures(gateway)).toEqual(await temperatures(hosted));
  });
});

test('rows spread over the sums, and every word of a row counts in its digest', () => {
  const buckets = new Set(Array.from({ length: 1_000 }, (_, n) => bucketOf(`019cae6b-6600-7000-8000-${n}`)));
  expect(buckets.size).toBe(BUCKETS);
  const row = { id: 'a', cl: 1, hlc: '', over: {}, body: { name: 'Viveiro', timezone: 'America/Fortaleza' } };
  const digests = [
    row,
    { ...row, id: 'b' },
    { ...row, cl: 3 },
    { ...row, over: { name: '019cae6b6600.0000.00010001' } },
    { ...row, body: { ...row.body, name: 'viveiro' } },
  ].map((each) => digestOf('farms', each));
  expect(new Set(digests).size).toBe(5);
  expect(digestOf('farms', { ...row, cl: 2 })).toBe(0n);
});
