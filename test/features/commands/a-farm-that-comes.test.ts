import { afterAll, beforeAll, expect, it } from 'vitest';
import { aControlPoint, aFarmWith } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';
import { remoteOf } from './a-bound-farm.ts';

onBothEngines('a farm that comes with its gateway', (_open, engine) => {
  let apps: SyncedApps;
  beforeAll(async () => {
    apps = await syncedApps(engine);
  });
  afterAll(() => apps.close());

  it('is the gateway’s at once: the hosted instance neither switches it nor speaks for its controllers', async () => {
    const { hosted, gateway } = apps;
    const { token, farmId } = await aFarmWith(gateway);
    await aControlPoint(gateway, { token, farmId });
    const owner = await hosted.signUp();
    await apps.pairWith(owner);
    await expect.poll(() => remoteOf(hosted).gateways.isRunByGateway(farmId)).toBe(true);
    // while its rows came the farm's minutes went by in which no timer looked after the line
    const shown = async () => {
      await remoteOf(hosted).work.links();
      return (await hosted.call('GET', `/control-points/?farm_id=${farmId}`, { token: owner.token })).body;
    };
    await expect.poll(shown).toMatchObject([{ farm_id: farmId, gateway_silent_since: null }]);
  });
});
