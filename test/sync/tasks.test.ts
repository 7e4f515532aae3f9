import { afterAll, beforeAll, expect, test } from 'vitest';
import { task, taskMark } from '#contract/resources/tasks.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Tasks that are ticked at the pond and in the office while the line is down, and who reminds people of them.

type Told = Record<string, unknown>;
type Side = 'gateway' | 'hosted';

onBothEngines('tasks on both sides of the line', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp();
    farm = await aStockedFarm(apps.gateway);
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const tokenOf = (on: Side) => (on === 'hosted' ? owner.token : farm.token);
  async function call(on: Side, method: string, path: string, sent?: unknown) {
    const app: App = apps[on];
    const reply = await app.call(method, path, { token: tokenOf(on), body: sent });
    expect(reply.status, `${on} ${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const set = (on: Side, sent: Told) => call(on, 'POST', `/farms/${farm.farmId}/tasks`, sent);
  const marksOn = async (on: Side) =>
    (await call(on, 'GET', `/farms/${farm.farmId}/task-marks`)) as unknown as Told[];
  const dueOn = async (on: Side) =>
    (await call(on, 'GET', `/farms/${farm.farmId}/tasks/due`))['tasks'] as Told[];
  const conflictsOn = async (on: Side) =>
    (
      await apps[on].database.read
        .selectFrom('sync_conflicts')
        .select('id')
        .where('entity', 'in', [task.entity, taskMark.entity])
        .execute()
    ).length;

  test('a day that both ticked while they did not hear each other has one mark on both, and nobody is asked which', async () => {
    const made = await set('gateway', {
      text: 'Limpar filtros',
      repeat: 'DAYS',
      every_days: 1,
      items: ['A', 'B'],
    });
    await apps.settled();
    await apps.linkDown();
    const path = `/tasks/${String(made['id'])}/marks`;
    const here = await call('gateway', 'POST', path, { ticked: ['A'] });
    apps.advance(5_000);
    const there = await call('hosted', 'POST', path, { ticked: ['B'], note: 'do escritório' });
    expect(there['id']).toBe(here['id']);
    await apps.linkUp();
    await apps.settled();
    const [gateway, hosted] = [await marksOn('gateway'), await marksOn('hosted')];
    expect(gateway).toHaveLength(1);
    expect(hosted).toEqual(gateway);
    expect(await dueOn('hosted')).toEqual(await dueOn('gateway'));
    expect([await conflictsOn('gateway'), await conflictsOn('hosted')]).toEqual([0, 0]);
  }, 120_000);

  test('a task that is ended in the office, and ticked at the pond meanwhile, is both', async () => {
    const made = await set('hosted', { text: 'Ronda', repeat: 'DAYS', every_days: 1 });
    await apps.settled();
    await apps.linkDown();
    await call('hosted', 'PUT', `/tasks/${String(made['id'])}`, {
      ended_on: '2026-03-01',
      text: 'Ronda da noite',
    });
    await call('gateway', 'POST', `/tasks/${String(made['id'])}/marks`, {});
    await call('gateway', 'PUT', `/tasks/${String(made['id'])}`, { remind_at: '05:00' });
    await apps.linkUp();
    await apps.settled();
    for (const on of ['gateway', 'hosted'] as const) {
      expect(await call(on, 'GET', `/tasks/${String(made['id'])}`)).toMatchObject({
        text: 'Ronda da noite',
        ended_on: '2026-03-01',
        remind_at: '05:00',
      });
      expect((await marksOn(on)).map(({ text }) => text)).toContain('Ronda da noite');
    }
  }, 120_000);

  test('people are reminded by the gateway of the farm alone, which knows what was done', async () => {
    const made = await set('gateway', { text: 'Medir', remind_at: '09:30' });
    await apps.settled();
    await apps.linkDown();
    apps.advance(3_600_000);
    const look = (on: Side) => apps[on].ticks.find(({ name }) => name === 'reminders of tasks')?.run();
    const toldOn = async (on: Side) =>
      (
        await apps[on].database.read
          .selectFrom('notifications')
          .select(['data', 'user_id'])
          .where('farm_id', '=', farm.farmId)
          .execute()
      )
        .filter(({ data }) => String(data).includes(String(made['id'])))
        .map(({ user_id }) => user_id);
    await look('hosted');
    expect(await toldOn('hosted')).toEqual([]);
    await look('gateway');
    await look('gateway');
    const told = await toldOn('gateway');
    expect(new Set(told).size).toBe(told.length);
    expect(told).toContain(owner.user.id);
    await apps.linkUp();
    await apps.settled();
    await look('hosted');
    expect((await toldOn('hosted')).toSorted()).toEqual(told.toSorted());
  }, 120_000);
});
