import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NotificationAnswer } from '#contract/resources/notifications.ts';
import { type App, body } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { isSigned, type WebhookBody, webhookBody, webReceiver } from '#test/receivers.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// What a webhook of the farm reads of news that began in the cloud, and what the cloud has of news of the farm: one notification,
// field by field. A hosted instance calls no address of this machine, so that what it would send is read from its list.

onBothEngines('the body of a webhook at a farm with a half in the cloud', (_open, engine) => {
  let apps: SyncedApps;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  let inCloud: string;
  let onFarm: string;
  let secret: string;
  const heard = new Set<string>();
  let made = 0;

  beforeAll(async () => {
    web = await webReceiver();
    apps = await syncedApps(engine);
    const owner = await apps.hosted.signUp({ email: 'dona@fazenda.test' });
    inCloud = owner.token;
    const { token } = await apps.gateway.signUp();
    farmId = String(
      body(await apps.gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } }))['id'],
    );
    await apps.pairWith(owner);
    onFarm = await apps.logInOnFarm('dona@fazenda.test');
    await apps.settled();
    const channel = await call(apps.gateway, 'POST', '/notification-channels', {
      kind: 'WEBHOOK',
      address: `${web.url}/farm`,
      types: ['ALERT', 'SYSTEM'],
    });
    secret = String(channel['secret']);
  });
  afterAll(async () => {
    await apps.gateway.delivery.stop(Promise.resolve());
    await apps.close();
    await web.close();
  });

  let farmId: string;
  async function call(app: App, method: string, path: string, sent?: unknown) {
    const reply = await app.call(method, path, { token: app === apps.hosted ? inCloud : onFarm, body: sent });
    expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  async function aPond(fields: object = {}): Promise<string> {
    made += 1;
    const pond = { farm_id: farmId, cod: `V-${made}`, ...fields };
    const { id } = await call(apps.gateway, 'POST', '/ponds/', pond);
    await apps.settled();
    return String(id);
  }
  const listOf = async (app: App) =>
    (await call(app, 'GET', '/notifications/?page_size=100'))['notifications'] as NotificationAnswer[];
  /** What came since it was last asked: each as both instances list it. */
  async function arrived(): Promise<WebhookBody[]> {
    await apps.settled();
    await Promise.all([apps.hosted.delivery.tell(), apps.gateway.delivery.tell()]);
    await apps.gateway.delivery.work();
    const lists = await Promise.all([listOf(apps.gateway), listOf(apps.hosted)]);
    return web.posts
      .filter((posted) => !heard.has(webhookBody(posted).id))
      .map((posted) => {
        const told = webhookBody(posted);
        heard.add(told.id);
        expect(isSigned(posted, secret)).toBe(true);
        expect(posted.headers['webhook-id']).toBe(told.id);
        expect(Object.keys(told.notification ?? {}).toSorted()).toEqual(
          ['created_at', 'data', 'farm_id', 'id', 'message', 'title', 'type'].toSorted(),
        );
        for (const list of lists)
          expect(list.find(({ id }) => id === told.notification?.id)).toMatchObject(told.notification ?? {});
        return told;
      });
  }
  const shortOf = ({ event, critical, notification }: WebhookBody) => {
    const { pond_id, parameter, value, threshold, alert_type } = notification?.data ?? {};
    return { event, critical, type: notification?.type, alert_type, pond_id, parameter, value, threshold };
  };

  it('of water that was measured in the cloud, and corrected there, is that of the cloud', async () => {
    const pond_id = await aPond();
    const measured = await call(apps.hosted, 'POST', '/water-quality/', { pond_id, ph: 9.1 });
    const of = {
      event: 'notice',
      type: 'ALERT',
      alert_type: 'HIGH_PH',
      pond_id,
      parameter: 'ph',
      threshold: 8.5,
    };
    expect((await arrived()).map(shortOf)).toEqual([{ ...of, critical: false, value: 9.1 }]);
    await call(apps.hosted, 'PUT', `/water-quality/${String(measured['id'])}`, { ph: 9.9 });
    expect((await arrived()).map(shortOf)).toEqual([{ ...of, critical: true, value: 9.9 }]);
    // made good: nothing is left to be done, and nobody is told of nothing
    await call(apps.hosted, 'PUT', `/water-quality/${String(measured['id'])}`, { ph: 8 });
    expect(await arrived()).toEqual([]);
  });

  it('of water that was mended in the cloud before the news left says that it is over', async () => {
    const pond_id = await aPond();
    await apps.linkDown();
    await call(apps.gateway, 'POST', '/water-quality/', { pond_id, dissolved_oxygen: 2 });
    await apps.linkUp();
    const [found] = (await call(apps.hosted, 'GET', `/water-quality/pond/${pond_id}`))['measurements'] as {
      id: string;
    }[];
    await call(apps.hosted, 'PUT', `/water-quality/${found?.id}`, { dissolved_oxygen: 6 });
    expect((await arrived()).map(({ text }) => /Já foi resolvido/.test(text))).toEqual([true]);
  });

  it('of a power failure at the farm is in the list of the cloud as the webhook has it', async () => {
    made += 1;
    const device_id = `power-${made}`;
    const { id: control_point_id } = await call(apps.gateway, 'POST', '/control-points/', {
      farm_id: farmId,
      cod: `CP-${made}`,
      device_id,
      target_status: 'OFF',
    });
    const pond_id = await aPond({ control_point_id });
    await call(apps.gateway, 'POST', '/devices/heartbeat', {
      device_id,
      current_status: 'OFF',
      power_ok: false,
    });
    await apps.gateway.watches.tick();
    expect((await arrived()).map(shortOf)).toEqual([
      {
        event: 'notice',
        critical: true,
        type: 'ALERT',
        alert_type: 'POWER_FAILURE',
        pond_id,
        parameter: 'controllers',
        value: 1,
        threshold: null,
      },
    ]);
  });
});
