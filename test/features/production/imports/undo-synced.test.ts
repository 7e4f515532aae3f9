import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { reportOf, sendFile } from '#test/import-file.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const FILE = 'viveiro;data;od\nV-1;13/02/2026;4,1\nV-1;14/02/2026;4,2\n';

onBothEngines('an import on the farm', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: { token: string; farmId: string };
  let pondId: string;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp({ email: 'dona@fazenda.test' });
    const { token } = await apps.gateway.signUp();
    const made = await apps.gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
    const farmId = String(body(made)['id']);
    await apps.pairWith(owner);
    farm = { token: await apps.logInOnFarm('dona@fazenda.test'), farmId };
    const pond = await apps.gateway.call('POST', '/ponds/', {
      token: farm.token,
      body: { farm_id: farmId, cod: 'V-1' },
    });
    pondId = String(body(pond)['id']);
  });
  afterAll(() => apps.close());

  const waterOn = async (app: App, token: string) =>
    (
      body(await app.call('GET', `/water-quality/pond/${pondId}`, { token })) as {
        measurements: { dissolved_oxygen: number }[];
      }
    ).measurements.map(({ dissolved_oxygen }) => dissolved_oxygen);
  const inCloud = async () => {
    await apps.settled();
    return waterOn(apps.hosted, owner.token);
  };
  const bring = async () =>
    reportOf(await sendFile(apps.gateway, farm, 'measurements', { file: FILE, query: '&dry_run=false' }));

  it('comes to the cloud, goes there when it is undone, and comes again; its record stays on the farm', async () => {
    expect(await bring()).toMatchObject({ imported: 2 });
    expect(await inCloud()).toEqual([4.2, 4.1]);
    const list = (app: App, token: string) => app.call('GET', `/imports/?farm_id=${farm.farmId}`, { token });
    const [record] = (await list(apps.gateway, farm.token)).body as ImportRecordAnswer[];
    expect(await list(apps.hosted, owner.token)).toMatchObject({ status: 200, body: [] });
    await apps.gateway.call('POST', `/imports/${record?.id}/undo`, { token: farm.token });
    await expect
      .poll(
        async () =>
          body(await apps.gateway.call('GET', `/imports/${record?.id}`, { token: farm.token }))['state'],
        { timeout: 60_000 },
      )
      .toBe('UNDONE');
    expect(await inCloud()).toEqual([]);
    expect(await bring()).toMatchObject({ imported: 2 });
    expect(await inCloud()).toEqual([4.2, 4.1]);
  });
});
