import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { createFarmBindings } from '#features/control/commands/gateway-links.ts';
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

describe('what the hosted instance remembers of a farm that is bound or freed while it is read', () => {
  const ROW = { id: 'f1', stream_id: 7, bound_at: '2026-03-02T12:00:00.000Z' };
  const committed = (hidden: boolean) => ({
    rows: [{ table: syncFarm.name, id: ROW.id, before: hidden ? ROW : null, after: ROW, rev: 1, hidden }],
  });

  it.each([
    ['bound', false, 7],
    ['freed', true, null],
  ] as const)('it is %s, though the database answered with what was before', async (_how, hidden, now) => {
    const slow = Promise.withResolvers<number | null>();
    const answers = [slow.promise, Promise.resolve(now)];
    const bindings = createFarmBindings({
      all: async () => [],
      streamOf: () => answers.shift() ?? Promise.resolve(now),
    });
    const asked = bindings.refresh(ROW.id);
    bindings.follow(committed(hidden));
    slow.resolve(hidden ? 7 : null);
    expect([await asked, bindings.streamOf(ROW.id)]).toEqual([now, now]);
  });

  it('nor does a reading of all farms set it back', async () => {
    const slow = Promise.withResolvers<{ id: string; stream_id: number }[]>();
    const answers = [slow.promise];
    const bindings = createFarmBindings({
      all: () => answers.shift() ?? Promise.resolve([ROW]),
      streamOf: async () => 7,
    });
    const loaded = bindings.load();
    bindings.follow(committed(false));
    slow.resolve([]);
    await loaded;
    expect(bindings.streamOf(ROW.id)).toBe(7);
  });
});
