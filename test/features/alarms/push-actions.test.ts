import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OfferedAction, PushAction } from '#contract/resources/notification-channels.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBrowser, webReceiver } from '#test/receivers.ts';

const HOUR = 3_600_000;

onBothEngines('what is done from a notification', (_open, engine) => {
  let app: App;
  let service: Awaited<ReturnType<typeof webReceiver>>;
  let phones = 0;
  beforeAll(async () => {
    service = await webReceiver((_posted, response) => void response.writeHead(201).end());
    app = await startApp(engine);
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await service.close();
  });

  /** A farm whose one pond is aired by one control point, which is off. */
  async function aPond() {
    const owner = await app.signUp();
    const call = (method: string, path: string, given?: unknown, token = owner.token) =>
      app.call(method, path, { token, ...(given === undefined ? {} : { body: given }) });
    const farmId = String(body(await call('POST', '/farms/', { name: 'Norte' }))['id']);
    const point = await aControlPoint(app, { token: owner.token, farmId });
    const pond = { farm_id: farmId, cod: 'V-01', control_point_id: point.id };
    const pondId = String(body(await call('POST', '/ponds/', pond))['id']);
    return {
      owner,
      farmId,
      point,
      pondId,
      call,
      async alarm(fields: Record<string, unknown> = { dissolved_oxygen: 2.1 }) {
        app.clock.advance(1000);
        const reply = await call('POST', '/water-quality/', { pond_id: pondId, ...fields });
        expect(reply.status).toBe(201);
        await app.delivery.work();
        return String((body(reply)['alerts_triggered'] as { id: string }[])[0]?.id);
      },
      target: async () => body(await call('GET', `/control-points/${point.id}`))['target_status'],
      alerts: async () =>
        (await call('GET', `/alerts/?include=all&farm_id=${farmId}`)).body as {
          id: string;
          acknowledged_by: string | null;
        }[],
    };
  }

  /** A phone that gets notifications of this person, who may have signed in anew on it. */
  async function aPhone(person: SignedUp, token = person.token) {
    phones += 1;
    const path = `/phone-${phones}`;
    const browser = aBrowser(`${service.url}${path}`);
    const made = await app.call('POST', '/notification-channels', {
      token,
      body: { kind: 'WEB_PUSH', subscription: browser.subscription },
    });
    expect(made.status).toBe(201);
    const messages = () => service.posts.filter((posted) => posted.path === path).map(browser.read);
    const { endpoint } = browser.subscription;
    const actions = () => (messages().at(-1)?.['actions'] ?? []) as OfferedAction[];
    const press = (action: PushAction, more: Record<string, unknown> = {}) =>
      app.call('POST', '/push-actions', {
        body: { token: actions().find((one) => one.action === action)?.token, endpoint, ...more },
      });
    return { actions, press, endpoint, messages, offered: () => actions().map(({ action }) => action) };
  }
  const codeOf = (reply: { status: number; body: unknown }) => [
    reply.status,
    (reply.body as { code?: string }).code,
  ];

  async function aMember(farm: Awaited<ReturnType<typeof aPond>>, role: string) {
    const person = await app.signUp();
    await joinFarm(app, { token: farm.owner.token, farmId: farm.farmId }, person, role);
    return person;
  }

  describe('in the right hands', () => {
    it('acknowledges the alarm in the name of the person, once', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      const alertId = await farm.alarm();
      expect(phone.offered()).toEqual(['ACKNOWLEDGE', 'TURN_ON']);
      const done = await phone.press('ACKNOWLEDGE');
      expect(done).toMatchObject({
        status: 200,
        body: { action: 'ACKNOWLEDGE', alert_id: alertId, control_point_id: null, is_on_its_way: false },
      });
      expect(await farm.alerts()).toMatchObject([{ id: alertId, acknowledged_by: farm.owner.user.id }]);
      expect(codeOf(await phone.press('ACKNOWLEDGE'))).toEqual([409, 'ACTION_USED']);
    });

    it('turns on what airs the pond as the button does: an order of the person, in the log', async () => {
      const farm = await aPond();
      const worker = await aMember(farm, 'OPERATOR');
      const phone = await aPhone(worker);
      await farm.alarm();
      expect(phone.actions()[1]).toMatchObject({ action: 'TURN_ON', name: farm.point.cod });
      const done = await phone.press('TURN_ON');
      expect(done).toMatchObject({
        status: 200,
        body: { action: 'TURN_ON', control_point_id: farm.point.id, order_id: expect.any(String) },
      });
      expect(await farm.target()).toBe('ON');
      const { body: orders } = await farm.call('GET', `/control-points/${farm.point.id}/orders`);
      expect(orders).toMatchObject([
        { id: (done.body as { order_id: string }).order_id, target_status: 'ON', issued_by: worker.user.id },
      ]);
    });

    it('gives one order when it is pressed twice at the same moment', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      const both = await Promise.all([phone.press('TURN_ON'), phone.press('TURN_ON')]);
      expect(both.map(codeOf)).toEqual(
        expect.arrayContaining([
          [200, undefined],
          [409, 'ACTION_USED'],
        ]),
      );
      const { body: orders } = await farm.call('GET', `/control-points/${farm.point.id}/orders`);
      expect(orders).toHaveLength(1);
    });

    it('is used once, also where somebody answered the alarm before and nothing is left to change', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      const alertId = await farm.alarm();
      await farm.call('POST', `/alerts/${alertId}/acknowledge`, {});
      const both = await Promise.all([phone.press('ACKNOWLEDGE'), phone.press('ACKNOWLEDGE')]);
      expect(both.map(codeOf)).toEqual(
        expect.arrayContaining([
          [200, undefined],
          [409, 'ACTION_USED'],
        ]),
      );
    });

    it('keeps no token: what is stored opens nothing', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      const rows = await app.database.read.selectFrom('push_actions').selectAll().execute();
      const tokens = phone.actions().map(({ token }) => token);
      expect(tokens).toHaveLength(2);
      for (const token of tokens) expect(JSON.stringify(rows)).not.toContain(token);
    });
  });

  describe('is not offered', () => {
    it.each([
      ['to who only reads, and is told of no alarm at all', 'VIEWER', []],
      ['unlike to a technician, who answers alarms', 'TECHNICIAN', ['ACKNOWLEDGE', 'TURN_ON']],
    ])('%s', async (_who, role, offered) => {
      const farm = await aPond();
      const phone = await aPhone(await aMember(farm, role));
      await farm.alarm();
      expect(phone.offered()).toEqual(offered);
    });

    it('where nothing can be turned on: locked out, running already, no motor, an alarm that air does not mend', async () => {
      const locked = await aPond();
      await locked.call('POST', `/control-points/${locked.point.id}/lock-out`, { reason: 'correia' });
      const running = await aPond();
      await running.call('POST', `/control-points/${running.point.id}/turn-on`, {});
      const still = await aPond();
      await still.call('PUT', `/ponds/${still.pondId}`, { control_point_id: null });
      const sour = await aPond();
      for (const [farm, water] of [
        [locked, undefined],
        [running, undefined],
        [still, undefined],
        [sour, { ph: 4.5 }],
      ] as const) {
        const phone = await aPhone(farm.owner);
        await farm.alarm(water);
        expect(phone.offered()).toEqual(['ACKNOWLEDGE']);
      }
    });

    it('to a webhook: a program that reads the news can do nothing with them', async () => {
      const farm = await aPond();
      const hook = `${service.url}/hook`;
      await farm.call('POST', '/notification-channels', { kind: 'WEBHOOK', address: hook });
      await farm.alarm();
      const posted = service.posts.find(({ path }) => path === '/hook')?.body.toString('utf8') ?? '';
      expect(posted).toContain('V-01');
      expect(posted).not.toContain('actions');
      expect(posted).not.toContain('token');
    });
  });

  describe('is refused, and nothing is done', () => {
    const refused = async (
      farm: Awaited<ReturnType<typeof aPond>>,
      phone: Awaited<ReturnType<typeof aPhone>>,
      why: [number, string],
    ) => {
      expect(codeOf(await phone.press('TURN_ON'))).toEqual(why);
      expect(codeOf(await phone.press('ACKNOWLEDGE'))).toEqual(why);
      expect(await farm.target()).toBe('OFF');
      expect((await farm.alerts()).map(({ acknowledged_by }) => acknowledged_by)).toEqual([null]);
    };

    it('after an hour', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      app.clock.advance(HOUR);
      await refused(farm, phone, [410, 'ACTION_EXPIRED']);
    });

    it('from another browser, of the same person or of another, and with a token that is none', async () => {
      const farm = await aPond();
      const worker = await aPhone(await aMember(farm, 'OPERATOR'));
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      const elsewhere = { endpoint: worker.endpoint };
      expect(codeOf(await phone.press('TURN_ON', elsewhere))).toEqual([404, 'ACTION_UNKNOWN']);
      expect(codeOf(await phone.press('TURN_ON', { token: 'x'.repeat(43) }))).toEqual([
        404,
        'ACTION_UNKNOWN',
      ]);
      expect(await farm.target()).toBe('OFF');
    });

    it('once the person signed out in that browser', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      const password = 'camarao-123';
      await app.call('POST', '/auth/logout', { token: farm.owner.token });
      const again = await app.call('POST', '/auth/login', {
        body: { email: farm.owner.user.email, password },
      });
      const token = String(body(again)['access_token']);
      expect(codeOf(await phone.press('TURN_ON'))).toEqual([401, 'ACTION_SIGNED_OUT']);
      expect(codeOf(await phone.press('ACKNOWLEDGE'))).toEqual([401, 'ACTION_SIGNED_OUT']);
      const point = await farm.call('GET', `/control-points/${farm.point.id}`, undefined, token);
      expect(point.body).toMatchObject({ target_status: 'OFF' });
    });

    it('once the password was changed; the alarms go on coming, without what opens anything', async () => {
      const farm = await aPond();
      const worker = await aMember(farm, 'OPERATOR');
      const phone = await aPhone(worker);
      await farm.alarm();
      const changed = await app.call('PUT', '/users/me', {
        token: worker.token,
        body: { password: 'tilapia-456' },
      });
      expect(changed.status).toBe(200);
      await refused(farm, phone, [401, 'ACTION_SIGNED_OUT']);
      const before = phone.messages().length;
      app.clock.advance(2 * HOUR);
      await farm.alarm({ dissolved_oxygen: 1.1 });
      expect(phone.messages().length).toBeGreaterThan(before);
      expect(phone.offered()).toEqual([]);
    });

    it('once the person is no longer on the farm, or only reads there', async () => {
      const farm = await aPond();
      const [gone, reader] = [await aMember(farm, 'OPERATOR'), await aMember(farm, 'OPERATOR')];
      const [ofGone, ofReader] = [await aPhone(gone), await aPhone(reader)];
      await farm.alarm();
      await farm.call('DELETE', `/farms/${farm.farmId}/members/${gone.user.id}`);
      await joinFarm(app, { token: farm.owner.token, farmId: farm.farmId }, reader, 'VIEWER');
      await refused(farm, ofGone, [403, 'FORBIDDEN']);
      await refused(farm, ofReader, [403, 'FORBIDDEN']);
    });

    it('while a technician works at the motor: locked out stays locked out, and the press can be made again later', async () => {
      const farm = await aPond();
      const phone = await aPhone(farm.owner);
      await farm.alarm();
      await farm.call('POST', `/control-points/${farm.point.id}/lock-out`, { reason: 'correia' });
      expect(codeOf(await phone.press('TURN_ON'))).toEqual([409, 'LOCKED_OUT']);
      expect(await farm.target()).toBe('OFF');
      await farm.call('DELETE', `/control-points/${farm.point.id}/lock-out`);
      expect((await phone.press('TURN_ON')).status).toBe(200);
      expect(await farm.target()).toBe('ON');
    });
  });
});
