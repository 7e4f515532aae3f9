import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aerator } from '#contract/resources/aerators.ts';
import { insert } from '#core/changes.ts';
import { type Reply, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import {
  type App,
  aControlPoint,
  aStaffedFarm,
  created,
  outcomeOf,
  refused,
  type StaffedFarm,
  writesOf,
} from '#test/staffed-farm.ts';

const NOBODYS = '01900000-0000-7000-8000-00000000dead';

onBothEngines('aerators', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  let pondId: string;
  let serial = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
    pondId = await aPond('V-01');
  });
  afterAll(() => app.close());

  const aPond = (cod: string) =>
    created(app.call('POST', '/ponds/', { token: place.owner.token, body: { farm_id: place.farmId, cod } }));
  const create = (body: Record<string, unknown> = {}, token = place.owner.token) => {
    serial += 1;
    const usual = { pond_id: pondId, name: 'Pá 1', device_id: `serial-${serial}`, power_kw: 1.5 };
    return app.call('POST', '/aerators/', { token, body: { ...usual, ...body } });
  };
  const get = (id: string, token = place.owner.token) => app.call('GET', `/aerators/${id}`, { token });
  const put = (id: string, body: unknown, token = place.owner.token, headers: Record<string, string> = {}) =>
    app.call('PUT', `/aerators/${id}`, { token, body, headers });
  const control = (id: string, body: unknown, token = place.owner.token) =>
    app.call('POST', `/aerators/${id}/control`, { token, body });
  const auditOf = async (id: string) => {
    const rows = await app.database.read
      .selectFrom('logs')
      .select(['action', 'user_id', 'entity_type', 'entity_name', 'farm_id', 'details'])
      .where('entity_id', '=', id)
      .orderBy('timestamp')
      .orderBy('id')
      .execute();
    return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details ?? 'null') as unknown }));
  };

  const outcome = (ask: () => Promise<Reply>) => outcomeOf(app, ask);

  describe('creating', () => {
    it('an aerator is off until somebody says otherwise, and its creation is in the log', async () => {
      const made = await create({ device_id: 'first', colour: 'red' });
      const { id } = made.body as { id: string };
      expect({ status: made.status, body: made.body, etag: made.headers.get('etag') }).toEqual({
        status: 201,
        etag: '"1"',
        body: {
          id: expect.any(String),
          pond_id: pondId,
          name: 'Pá 1',
          device_id: 'first',
          power_kw: 1.5,
          status: 'OFF',
          last_command_at: null,
          created_at: '2026-03-02T12:00:00.000Z',
          updated_at: null,
        },
      });
      expect(await auditOf(id)).toEqual([
        {
          action: 'create',
          user_id: place.owner.user.id,
          entity_type: 'AERATOR',
          entity_name: 'Pá 1',
          farm_id: place.farmId,
          details: { pond_id: pondId, device_id: 'first', power_kw: 1.5, status: 'OFF' },
        },
      ]);
    });

    it('takes watts and a lower-case status, and answers kilowatts and ON', async () => {
      const made = await create({ power_kw: undefined, power_watts: 735.5, status: 'on' });
      expect(made).toMatchObject({
        status: 201,
        body: { power_kw: 0.7355, status: 'ON', last_command_at: null },
      });
      expect(made.body).not.toHaveProperty('power_watts');
      expect((await create({ power_kw: 2, power_watts: 1 })).body).toMatchObject({ power_kw: 2 });
      expect((await create({ power_kw: undefined, power_watts: 1.1 })).body).toMatchObject({
        power_kw: 0.0011,
      });
    });

    it('a serial number is one of a kind in the instance; a deleted aerator frees it', async () => {
      const id = await created(create({ device_id: 'unique' }));
      expect(await outcome(() => create({ device_id: 'unique' }))).toEqual(refused(400, 'device_id'));
      const farPond = await created(
        app.call('POST', '/ponds/', {
          token: place.stranger.token,
          body: { farm_id: place.strangersFarmId, cod: 'S-1' },
        }),
      );
      expect(
        await outcome(() => create({ device_id: ' unique ', pond_id: farPond }, place.stranger.token)),
      ).toEqual(refused(400, 'device_id'));
      expect((await app.call('DELETE', `/aerators/${id}`, { token: place.owner.token })).status).toBe(204);
      expect((await create({ device_id: 'unique', pond_id: farPond }, place.stranger.token)).status).toBe(
        201,
      );
    });

    it('of two at once with one serial number one is made', async () => {
      const made = await Promise.all([create({ device_id: 'at once' }), create({ device_id: 'at once' })]);
      expect(made.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400]);
    });

    it('a chosen id is kept, a taken one is 409; the same Idempotency-Key makes one', async () => {
      const id = app.kernel.newId();
      expect(await created(create({ id }))).toBe(id);
      expect(await outcome(() => create({ id }))).toEqual(refused(409));
      const body = { pond_id: pondId, name: 'Once', device_id: 'once', power_kw: 1 };
      const once = () =>
        app.call('POST', '/aerators/', {
          token: place.owner.token,
          body,
          headers: { 'Idempotency-Key': 'aerator-once' },
        });
      expect((await once()).body).toEqual((await once()).body);
    });

    it.each([
      ['pond_id', { pond_id: undefined }],
      ['pond_id', { pond_id: 5 }],
      ['name', { name: '' }],
      ['name', { name: undefined }],
      ['device_id', { device_id: undefined }],
      ['device_id', { device_id: 'x'.repeat(256) }],
      ['power_kw', { power_kw: undefined }],
      ['power_kw', { power_kw: 0 }],
      ['power_kw', { power_kw: '1.5' }],
      ['power_kw', { power_kw: null }],
      ['power_watts', { power_kw: undefined, power_watts: -5 }],
      ['status', { status: 'RUNNING' }],
      ['status', { status: true }],
    ])('a wrong %s is 400 and names the field: %j', async (field, wrong) => {
      expect(await outcome(() => create(wrong))).toEqual(refused(400, field));
    });

    it('is for those who operate the farm; viewers and strangers are 403, an unknown pond is 404', async () => {
      for (const { token } of [place.manager, place.technician])
        expect((await create({}, token)).status).toBe(201);
      for (const { token } of [place.viewer, place.stranger])
        expect(await outcome(() => create({}, token))).toEqual(refused(403));
      expect(await outcome(() => create({ pond_id: NOBODYS }))).toEqual(refused(404));
    });
  });

  describe('reading', () => {
    it('members see an aerator, strangers get 404', async () => {
      const id = await created(create({ name: 'seen' }));
      for (const { token } of [place.owner, place.manager, place.technician, place.viewer])
        expect((await get(id, token)).body).toMatchObject({ id, name: 'seen' });
      expect(await outcome(() => get(id, place.stranger.token))).toEqual(refused(404));
      expect(await outcome(() => get(NOBODYS))).toEqual(refused(404));
      expect(await outcome(() => get('x'))).toEqual(refused(404));
    });

    it('the list is of one pond or of all, oldest first, longer than a chunk too', async () => {
      const bigPond = await aPond('big');
      const rows = Array.from({ length: 620 }, (_, n) => ({
        id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
        pond_id: bigPond,
        name: `A-${n}`,
        device_id: `big-${n}`,
        power_kw: 1,
        status: 'OFF' as const,
        last_command_at: null,
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      }));
      await app.kernel.commit({ changes: rows.map((row) => insert(aerator, row)), actor: null });
      const list = async (query: string, token = place.viewer.token) =>
        (
          (await app.call('GET', `/aerators/${query}`, { token })).body as { id: string; pond_id: string }[]
        ).map(({ id }) => id);
      const ids = rows.map(({ id }) => id);
      expect(await list(`?pond_id=${bigPond}`)).toEqual(ids);
      expect(await list(`?pond_id=${bigPond}&skip=498&limit=5`)).toEqual(ids.slice(498, 503));
      expect((await list('')).slice(0, 620)).toEqual(ids);
      expect(await list('', place.stranger.token)).not.toContain(ids[0]);
      expect(
        await outcome(() =>
          app.call('GET', `/aerators/?pond_id=${bigPond}`, { token: place.stranger.token }),
        ),
      ).toEqual(refused(404));
      expect(
        await outcome(() => app.call('GET', '/aerators/?pond_id=1', { token: place.owner.token })),
      ).toEqual(refused(400, 'pond_id'));
      await app.call('DELETE', `/ponds/${bigPond}`, { token: place.owner.token });
      expect(await list('')).not.toContain(ids[0]);
    });
  });

  describe('changing', () => {
    it('sets what was sent, status included, and logs old and new', async () => {
      const id = await created(create({ name: 'before', device_id: 'change-1' }));
      app.clock.advance(1000);
      const changed = await put(id, { name: 'after', power_watts: 2200, status: 'on', pond_id: NOBODYS });
      expect(changed).toMatchObject({
        status: 200,
        body: {
          id,
          pond_id: pondId,
          name: 'after',
          device_id: 'change-1',
          power_kw: 2.2,
          status: 'ON',
          last_command_at: null,
          updated_at: new Date(app.clock.now()).toISOString(),
        },
      });
      expect((await auditOf(id)).at(-1)).toMatchObject({
        action: 'update',
        entity_name: 'after',
        details: {
          before: { name: 'before', power_kw: 1.5, status: 'OFF' },
          after: { name: 'after', power_kw: 2.2, status: 'ON' },
        },
      });
    });

    it('an empty body, or the values it has, change and log nothing', async () => {
      const id = await created(create({ name: 'still', device_id: 'still' }));
      const before = await get(id);
      for (const body of [{}, { name: 'still', device_id: 'still', status: 'off' }]) {
        const writes = await writesOf(app);
        expect((await put(id, body)).body).toEqual(before.body);
        expect(await writesOf(app)).toBe(writes);
      }
    });

    it('refuses an outdated If-Match, a taken serial number and wrong values', async () => {
      const id = await created(create({ device_id: 'mine' }));
      await created(create({ device_id: 'theirs' }));
      expect((await put(id, { name: 'n' }, place.owner.token, { 'If-Match': '"1"' })).status).toBe(200);
      expect(await outcome(() => put(id, { name: 'm' }, place.owner.token, { 'If-Match': '"1"' }))).toEqual(
        refused(412),
      );
      expect(await outcome(() => put(id, { device_id: 'theirs' }))).toEqual(refused(400, 'device_id'));
      expect(await outcome(() => put(id, { power_kw: 0 }))).toEqual(refused(400, 'power_kw'));
      expect(await outcome(() => put(id, { status: 'idle' }))).toEqual(refused(400, 'status'));
      expect(await outcome(() => put(id, { name: 'x' }, place.viewer.token))).toEqual(refused(403));
      expect(await outcome(() => put(id, { name: 'x' }, place.stranger.token))).toEqual(refused(404));
      expect(await outcome(() => put(NOBODYS, { name: 'x' }))).toEqual(refused(404));
      expect((await put(id, { name: 'x' }, place.technician.token)).status).toBe(200);
    });
  });

  describe('deleting', () => {
    it('an aerator is gone and its end is in the log', async () => {
      const id = await created(create());
      expect(
        await outcome(() => app.call('DELETE', `/aerators/${id}`, { token: place.viewer.token })),
      ).toEqual(refused(403));
      expect(
        await outcome(() => app.call('DELETE', `/aerators/${id}`, { token: place.stranger.token })),
      ).toEqual(refused(404));
      app.clock.advance(1000);
      const gone = await app.call('DELETE', `/aerators/${id}`, { token: place.technician.token });
      expect({ status: gone.status, body: gone.body }).toEqual({ status: 204, body: '' });
      expect(await outcome(() => get(id))).toEqual(refused(404));
      expect(
        await outcome(() => app.call('DELETE', `/aerators/${id}`, { token: place.owner.token })),
      ).toEqual(refused(404));
      expect((await auditOf(id)).at(-1)).toMatchObject({
        action: 'delete',
        user_id: place.technician.user.id,
      });
    });
  });

  describe('switching', () => {
    it('records the state, when, and who', async () => {
      const id = await created(create({ name: 'Pá 7' }));
      app.clock.advance(5000);
      const at = new Date(app.clock.now()).toISOString();
      const on = await control(id, { status: 'on' }, place.technician.token);
      expect({ status: on.status, body: on.body }).toEqual({
        status: 200,
        body: { id, name: 'Pá 7', status: 'ON', last_command_at: at, control_point_id: null },
      });
      expect((await get(id)).body).toMatchObject({ status: 'ON', last_command_at: at });
      app.clock.advance(5000);
      await control(id, { status: 'OFF' });
      expect((await auditOf(id)).map(({ action, user_id }) => [action, user_id])).toEqual([
        ['create', place.owner.user.id],
        ['turn_on', place.technician.user.id],
        ['turn_off', place.owner.user.id],
      ]);
    });

    it('a wrong status is 400; viewers are 403, strangers 404', async () => {
      const id = await created(create());
      for (const body of [{}, { status: 'AUTO' }, { status: null }])
        expect(await outcome(() => control(id, body))).toEqual(refused(400, 'status'));
      expect(await outcome(() => control(id, { status: 'ON' }, place.viewer.token))).toEqual(refused(403));
      expect(await outcome(() => control(id, { status: 'ON' }, place.stranger.token))).toEqual(refused(404));
      expect(await outcome(() => control(NOBODYS, { status: 'ON' }))).toEqual(refused(404));
    });

    it("names the owner's control point that bears its device id, never another owner's", async () => {
      const own = await aControlPoint(app, {
        farm_id: place.farmId,
        owner_id: place.owner.user.id,
        cod: 'PC-01',
        device_id: 'relay-own',
      });
      await aControlPoint(app, {
        farm_id: place.strangersFarmId,
        owner_id: place.stranger.user.id,
        cod: 'PC-01',
        device_id: 'relay-foreign',
      });
      const switched = async (device_id: string) =>
        (await control(await created(create({ device_id })), { status: 'ON' })).body;
      expect(await switched('relay-own')).toMatchObject({ status: 'ON', control_point_id: own.id });
      expect(await switched('relay-foreign')).toMatchObject({ status: 'ON', control_point_id: null });
    });

    it('a technician of one farm cannot switch a control point of another farm of the owner', async () => {
      const second = await created(
        app.call('POST', '/farms/', { token: place.owner.token, body: { name: 'Oeste' } }),
      );
      await aControlPoint(app, {
        farm_id: second,
        owner_id: place.owner.user.id,
        cod: 'PC-West',
        device_id: 'relay-west',
      });
      const id = await created(create({ device_id: 'relay-west' }, place.technician.token));
      expect(await outcome(() => control(id, { status: 'ON' }, place.technician.token))).toEqual(
        refused(403),
      );
      expect((await control(id, { status: 'ON' })).status).toBe(200);
    });
  });
});
