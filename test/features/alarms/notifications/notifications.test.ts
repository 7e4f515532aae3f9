import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { notifyQueries } from '#adapters/sql/queries/alarms/notifications.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { notification } from '#contract/resources/notifications.ts';
import { user } from '#contract/resources/users.ts';
import type { NotificationType } from '#contract/words.ts';
import { insert, remove, update } from '#core/changes.ts';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, aStaffedFarm, type StaffedFarm, writesOf } from '#test/staffed-farm.ts';

const NOBODYS = '01900000-0000-7000-8000-00000000dead';
type Page = { notifications: { id: string; title: string; is_read: boolean }[]; pagination: object };

onBothEngines('notifications', (_open, engine) => {
  let app: App;
  let reader: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    reader = await app.signUp();
  });

  /** Stores `count` notifications, one a second from noon on; titles count from 0. */
  async function tell(
    count: number,
    fields: { type?: NotificationType; userId?: string } = {},
  ): Promise<string[]> {
    const rows = Array.from({ length: count }, (_, n) => ({
      id: app.kernel.newId(),
      user_id: fields.userId ?? reader.user.id,
      farm_id: null,
      type: fields.type ?? ('ALERT' as const),
      title: `${fields.type ?? 'ALERT'} ${n}`,
      message: 'Oxigênio baixo no viveiro 3',
      data: { pond_cod: 'V-03', value: 2.1 },
      is_read: false,
      read_at: null,
      created_at: new Date(Date.UTC(2026, 2, 2, 12, 0, n)).toISOString(),
    }));
    await app.kernel.commit({ changes: rows.map((row) => insert(notification, row)), actor: null });
    return rows.map(({ id }) => id);
  }
  const get = (query = '', token = reader.token) => app.call('GET', `/notifications/${query}`, { token });
  const pageOf = async (query = '') => (await get(query)).body as Page;
  const read = (id: string, token = reader.token) =>
    app.call('PATCH', `/notifications/${id}/read`, { token });

  describe('the list', () => {
    it('of somebody who was told nothing is empty', async () => {
      expect(await get()).toMatchObject({
        status: 200,
        body: {
          notifications: [],
          pagination: {
            page: 1,
            page_size: 20,
            total_items: 0,
            total_pages: 0,
            has_next: false,
            has_previous: false,
          },
        },
      });
    });

    it('comes newest first in pages, with what each says', async () => {
      const ids = await tell(45);
      await tell(3, { userId: (await app.signUp()).user.id });
      const page = await pageOf('?page=2&page_size=20');
      expect(page.pagination).toEqual({
        page: 2,
        page_size: 20,
        total_items: 45,
        total_pages: 3,
        has_next: true,
        has_previous: true,
      });
      expect(page.notifications.map(({ id }) => id)).toEqual([...ids].reverse().slice(20, 40));
      expect(page.notifications[0]).toEqual({
        id: ids[24],
        user_id: reader.user.id,
        type: 'ALERT',
        title: 'ALERT 24',
        message: 'Oxigênio baixo no viveiro 3',
        data: { pond_cod: 'V-03', value: 2.1 },
        is_read: false,
        created_at: '2026-03-02T12:00:24.000Z',
        read_at: null,
        farm_id: null,
      });
      expect((await pageOf('?page=3')).pagination).toMatchObject({ has_next: false, has_previous: true });
      const beyond = await pageOf('?page=9');
      expect(beyond).toMatchObject({
        notifications: [],
        pagination: { page: 9, total_pages: 3, has_next: false },
      });
    });

    it('is paged by skip and limit as every other list is, and says which page that is', async () => {
      const ids = (await tell(45)).reverse();
      const idsIn = async (query: string) => (await pageOf(query)).notifications.map(({ id }) => id);
      expect(await idsIn('?skip=40')).toEqual(ids.slice(40));
      expect(await idsIn('?limit=10000')).toEqual(ids);
      expect(await idsIn('?page=2&limit=10')).toEqual(ids.slice(10, 20));
      expect(await idsIn('?skip=45')).toEqual([]);
      const { notifications, pagination } = await pageOf('?skip=15&limit=10&page=9&page_size=3');
      expect(notifications.map(({ id }) => id)).toEqual(ids.slice(15, 25));
      expect(pagination).toEqual({
        page: 2,
        page_size: 10,
        total_items: 45,
        total_pages: 5,
        has_next: true,
        has_previous: true,
      });
    });

    it('however long comes whole, row for row', async () => {
      const ids = (await tell(1_100)).reverse();
      const whole = await pageOf('?skip=40&limit=1050');
      expect(whole.notifications.map(({ id }) => id)).toEqual(ids.slice(40, 1_090));
    });

    it('holds one type, or the unread only, when asked', async () => {
      const [first = ''] = await tell(2);
      await tell(1, { type: 'SYSTEM' });
      await read(first);
      const titles = async (query: string) =>
        (await pageOf(query)).notifications.map(({ title }) => title).sort();
      expect(await titles('?type=SYSTEM')).toEqual(['SYSTEM 0']);
      expect(await titles('?type=PAYMENT')).toEqual([]);
      expect(await titles('?unread_only=true')).toEqual(['ALERT 1', 'SYSTEM 0']);
      expect(await titles('?unread_only=true&type=ALERT')).toEqual(['ALERT 1']);
      expect(await titles('?unread_only=false')).toHaveLength(3);
    });

    it.each([
      'page=0',
      'page=-1',
      'page=1.5',
      'page=x',
      'page_size=0',
      'page_size=101',
      'skip=-1',
      'limit=0',
      'limit=10001',
      'type=tsunami',
      'unread_only=maybe',
    ])('?%s is 422 and names the parameter', async (query) => {
      const reply = await get(`?${query}`);
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ path: query.split('=')[0] }] } });
    });

    it('needs a token', async () => {
      expect((await app.call('GET', '/notifications/')).status).toBe(401);
    });
  });

  describe('reading', () => {
    it('sets when it was read, once', async () => {
      const [id = ''] = await tell(1);
      app.clock.advance(60_000);
      const at = new Date(app.clock.now()).toISOString();
      expect(await read(id)).toMatchObject({ status: 200, body: { id, is_read: true, read_at: at } });
      app.clock.advance(60_000);
      expect((await read(id)).body).toEqual({ id, is_read: true, read_at: at });
    });

    it("somebody else's is 404, and stays unread", async () => {
      const [id = ''] = await tell(1);
      const other = await app.signUp();
      const before = await writesOf(app);
      for (const wrong of [id, NOBODYS, 'x']) expect((await read(wrong, other.token)).status).toBe(404);
      expect(await writesOf(app)).toBe(before);
      expect((await pageOf()).notifications).toMatchObject([{ id, is_read: false }]);
    });

    it('all at once counts what was unread, more than a slice too, and touches nobody else', async () => {
      const ids = await tell(450);
      await read(ids[0] ?? '');
      const other = await app.signUp();
      await tell(1, { userId: other.user.id });
      const all = () => app.call('POST', '/notifications/mark-all-read', { token: reader.token });
      expect(await all()).toMatchObject({
        status: 200,
        body: { message: '449 notifications marked as read', updated_count: 449 },
      });
      expect((await pageOf('?unread_only=true')).notifications).toEqual([]);
      expect((await all()).body).toEqual({ message: '0 notifications marked as read', updated_count: 0 });
      expect(
        (await app.call('GET', '/notifications/unread/count', { token: other.token })).body,
      ).toMatchObject({
        unread_count: 1,
      });
    });

    it('the unread are counted by type, zeros included', async () => {
      const [id = ''] = await tell(3);
      await tell(2, { type: 'PAYMENT' });
      await read(id);
      const counts = await app.call('GET', '/notifications/unread/count', { token: reader.token });
      expect(counts).toMatchObject({
        status: 200,
        body: { unread_count: 4, by_type: { ALERT: 2, SYSTEM: 0, SUBSCRIPTION: 0, PAYMENT: 2 } },
      });
    });
  });

  describe('telling a farm', () => {
    let place: StaffedFarm;
    beforeAll(async () => {
      place = await aStaffedFarm(app);
    });
    const notify = async (cause: string) => {
      const changes = await app.notify(
        { farmId: place.farmId, who: 'operators' },
        {
          type: 'ALERT',
          title: (language) => (language === 'en' ? 'Low oxygen' : 'Oxigênio baixo'),
          message: (language) =>
            language === 'en' ? 'Pond V-01 has 2.1 mg/L' : 'O viveiro V-01 está com 2,1 mg/L',
          data: { pond_cod: 'V-01' },
          cause,
        },
      );
      await app.kernel.commit({ changes, actor: null });
    };
    const told = async ({ token }: SignedUp) =>
      ((await get('', token)).body as Page).notifications.map(({ title }) => title);

    it('reaches the owner and those who may act, in their language, once per cause', async () => {
      await app.kernel.commit({
        changes: [update(user, place.manager.user.id, { language: 'en' })],
        actor: null,
      });
      await notify('low_oxygen:1');
      await notify('low_oxygen:1');
      expect(await told(place.owner)).toEqual(['Oxigênio baixo']);
      expect(await told(place.manager)).toEqual(['Low oxygen']);
      expect(await told(place.technician)).toEqual(['Oxigênio baixo']);
      expect(await told(place.viewer)).toEqual([]);
      expect(await told(place.stranger)).toEqual([]);
      await notify('low_oxygen:2');
      expect(await told(place.owner)).toHaveLength(2);
    });

    it('leaves out accounts that are switched off and members who left', async () => {
      const membership = await app.database.read
        .selectFrom('farm_members')
        .select('id')
        .where('user_id', '=', place.technician.user.id)
        .executeTakeFirstOrThrow();
      await app.kernel.commit({
        changes: [
          update(user, place.manager.user.id, { is_active: false }),
          remove(farmMember, membership.id),
        ],
        actor: null,
      });
      const readers = await notifyQueries(app.database.read).operatorsOf(place.farmId);
      expect(readers).toEqual([{ userId: place.owner.user.id, language: null }]);
    });
  });
});
