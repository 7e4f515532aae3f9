import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Dead shrimp told at the pond, put right in the office, taken back at the pond: both sides tell the same of the batch.

onBothEngines('losses on both sides of the line', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp();
    farm = await aStockedFarm(apps.gateway, { initial_count: 10_000, estimated_survival_rate: 80 });
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const tokenOn = (app: App) => (app === apps.hosted ? owner.token : farm.token);
  const call = async (app: App, method: string, path: string, sent?: unknown) => {
    const reply = await app.call(method, path, { token: tokenOn(app), body: sent });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return body(reply);
  };
  const lossesOn = async (app: App) =>
    (await call(app, 'GET', `/batches/${farm.batch.id}/losses`)) as unknown as Record<string, unknown>[];
  async function bothTell() {
    await apps.settled();
    const [here, there] = [await lossesOn(apps.gateway), await lossesOn(apps.hosted)];
    expect(there).toEqual(here);
    const populations = await Promise.all(
      [apps.gateway, apps.hosted].map(
        async (app) => (await call(app, 'GET', `/batches/${farm.batch.id}`))['current_population'],
      ),
    );
    return { losses: here, populations };
  }

  test('are told, corrected and taken back on either, and no correction is lost', async () => {
    const { gateway, hosted } = apps;
    const path = `/batches/${farm.batch.id}`;
    const dead = { event_description: 'Mortalidade', dead_count: 1_000 };
    const { id } = await call(gateway, 'POST', `${path}/adjust-survival`, dead);
    expect(await bothTell()).toMatchObject({ populations: [7_000, 7_000] });
    await call(hosted, 'PUT', `${path}/losses/${String(id)}`, { dead_count: 100 });
    expect(await bothTell()).toMatchObject({
      losses: [{ id, dead_count: 100 }],
      populations: [7_900, 7_900],
    });

    // at the same time, while the line is down: each side mends it, and the one told last stands on both
    await apps.linkDown();
    await call(gateway, 'PUT', `${path}/losses/${String(id)}`, { dead_count: 200 });
    apps.advance(60_000);
    await call(hosted, 'PUT', `${path}/losses/${String(id)}`, { severity: 0.5 });
    const another = await call(gateway, 'POST', `${path}/adjust-survival`, { ...dead, dead_count: 50 });
    await apps.linkUp();
    expect(await bothTell()).toMatchObject({
      losses: [
        { id: another['id'], dead_count: 50 },
        { id, severity: 0.5, dead_count: 4_000 },
      ],
      populations: [3_950, 3_950],
    });

    await apps.linkDown();
    await call(hosted, 'PUT', `${path}/losses/${String(id)}`, { dead_count: 10 });
    expect((await gateway.call('DELETE', `${path}/losses/${String(id)}`, { token: farm.token })).status).toBe(
      204,
    );
    await apps.linkUp();
    expect(await bothTell()).toMatchObject({ losses: [{ id: another['id'] }], populations: [7_950, 7_950] });
  });
});
