import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NotificationAnswer } from '#contract/resources/notifications.ts';
import { createInstanceWatch, type InstanceConditions } from '#features/alarms/alerts/watch-instance.ts';
import { body } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type WebhookBody, webhookBody, webReceiver } from '#test/receivers.ts';
import { startFarm } from '../alerts/a-farm.ts';

// What a receiver of a webhook reads, against the notification of the interface, for what happens on a farm.

type Noticed = WebhookBody & { notification: NotificationAnswer };
type Person = { token: string };

onBothEngines('the body of a webhook', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startFarm>>;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  beforeAll(async () => {
    web = await webReceiver((_posted, response) => void response.writeHead(204).end());
    app = await startFarm(engine);
    await listenFor(app.owner, '/owner');
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await web.close();
  });

  async function listenFor({ token }: Person, path: string) {
    const reply = await app.call('POST', '/notification-channels', {
      token,
      body: {
        kind: 'WEBHOOK',
        address: `${web.url}${path}`,
        types: ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'],
      },
    });
    expect(reply.status).toBe(201);
  }
  const heard = new Set<string>();
  /** What arrived since it was last asked; each is the notification that stands in the list of the interface. */
  async function arrived({ token }: Person = app.owner, path = '/owner'): Promise<Noticed[]> {
    await app.delivery.work();
    const { notifications } = body(
      await app.call('GET', '/notifications/?page_size=100', { token }),
    ) as unknown as { notifications: NotificationAnswer[] };
    const posts = web.posts.filter((posted) => posted.path === path && !heard.has(webhookBody(posted).id));
    return posts.map((posted) => {
      const told = webhookBody(posted) as Noticed;
      heard.add(told.id);
      expect(Object.keys(told).toSorted()).toEqual(
        ['critical', 'event', 'id', 'notification', 'sent_at', 'text', 'title'].toSorted(),
      );
      const listed = notifications.find(({ id }) => id === told.notification.id);
      expect(listed, JSON.stringify(told)).toMatchObject(told.notification);
      expect(listed).toMatchObject({ title: told.title });
      expect(Object.keys(told.notification).toSorted()).toEqual(
        ['created_at', 'data', 'farm_id', 'id', 'message', 'title', 'type'].toSorted(),
      );
      expect(told.notification.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(JSON.stringify(told)).not.toMatch(/undefined|NaN|Infinity|\d\.\d{9,}/);
      return told;
    });
  }
  const dataOf = (all: readonly Noticed[]) =>
    all.map(({ notification: { type, data } }) => {
      const { pond_id, pond_cod, parameter, value, threshold, alert_type, severity } = data as Record<
        string,
        unknown
      >;
      return { type, pond_id, pond_cod, parameter, value, threshold, alert_type, severity };
    });
  const call = async (method: string, path: string, sent?: unknown, { token }: Person = app.owner) => {
    const reply = await app.call(method, path, { token, body: sent });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return body(reply);
  };

  it.each([
    ['LOW_OXYGEN', { dissolved_oxygen: 2.1 }, 4, 'HIGH'],
    ['LOW_TEMPERATURE', { temperature: 20.5 }, 26, 'HIGH'],
    ['HIGH_TEMPERATURE', { temperature: 33.2 }, 32, 'MEDIUM'],
    ['LOW_PH', { ph: 7.1 }, 7.5, 'LOW'],
    ['HIGH_PH', { ph: 8.9 }, 8.5, 'LOW'],
    ['LOW_ALKALINITY', { alkalinity: 70 }, 80, 'LOW'],
    ['HIGH_AMMONIA', { ammonia: 0.3 }, 0.1, 'MEDIUM'],
    ['HIGH_NITRITE', { nitrite: 7.5, salinity: 15 }, 0.1, 'HIGH'],
    ['HIGH_NITRATE', { nitrate: 30.1 }, 20, 'LOW'],
  ] as const)(
    'of %s names pond, parameter, value and limit',
    async (alert_type, measured, threshold, severity) => {
      await arrived();
      const { pond } = await app.controlPoint();
      await call('POST', '/water-quality/', { pond_id: pond.id, ...measured });
      const [parameter, value] = Object.entries(measured)[0] ?? [];
      const told = await arrived();
      const { cod: pond_cod } = await call('GET', `/ponds/${pond.id}`);
      expect(dataOf(told)).toEqual([
        { type: 'ALERT', pond_id: pond.id, pond_cod, parameter, value, threshold, alert_type, severity },
      ]);
      expect(told[0]).toMatchObject({ event: 'notice', critical: severity === 'HIGH' });
    },
  );

  it('of what a correction makes bad says what the corrected one says, and of what it makes good nothing stays to be done', async () => {
    const { pond } = await app.controlPoint();
    const made = await call('POST', '/water-quality/', { pond_id: pond.id, dissolved_oxygen: 6 });
    expect(await arrived()).toEqual([]);
    await call('PUT', `/water-quality/${String(made['id'])}`, { dissolved_oxygen: 1.9 });
    const bad = await arrived();
    expect(dataOf(bad)).toMatchObject([
      { pond_id: pond.id, parameter: 'dissolved_oxygen', value: 1.9, threshold: 4, severity: 'HIGH' },
    ]);
    // worse water again, and mended before the news went out
    const second = await app.controlPoint();
    const slip = await call('POST', '/water-quality/', { pond_id: second.pond.id, dissolved_oxygen: 0.6 });
    await call('PUT', `/water-quality/${String(slip['id'])}`, { dissolved_oxygen: 6.6 });
    for (const told of await arrived()) expect(told.text).toMatch(/Já foi resolvido/);
    const third = await app.controlPoint();
    const wrong = await call('POST', '/water-quality/', { pond_id: third.pond.id, dissolved_oxygen: 0.6 });
    await call('DELETE', `/water-quality/${String(wrong['id'])}`);
    for (const told of await arrived()) expect(told.text).toMatch(/Já foi resolvido/);
    // milder by a correction: what is told is what stands
    const fourth = await app.controlPoint();
    const typed = await call('POST', '/water-quality/', { pond_id: fourth.pond.id, dissolved_oxygen: 0.6 });
    await call('PUT', `/water-quality/${String(typed['id'])}`, { dissolved_oxygen: 3.9 });
    const [told] = await arrived();
    expect(told?.text).toContain('Corrigido depois: 3,9 mg/L.');
    expect(told?.text).not.toMatch(/Pare a ração|chame ajuda/);
    // what a correction makes worse is news
    const fifth = await app.controlPoint();
    const mild = await call('POST', '/water-quality/', { pond_id: fifth.pond.id, dissolved_oxygen: 3.9 });
    await arrived();
    await call('PUT', `/water-quality/${String(mild['id'])}`, { dissolved_oxygen: 1.2 });
    expect(dataOf(await arrived())).toMatchObject([{ pond_id: fifth.pond.id, value: 1.2, severity: 'HIGH' }]);
  });

  it('of a controller that is offline, and of an order that was not confirmed, names its pond', async () => {
    const point = await app.controlPoint();
    await point.heartbeat();
    await arrived();
    await app.pass(11 * 60_000, 15_000);
    const { cod: pond_cod } = await call('GET', `/ponds/${point.pond.id}`);
    expect(dataOf(await arrived())).toMatchObject([
      {
        type: 'ALERT',
        alert_type: 'DEVICE_OFFLINE',
        pond_id: point.pond.id,
        pond_cod,
        parameter: 'silent_minutes',
        threshold: 10,
      },
    ]);
    const other = await app.controlPoint();
    await other.heartbeat();
    await call('POST', `/control-points/${other.id}/turn-on`);
    await app.pass(20_000);
    await other.heartbeat();
    await app.pass(50_000);
    await other.heartbeat();
    await app.pass(30_000);
    const told = dataOf(await arrived());
    expect(told).toMatchObject([
      { type: 'ALERT', alert_type: 'COMMAND_NOT_CONFIRMED', pond_id: other.pond.id },
    ]);
  });

  const wordFor = (told: Noticed | undefined) => told?.notification.data as Record<string, unknown>;

  it('of a power failure names who reported it, or how many fell silent, with its farm and a pond', async () => {
    await arrived();
    const reported = await app.newFarm('Fazenda Leste');
    const one = await app.controlPoint(reported);
    await one.heartbeat({ power_ok: false });
    await app.pass(5_000);
    const { cod: pond_cod } = await call('GET', `/ponds/${one.pond.id}`);
    const first = await arrived();
    expect(first.map(({ event, critical, notification }) => [event, critical, notification.type])).toEqual([
      ['notice', true, 'ALERT'],
    ]);
    expect(first[0]?.text).toMatch(
      /^Sem energia da rede, informado por: .*\nO que fazer: .*\nFazenda Leste, /,
    );
    const [alert] = await app.listed(`?farm_id=${reported.id}&include=all`);
    expect(wordFor(first[0])).toEqual({
      alert_type: 'POWER_FAILURE',
      alert_id: alert?.id,
      episode_id: alert?.id,
      severity: 'HIGH',
      parameter: 'controllers',
      value: 1,
      threshold: null,
      farm_id: reported.id,
      pond_id: one.pond.id,
      pond_cod,
      ponds: [{ id: one.pond.id, cod: pond_cod }],
      control_point_id: one.id,
      control_point_cod: one.cod,
      control_points: [{ id: one.id, cod: one.cod }],
    });

    const silent = await app.newFarm('Fazenda Oeste');
    const points = [
      await app.controlPoint(silent),
      await app.controlPoint(silent),
      await app.controlPoint(silent),
    ];
    for (const point of points) await point.heartbeat();
    await app.pass(2 * 60_000);
    const second = await arrived();
    expect(dataOf(second)).toMatchObject([
      { type: 'ALERT', alert_type: 'POWER_FAILURE', parameter: 'controllers', value: 3, severity: 'HIGH' },
    ]);
    expect(second[0]?.notification).toMatchObject({ farm_id: silent.id, data: { farm_id: silent.id } });
    for (const { cod } of points) expect(second[0]?.text).toContain(cod);
    const inOrder = points.toSorted((a, b) => (a.cod < b.cod ? -1 : 1));
    expect(wordFor(second[0])).toMatchObject({
      control_point_id: inOrder[0]?.id,
      control_points: inOrder.map(({ id, cod }) => ({ id, cod })),
      ponds: inOrder.map(({ pond }) => ({ id: pond.id })),
    });
  });

  it('of what is wrong with the box is SYSTEM, with the kind of alert and no pond', async () => {
    await arrived();
    const conditions: InstanceConditions = { clock: 'trusted', disk: 'ok' };
    const farm = await app.newFarm('Fazenda Norte');
    const watch = createInstanceWatch({
      ...app.kernel,
      monotonic: app.clock.now,
      conditions: () => conditions,
      farmIds: () => [farm.id],
      heldOn: () => [],
      alerting: app.alerts.alerting,
      queries: app.alerts.queries,
    });
    app.database.onCommit(watch.follow);
    Object.assign(conditions, { clock: 'untrusted', disk: 'full' });
    await watch.tick();
    app.clock.advance(2 * 60_000);
    await watch.tick();
    const told = await arrived();
    const alerts = await app.listed(`?farm_id=${farm.id}&include=all`);
    const idOf = (type: string) => alerts.find((each) => each.type === type)?.id;
    const nothing = { parameter: null, value: null, threshold: null };
    const nowhere = {
      pond_id: null,
      pond_cod: null,
      ponds: [],
      control_point_id: null,
      control_point_cod: null,
      control_points: [],
    };
    const of = (alert_type: string, severity: string) => ({
      ...nothing,
      ...nowhere,
      alert_type,
      severity,
      farm_id: farm.id,
      alert_id: idOf(alert_type),
      episode_id: idOf(alert_type),
    });
    expect(
      told.map(({ critical, notification }) => [critical, notification.type, notification.farm_id]),
    ).toEqual([
      [true, 'SYSTEM', farm.id],
      [false, 'SYSTEM', farm.id],
    ]);
    expect(told.map(wordFor)).toEqual([of('DISK_FULL', 'HIGH'), of('CLOCK_UNTRUSTED', 'MEDIUM')]);
    Object.assign(conditions, { clock: 'trusted', disk: 'ok' });
    await watch.tick();
    expect(await arrived()).toEqual([]);
  });

  it('of a plan and of a payment has its type and its event', async () => {
    const buyer = await app.signUp({ plan: null });
    await listenFor(buyer, '/buyer');
    const { url } = await call(
      'POST',
      '/payment/create-checkout-session',
      {
        plan: 'BASIC',
        success_url: 'https://farm.example/ok',
        cancel_url: 'https://farm.example/no',
      },
      buyer,
    );
    await fetch(String(url), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ number: '4242424242424242', expiry: '12/30', code: '123' }),
    });
    await app.payments.tick?.();
    const told = await arrived(buyer, '/buyer');
    const kinds = told.map(({ notification }) => notification.type);
    expect(new Set(kinds)).toEqual(new Set(['SUBSCRIPTION', 'PAYMENT']));
    for (const { notification } of told)
      expect(notification.data).toMatchObject({ event: expect.any(String) });
  });
});
