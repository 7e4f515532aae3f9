import { afterAll, beforeAll, expect, test } from 'vitest';
import { aControlPoint, body } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// One conflict is one loss: where nobody else wrote, nobody hears of one.

onBothEngines('schedules that are made at the farm', (_open, engine) => {
  let apps: SyncedApps;
  beforeAll(async () => {
    apps = await syncedApps(engine);
  });
  afterAll(() => apps.close());

  test('reach the cloud without a conflict, a notification or a word back', async () => {
    const { hosted, gateway } = apps;
    const owner = await hosted.signUp({ email: 'owner@farm.test' });
    await apps.pairWith(owner);
    const { id } = await hosted.database.read.selectFrom('gateways').select('id').executeTakeFirstOrThrow();
    const made = await hosted.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
    const farmId = String(body(made)['id']);
    const given = { token: owner.token, body: { farm_id: farmId } };
    await hosted.call('POST', `/sync/gateways/${id}/farms`, given);
    await apps.settled();
    const token = await apps.logInOnFarm('owner@farm.test');
    const point = await aControlPoint(gateway, { token, farmId });
    await apps.settled();
    const { core_seq: fed } = await apps.stream(hosted, 2);
    for (let hour = 1; hour <= 6; hour += 1) {
      const rule = {
        action: 'ON',
        start_time: `2026-03-03T0${hour}:00:00Z`,
        end_time: `2026-03-03T0${hour}:30:00Z`,
        repeat_pattern: 'DAILY',
      };
      const scheduled = await gateway.call('POST', `/control-points/${point.id}/schedules`, {
        token,
        body: rule,
      });
      expect([scheduled.status, scheduled.body]).toEqual([201, expect.anything()]);
      await apps.settled();
    }
    const shadowOf = (app: typeof hosted) =>
      app.database.read
        .selectFrom('control_points')
        .select(['schedule_rev', 'base_at', 'base_target'])
        .where('id', '=', point.id)
        .executeTakeFirstOrThrow();
    expect(await shadowOf(hosted)).toEqual(await shadowOf(gateway));
    for (const app of [hosted, gateway])
      expect(await app.database.read.selectFrom('sync_conflicts').selectAll().execute()).toEqual([]);
    expect(
      await hosted.database.read
        .selectFrom('notifications')
        .select('title')
        .where('type', '=', 'SYSTEM')
        .where('farm_id', '=', farmId)
        .execute(),
    ).toEqual([]);
    expect((await apps.stream(hosted, 2)).core_seq).toBe(fed);
  });
});
