import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { smtpReceiver } from '#test/receivers.ts';

// A full disk takes no alert, no notification and no delivery: people are told from memory.

type Row = Record<string, unknown>;

describe('a gateway whose disk is full', () => {
  let app: App;
  let token: string;
  let farmId: string;
  let point: MadeControlPoint;
  let mail: Awaited<ReturnType<typeof smtpReceiver>>;
  beforeEach(async () => {
    mail = await smtpReceiver();
    app = await startApp('sqlite', ['--smtp-url', mail.url, '--smtp-from', 'farm@farm.test']);
    ({ token, farmId } = await aFarmWith(app));
    point = await aControlPoint(app, { token, farmId });
    const channel = await app.call('POST', '/notification-channels/', {
      token,
      body: { kind: 'EMAIL', address: 'ana@fazenda.example', types: ['ALERT', 'SYSTEM'] },
    });
    await app.delivery.work();
    const code = /(\d{4}) (\d{4})/.exec(mail.mails[0]?.text ?? '');
    await app.call('POST', `/notification-channels/${String(body(channel)['id'])}/confirm`, {
      token,
      body: { code: `${code?.[1]}${code?.[2]}` },
    });
    mail.mails.length = 0;
  });
  afterEach(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await mail.close();
  });

  /** Lets the database grow no further: what a full disk answers, SQLite answers then. */
  async function fill(): Promise<void> {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(app.database.read);
    await sql.raw(`pragma max_page_count = ${rows[0]?.page_count ?? 1}`).execute(app.database.read);
    for (let n = 0; n < 2_000; n += 1) {
      const made = await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: `V-${n}` } });
      if (made.status === 507) return;
    }
    throw new Error('the disk never was full');
  }
  const free = () => sql.raw('pragma max_page_count = 1000000').execute(app.database.read);
  const alerts = async () => (await app.call('GET', '/alerts/?include=all', { token })).body as Row[];
  /** Of alerts: that a channel was opened is told, too. */
  const notifications = async () =>
    (body(await app.call('GET', '/notifications/', { token }))['notifications'] as Row[]).filter(
      ({ data }) => 'alert_id' in (data as Row),
    );
  /** What is on the disk about an alert. */
  const stored = async (alertId: unknown) => {
    const told = await app.database.readLong.selectFrom('notifications').select('data').execute();
    return {
      alerts: (await app.database.readLong.selectFrom('alerts').select('id').execute()).length,
      notifications: told.filter(({ data }) => data.includes(String(alertId))).length,
    };
  };

  it('says so in its lists and by mail, once, and stores it when there is room', async () => {
    await fill();
    await app.watches.tick();
    const [alert, ...others] = await alerts();
    expect(alert).toMatchObject({ type: 'DISK_FULL', severity: 'HIGH', status: 'ACTIVE' });
    expect(others).toEqual([]);
    expect(await notifications()).toMatchObject([{ type: 'SYSTEM', data: { alert_id: alert?.['id'] } }]);
    await app.delivery.work();
    for (let n = 0; n < 5; n += 1) {
      app.clock.advance(20_000);
      await app.watches.tick();
      await app.delivery.work();
    }
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]?.subject).toContain('Disco');
    expect(app.database.hasUnsaved()).toBe(true);

    await free();
    await app.database.storeUnsaved(app.kernel.commit);
    expect(app.database.hasUnsaved()).toBe(false);
    expect(await alerts()).toMatchObject([{ id: alert?.['id'], status: 'ACTIVE' }]);
    expect(await stored(alert?.['id'])).toEqual({ alerts: 1, notifications: 1 });
    // nobody made room: it counts as full until it has refused nothing for a while
    await app.watches.tick();
    expect(await alerts()).toHaveLength(1);
    app.clock.advance(121_000);
    await app.storage.look();
    await app.watches.tick();
    expect(await alerts()).toEqual([]);
    await app.delivery.work();
    expect(mail.mails).toHaveLength(1);
  });

  it('tells of oxygen in an emergency, and of nothing twice', async () => {
    const pond = body(
      await app.call('POST', '/ponds/', {
        token,
        body: { farm_id: farmId, cod: 'V-A', control_point_id: point.id },
      }),
    );
    await fill();
    const measure = (dissolved_oxygen: number) =>
      app.call('POST', '/water-quality/', { token, body: { pond_id: pond['id'], dissolved_oxygen } });
    for (let n = 0; n < 5; n += 1) {
      expect((await measure(1.2)).status).toBe(507);
      app.clock.advance(20_000);
    }
    await app.delivery.work();
    const low = (await alerts()).filter(({ type }) => type === 'LOW_OXYGEN');
    expect(low).toMatchObject([{ severity: 'HIGH', status: 'ACTIVE', value: 1.2 }]);
    expect(mail.mails.map(({ subject }) => subject)).toEqual([expect.stringContaining('Oxigênio baixo')]);
    const answered = await app.call('POST', `/alerts/${String(low[0]?.['id'])}/acknowledge`, { token });
    expect(answered.status).toBe(200);
    expect(body(answered)).toMatchObject({ warnings: [{ code: 'NOT_SAVED' }] });
    expect((await alerts()).find(({ id }) => id === low[0]?.['id'])).toMatchObject({
      acknowledged_at: expect.any(String),
    });
    await free();
    await app.database.storeUnsaved(app.kernel.commit);
    expect((await alerts()).filter(({ type }) => type === 'LOW_OXYGEN')).toMatchObject([
      { acknowledged_at: expect.any(String) },
    ]);
  });
});
