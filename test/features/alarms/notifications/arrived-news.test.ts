import { afterAll, beforeAll, expect, it } from 'vitest';
import { notification } from '#contract/resources/notifications.ts';
import type { Severity } from '#contract/words.ts';
import { insert, update } from '#core/changes.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBrowser, webReceiver } from '#test/receivers.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Delivery = { state: string; notification_id: string | null; next_at: string | null };

// Channels stay on the instance where they were made; what is told on one instance goes to those of both.
onBothEngines('news of a farm and of its half in the cloud', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let onFarm: string;
  let farmId: string;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  let made = 0;

  beforeAll(async () => {
    web = await webReceiver();
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp({ email: 'dona@fazenda.test' });
    const made = await apps.gateway.signUp();
    farmId = String(
      body(await apps.gateway.call('POST', '/farms/', { token: made.token, body: { name: 'Norte' } }))['id'],
    );
    await apps.pairWith(owner);
    onFarm = await apps.logInOnFarm('dona@fazenda.test');
    await apps.settled();
    await tellBoth();
  });
  afterAll(async () => {
    await apps.gateway.delivery.stop(Promise.resolve());
    await apps.close();
    await web.close();
  });

  const tellBoth = () => Promise.all([apps.hosted.delivery.tell(), apps.gateway.delivery.tell()]);
  async function aPond(): Promise<string> {
    made += 1;
    const reply = await apps.gateway.call('POST', '/ponds/', {
      token: onFarm,
      body: { farm_id: farmId, cod: `V-${made}` },
    });
    await apps.settled();
    return String(body(reply)['id']);
  }
  const measure = (app: App, token: string, pond_id: string, dissolved_oxygen: number) =>
    app.call('POST', '/water-quality/', { token, body: { pond_id, dissolved_oxygen } });
  /** A phone that was subscribed on the hosted instance; nothing is sent to it here. */
  async function pushInCloud(wishes: Record<string, unknown> = {}): Promise<() => Promise<Delivery[]>> {
    made += 1;
    const reply = await apps.hosted.call('POST', '/notification-channels', {
      token: owner.token,
      body: {
        kind: 'WEB_PUSH',
        subscription: aBrowser(`https://push.farm.test/${made}`).subscription,
        ...wishes,
      },
    });
    expect(reply.status).toBe(201);
    return async () => {
      await tellBoth();
      const { body: found } = await apps.hosted.call(
        'GET',
        `/notification-channels/${String(body(reply)['id'])}/deliveries`,
        { token: owner.token },
      );
      return found as Delivery[];
    };
  }
  async function webhookOnFarm(): Promise<() => Promise<Delivery[]>> {
    made += 1;
    const reply = await apps.gateway.call('POST', '/notification-channels', {
      token: onFarm,
      body: { kind: 'WEBHOOK', address: `${web.url}/${made}` },
    });
    expect(reply.status).toBe(201);
    return async () => {
      await tellBoth();
      const { body: found } = await apps.gateway.call(
        'GET',
        `/notification-channels/${String(body(reply)['id'])}/deliveries`,
        { token: onFarm },
      );
      return found as Delivery[];
    };
  }
  /** News as the other side of the sync writes them down. */
  async function written(
    app: App,
    { ageMs = 0, data = {}, severity = 'HIGH' }: { ageMs?: number; data?: object; severity?: Severity } = {},
  ): Promise<string> {
    const id = app.kernel.newId();
    const at = new Date(app.clock.now() - ageMs).toISOString();
    const row = { title: 'Avaria', message: 'Avaria', is_read: false, read_at: null, created_at: at };
    await app.kernel.commit({
      actor: null,
      changes: [
        insert(notification, {
          id,
          user_id: owner.user.id,
          farm_id: farmId,
          type: 'ALERT',
          data: { severity, ...data },
          ...row,
        }),
      ],
    });
    return id;
  }

  it('an alarm of the farm goes to the phone that was subscribed in the cloud, and to the webhook at the farm, once each', async () => {
    const cloud = await pushInCloud();
    const farm = await webhookOnFarm();
    await measure(apps.gateway, onFarm, await aPond(), 2);
    await apps.settled();
    expect(await cloud()).toMatchObject([{ state: 'PENDING' }]);
    expect(await cloud()).toHaveLength(1);
    expect(await farm()).toHaveLength(1);
    const left = await apps.hosted.database.read.selectFrom('arrived_news').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('an alarm of the cloud goes to what was set up at the farm', async () => {
    const farm = await webhookOnFarm();
    await measure(apps.hosted, owner.token, await aPond(), 2);
    await apps.settled();
    expect(await farm()).toHaveLength(1);
  });

  it('a kill between the news and what goes to the channels loses nothing', async () => {
    const cloud = await pushInCloud();
    const id = await written(apps.gateway);
    await apps.settled();
    const noted = await apps.hosted.database.read.selectFrom('arrived_news').select('id').execute();
    expect(noted).toEqual([{ id }]);
    expect(await cloud()).toMatchObject([{ notification_id: id }]);
  });

  it('what nobody answered comes again on both, whichever of them says so first', async () => {
    const cloud = await pushInCloud();
    const farm = await webhookOnFarm();
    await measure(apps.gateway, onFarm, await aPond(), 2);
    await apps.settled();
    await tellBoth();
    const before = [(await cloud()).length, (await farm()).length];
    apps.advance(2 * MINUTE + 5_000);
    // the cloud is first, and its row is at the farm before the farm looks
    await apps.hosted.watches.escalation.tick();
    await apps.settled();
    await apps.gateway.watches.escalation.tick();
    await apps.settled();
    const first = [(await cloud()).length, (await farm()).length];
    apps.advance(3 * MINUTE);
    // now the farm is first
    await apps.gateway.watches.escalation.tick();
    await apps.settled();
    await apps.hosted.watches.escalation.tick();
    await apps.settled();
    const second = [(await cloud()).length, (await farm()).length];
    const told = (counts: number[], from: number[]) => counts.map((count, at) => count - (from[at] ?? 0));
    expect(told(first, before).every((count) => count >= 1)).toBe(true);
    expect(told(first, before)).toEqual(told(second, first));
  });

  it('quiet hours hold what is not critical', async () => {
    const zone = { timezone: 'Etc/UTC', quiet_from: '00:00', quiet_to: '23:59' };
    const cloud = await pushInCloud(zone);
    await written(apps.gateway, { severity: 'MEDIUM' });
    await written(apps.gateway, { severity: 'HIGH' });
    await apps.settled();
    const now = new Date(apps.hosted.clock.now()).toISOString();
    const [held, ...due] = (await cloud())
      .map(({ next_at }) => next_at ?? '')
      .toSorted((a, b) => (a < b ? 1 : -1));
    expect([(held ?? '') > now, due.map((at) => at > now)]).toEqual([true, [false]]);
  });

  it('after hours without a link only what still stands is told, and nothing that was read', async () => {
    const cloud = await pushInCloud();
    const standing = await aPond();
    const over = await aPond();
    await apps.linkDown();
    for (const pond of [standing, over]) await measure(apps.gateway, onFarm, pond, 2);
    const read = await written(apps.gateway);
    await apps.gateway.kernel.commit({
      actor: null,
      changes: [
        update(notification, read, {
          is_read: true,
          read_at: new Date(apps.gateway.clock.now()).toISOString(),
        }),
      ],
    });
    apps.advance(90 * MINUTE);
    onFarm = await apps.logInOnFarm('dona@fazenda.test');
    await measure(apps.gateway, onFarm, over, 6);
    await apps.linkUp();
    const rows = await apps.hosted.database.read
      .selectFrom('notifications')
      .select(['id', 'data'])
      .where(
        'id',
        'in',
        (await cloud()).flatMap(({ notification_id }) => notification_id ?? []),
      )
      .execute();
    expect(rows.map(({ data }) => String(JSON.parse(String(data))['pond_id']))).toEqual([standing]);
  });

  it('a month without a link floods nobody', async () => {
    const cloud = await pushInCloud();
    await apps.linkDown();
    for (let n = 0; n < 30; n += 1) await written(apps.gateway, { ageMs: (n + 25) * HOUR });
    await written(apps.gateway, { ageMs: 23 * HOUR });
    await apps.linkUp();
    expect(await cloud()).toHaveLength(1);
  });

  it('an alarm raised while the clock of the farm was two days behind rings in the cloud once, as long as it stands', async () => {
    const cloud = await pushInCloud();
    const pond = await aPond();
    const over = await aPond();
    await apps.linkDown();
    const alertIds: string[] = [];
    for (const one of [pond, over]) {
      await measure(apps.gateway, onFarm, one, 2);
      const row = await apps.gateway.database.read
        .selectFrom('alerts')
        .select('id')
        .where('pond_id', '=', one)
        .executeTakeFirstOrThrow();
      alertIds.push(row.id);
    }
    // as a gateway wrote them that did not know the time yet
    const [alert_id, ended] = alertIds;
    await written(apps.gateway, { ageMs: 50 * HOUR, data: { alert_id } });
    const last = await written(apps.gateway, { ageMs: 48 * HOUR, data: { alert_id } });
    const ofEnded = await written(apps.gateway, { ageMs: 48 * HOUR, data: { alert_id: ended } });
    await measure(apps.gateway, onFarm, over, 6);
    await apps.linkUp();
    const told = (await cloud()).map(({ notification_id }) => notification_id);
    expect([told.filter((id) => id === last).length, told.includes(ofEnded)]).toEqual([1, false]);
    const found = await apps.hosted.database.read
      .selectFrom('notifications')
      .select(['id', 'data'])
      .where(
        'id',
        'in',
        told.filter((id) => id !== null),
      )
      .execute();
    // the one that was dated today, and the last of those that were not
    expect(found.filter(({ data }) => JSON.parse(String(data))['alert_id'] === alert_id)).toHaveLength(2);
  });

  it('that a gateway is out of reach is no news at that gateway', async () => {
    const farm = await webhookOnFarm();
    await written(apps.hosted, { data: { alert_type: 'GATEWAY_OFFLINE' } });
    const other = await written(apps.hosted);
    await apps.settled();
    expect((await farm()).map(({ notification_id }) => notification_id)).toEqual([other]);
  });
});
