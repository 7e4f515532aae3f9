import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { logEntry } from '#contract/resources/logs.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { digestOf } from '#store/merge/digest.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Both sides come to the same thing while they do not hear each other: each writes it down, under an id made of its cause.

const SOON = { timeout: 60_000, interval: 50 };
const DAY_MS = 86_400_000;

onBothEngines('of one cause on both sides', (_open, engine) => {
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

  const sides = (): [App, string][] => [
    [apps.gateway, farm.token],
    [apps.hosted, owner.token],
  ];
  const rows = (app: App, table: 'logs' | 'alerts' | 'notifications') =>
    app.database.read
      .selectFrom(table)
      .selectAll()
      .where('farm_id', '=', farm.farmId)
      .orderBy('id')
      .execute();
  /** Without the count of local writes. */
  const said = async (app: App, table: 'logs' | 'alerts' | 'notifications') =>
    (await rows(app, table)).map(({ rev: _rev, ...row }) =>
      // the order of names in what is told beside it is nobody's word
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          typeof value === 'string' && value.startsWith('{') ? (JSON.parse(value) as unknown) : value,
        ]),
      ),
    );
  const comparison = async () =>
    body(await apps.gateway.call('GET', '/sync/status', { token: farm.token }))['comparison'] as Record<
      string,
      unknown
    >;
  async function compared() {
    const before = (await comparison())['last_at'];
    apps.advance(DAY_MS);
    await apps.settled();
    await vi.waitFor(async () => {
      apps.advance(400_000);
      await apps.gateway.gatewaySync?.compare();
      expect((await comparison())['last_at']).not.toBe(before);
    }, SOON);
    return comparison();
  }

  test('an alert of a reading that is corrected on both is told in the log by each, and both logs are one', async () => {
    const first = { pond_id: farm.ponds[0]?.id, dissolved_oxygen: 6 };
    const reading = body(
      await apps.gateway.call('POST', '/water-quality/', { token: farm.token, body: first }),
    )['id'];
    await apps.settled();
    await apps.linkDown();
    for (const [at, [app, token]] of sides().entries()) {
      apps.advance(90_000);
      const sent = { dissolved_oxygen: at === 0 ? 1.1 : 1.2 };
      const changed = await app.call('PUT', `/water-quality/${String(reading)}`, { token, body: sent });
      expect(changed.status).toBe(200);
    }
    await apps.linkUp();
    await apps.settled();
    for (const table of ['logs', 'alerts', 'notifications'] as const)
      expect([table, await said(apps.hosted, table)]).toEqual([table, await said(apps.gateway, table)]);
    const told = await apps.hosted.database.read
      .selectFrom('logs')
      .select('details')
      .where('action', '=', 'alert_created')
      .execute();
    expect(new Set(told.map(({ details }) => JSON.parse(String(details))['value']))).toEqual(
      new Set([1.1, 1.2]),
    );
    expect((await rows(apps.hosted, 'alerts')).length).toBe(1);
    expect(await compared()).toMatchObject({ differed: [], repaired_rows: 0 });
  });

  test('a loss that is told on one side changes the batch at the same moment on both', async () => {
    const { id } = farm.batch;
    const path = `/batches/${id}/adjust-survival`;
    const adjusted = await apps.gateway.call('POST', path, {
      token: farm.token,
      body: { severity: 0.1, event_description: 'x' },
    });
    expect([adjusted.status, adjusted.body]).toEqual([200, expect.anything()]);
    await apps.settled();
    const seen = await Promise.all(
      sides().map(async ([app, token]) => body(await app.call('GET', `/batches/${id}`, { token }))),
    );
    expect(seen[0]?.['updated_at']).toEqual(expect.any(String));
    expect(seen[1]?.['updated_at']).toBe(seen[0]?.['updated_at']);
    const listed = body(await apps.hosted.call('GET', '/batches/', { token: owner.token }));
    expect(JSON.stringify(listed)).toContain(String(seen[0]?.['updated_at']));
  });

  test('what a card that went back in time tells anew, at another moment, is no difference that is reported day by day', async () => {
    const { gateway, hosted } = apps;
    await apps.linkDown();
    const entry = (late_s: number, id: string) => ({
      id,
      farm_id: farm.farmId,
      entity_type: 'SYSTEM' as const,
      entity_id: farm.farmId,
      entity_name: 'Aerador 1',
      action: 'schedule_trigger',
      user_id: null,
      origin: 'SCHEDULE' as const,
      details: { late_s },
      timestamp: new Date(gateway.clock.now() + late_s * 1_000).toISOString(),
      clock_quality: 'trusted' as const,
    });
    const id = gateway.kernel.idOf('log:schedule_trigger:x');
    for (const [app, late_s] of [
      [gateway, 3],
      [hosted, 90],
    ] as const)
      await app.kernel.commit({ actor: null, changes: [insertIfAbsent(logEntry, entry(late_s, id))] });
    await apps.linkUp();
    expect(await compared()).toMatchObject({ differed: [] });
    // a program before this one compares every word, and so does this one with it
    const row = { id, cl: 1, hlc: '', over: {}, body: entry(3, id) };
    const other = { ...row, body: entry(90, id) };
    expect(digestOf('logs', row)).toBe(digestOf('logs', other));
    expect(digestOf('logs', row, 8)).not.toBe(digestOf('logs', other, 8));
    const own = gateway.kernel.newId();
    expect(digestOf('logs', { ...row, id: own })).not.toBe(digestOf('logs', { ...other, id: own }));
  });
});
