import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// A batch that was stocked wrongly by typing is put right at the pond and in the office, and both sides come to one batch.

onBothEngines('a stocking corrected on both sides of the line', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp();
    farm = await aStockedFarm(apps.gateway, {
      initial_count: 10_000,
      initial_density: 3.3,
      estimated_survival_rate: 80,
      start_date: '2026-02-01',
    });
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const path = () => `/batches/${farm.batch.id}`;
  const call = async (app: App, method: string, at: string, sent?: unknown) => {
    const token = app === apps.hosted ? owner.token : farm.token;
    const reply = await app.call(method, at, { token, body: sent });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return body(reply);
  };
  const standing = async (app: App) => {
    const { updated_at: _at, ...batch } = await call(app, 'GET', path());
    return batch;
  };
  async function bothTell() {
    await apps.settled();
    const [here, there] = [await standing(apps.gateway), await standing(apps.hosted)];
    expect(there).toEqual(here);
    return here;
  }

  test('at the same time: the count goes with its density, the start and the species are words of their own', async () => {
    const { gateway, hosted } = apps;
    await apps.linkDown();
    await call(gateway, 'PUT', path(), {
      initial_count: 100_000,
      initial_density: 33.3,
      species: 'Penaeus monodon',
    });
    apps.advance(60_000);
    await call(hosted, 'PUT', path(), { initial_count: 50_000, start_date: '2026-01-20' });
    await apps.linkUp();
    expect(await bothTell()).toMatchObject({
      initial_count: 50_000,
      initial_density: 3.3,
      current_population: 40_000,
      species: 'Penaeus monodon',
      start_date: '2026-01-20',
      days_active: 41,
    });
  });

  test('while animals are moved on the other side: no row is lost, and the move is told as one to look at', async () => {
    const { gateway, hosted } = apps;
    await apps.linkDown();
    const [from, to] = farm.ponds;
    await call(gateway, 'POST', '/transfers/', {
      batch_id: farm.batch.id,
      source_pond_id: from?.id,
      destination_pond_id: to?.id,
      quantity: 30_000,
    });
    await call(hosted, 'PUT', path(), { initial_count: 10_000 });
    await apps.linkUp();
    expect(await bothTell()).toMatchObject({ initial_count: 10_000 });
    const transfersOn = async (app: App) => call(app, 'GET', `/transfers/batch/${farm.batch.id}`);
    expect(await transfersOn(gateway)).toMatchObject({ items: [{ quantity: 30_000, contested: true }] });
    expect(await transfersOn(hosted)).toMatchObject({ items: [{ quantity: 30_000, contested: true }] });
    const conflictsOn = async (app: App) => {
      await app.syncConflicts.told();
      return (await call(app, 'GET', '/sync/conflicts')) as unknown as Record<string, unknown>[];
    };
    const overdrawn = async (app: App) => (await conflictsOn(app)).filter(({ rule }) => rule === 'overdrawn');
    const [here] = await overdrawn(gateway);
    expect(here).toMatchObject({
      state: 'open',
      table: 'transfers',
      kept: { values: { quantity: 30_000 } },
      is_restorable: false,
    });
    expect(await overdrawn(hosted)).toMatchObject([{ id: here?.['id'], state: 'open' }]);
    const { notifications } = await call(hosted, 'GET', '/notifications/?type=SYSTEM&page_size=100');
    const titles = (notifications as { title: string }[]).map(({ title }) => title);
    expect(titles.filter((title) => title.startsWith('Transferência de camarões'))).toHaveLength(1);
    await call(hosted, 'PUT', path(), { initial_count: 60_000 });
    expect(await bothTell()).toMatchObject({ current_population: 48_000 });
    const [move] = (await transfersOn(hosted))['items'] as { uuid: string }[];
    await call(hosted, 'PUT', `/transfers/${move?.uuid}`, { quantity: 20_000 });
    await apps.settled();
    for (const app of [gateway, hosted])
      expect(await overdrawn(app)).toMatchObject([{ state: 'superseded' }]);
  });

  test('beside a program of before, its note is taken there and its stocking waits for the update', async () => {
    await call(apps.gateway, 'PUT', path(), { notes: 'conferido', initial_count: 61_000 });
    const told = await apps.gateway.database.read
      .selectFrom('sync_change')
      .select(['schema_version', 'body_json'])
      .where('id', '=', farm.batch.id)
      .where('stream_id', '=', 1)
      .orderBy('seq', 'desc')
      .limit(2)
      .execute();
    expect(told).toEqual([
      { schema_version: 12, body_json: expect.stringMatching(/stocking(?!.*conferido)/) },
      { schema_version: 1, body_json: expect.stringMatching(/conferido(?!.*stocking)/) },
    ]);
    expect(await bothTell()).toMatchObject({ notes: 'conferido', initial_count: 61_000 });
  });
});
