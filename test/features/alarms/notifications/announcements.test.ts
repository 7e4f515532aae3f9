import { afterAll, beforeAll, expect, it } from 'vitest';
import { announcementQueries } from '#adapters/sql/queries/alarms/notifications.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import { insert, put } from '#core/changes.ts';
import { tellAnnouncements, versionChanged } from '#features/alarms/notifications/announce.ts';
import { syncLinkLost } from '#features/alarms/notifications/watch-sync-link.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStaffedFarm } from '#test/staffed-farm.ts';

const HOUR = 3_600_000;

onBothEngines('news for everybody', (_open, engine) => {
  let app: App;
  let admin: SignedUp;
  let reader: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.signUp({ role: 'ADMIN' });
    reader = await app.signUp();
  });
  afterAll(() => app.close());

  const listOf = async ({ token }: SignedUp) => {
    const { body } = await app.call('GET', '/notifications/?type=SYSTEM', { token });
    return (body as { notifications: { title: string; message: string; data: object }[] }).notifications;
  };
  const MAINTENANCE = {
    title: 'Manutenção na madrugada',
    message: 'O sistema para por dez minutos às 03:00. A aeração continua.',
    title_en: 'Maintenance tonight',
    starts_at: '2026-03-03T06:00:00Z',
  };
  async function manyUsers(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => app.kernel.newId());
    const rows = ids.map((id, n) =>
      insert(user, {
        id,
        numeric_id: 1_000_000 + n + Math.floor(app.kernel.random() * 1e12),
        email: `${id}@farm.test`,
        email_key: `${id}@farm.test`,
        name: 'Ana',
        phone_number: null,
        role: 'OWNER',
        is_active: n % 10 !== 0,
        password_hash: '',
        password_version: 1,
        language: n % 2 === 0 ? 'en' : null,
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      }),
    );
    await app.kernel.commit({ changes: rows, actor: null });
    return ids;
  }
  const toldTo = async (ids: readonly string[]) => {
    const rows = await app.database.read
      .selectFrom('notifications')
      .select(['user_id', 'title'])
      .where('user_id', 'in', ids)
      .execute();
    return rows.map(({ title }) => title);
  };

  it('are an administrator’s to tell', async () => {
    const reply = await app.call('POST', '/announcements', { token: reader.token, body: MAINTENANCE });
    expect(reply.status).toBe(403);
    await app.delivery.work();
    expect(await listOf(reader)).toEqual([]);
  });

  it('reach every account that is switched on, once, in its language', async () => {
    const ids = await manyUsers(250);
    const reply = await app.call('POST', '/announcements', { token: admin.token, body: MAINTENANCE });
    expect(reply).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    await app.delivery.work();
    await app.delivery.work();
    expect(await listOf(reader)).toMatchObject([
      {
        title: 'Manutenção na madrugada',
        message: MAINTENANCE.message,
        data: { event: 'maintenance', starts_at: '2026-03-03T06:00:00.000Z', ends_at: null },
      },
    ]);
    const titles = await toldTo(ids);
    expect(titles).toHaveLength(225);
    expect(titles.filter((title) => title === 'Maintenance tonight')).toHaveLength(100);
    const left = await announcementQueries(app.database.read).announcements();
    expect(left).toEqual([]);
  });

  it('go on after a restart with those who were not told', async () => {
    const ids = await manyUsers(250);
    app.clock.advance(1000);
    await app.call('POST', '/announcements', {
      token: admin.token,
      body: { kind: 'UPDATE', title: 'Versão nova', message: 'Melhor.' },
    });
    const slices = { left: 1 };
    const deps = { ...app.kernel, notify: app.notify, queries: announcementQueries(app.database.read) };
    const died = tellAnnouncements({
      ...deps,
      commit: async (unit) => {
        if (slices.left === 0) throw new Error('the power is gone');
        slices.left -= 1;
        return app.kernel.commit(unit);
      },
    });
    await expect(died).rejects.toThrow('the power is gone');
    await tellAnnouncements(deps);
    const titles = await toldTo(ids);
    expect(titles.filter((title) => title === 'Versão nova')).toHaveLength(225);
    expect((await listOf(reader))[0]).toMatchObject({ data: { event: 'update' } });
  });

  it('a new version is told, the first one and the same one are not', async () => {
    const stored = await app.database.read
      .selectFrom('instance_values')
      .select('id')
      .where('id', '=', 'program_version')
      .execute();
    expect(stored).toEqual([]);
    expect(versionChanged(app.kernel, { before: null, now: '1.0.0' })).toHaveLength(1);
    expect(versionChanged(app.kernel, { before: '1.0.0', now: '1.0.0' })).toEqual([]);
    app.clock.advance(1000);
    const changes = versionChanged(app.kernel, { before: '1.0.0', now: '1.1.0' });
    await app.kernel.commit({ changes, actor: null });
    await app.delivery.work();
    expect((await listOf(reader))[0]).toMatchObject({
      title: 'Sistema atualizado',
      message: expect.stringContaining('1.0.0 para a 1.1.0') as unknown,
      data: { event: 'update', version: '1.1.0', previous_version: '1.0.0' },
    });
    await app.kernel.commit({
      changes: [put(instanceValue, { id: 'program_version', value: '1.1.0' })],
      actor: null,
    });
  });

  it('a gateway that lost its other half for more than a day tells those who may act, once', async () => {
    const place = await aStaffedFarm(app);
    const lastMetAt = app.clock.now();
    const look = () =>
      syncLinkLost({ ...app.kernel, notify: app.notify }, { farmId: place.farmId, lastMetAt });
    app.clock.advance(24 * HOUR);
    expect(await look()).toEqual([]);
    app.clock.advance(HOUR);
    await app.kernel.commit({ changes: await look(), actor: null });
    app.clock.advance(HOUR);
    expect(await look()).toEqual([]);
    const { body } = await app.call('GET', '/notifications/?type=ALERT', { token: place.technician.token });
    expect((body as { notifications: object[] }).notifications).toMatchObject([
      { data: { parameter: 'sync_silent_hours', value: 25, threshold: 24, pond_id: null, pond_cod: null } },
    ]);
  });
});
