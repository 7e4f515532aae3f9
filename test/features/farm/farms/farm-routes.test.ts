import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { type App, aControlPoint, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const DAY = 86_400_000;

onBothEngines('farms', (_open, engine) => {
  let app: App;
  let token: string;
  let userId: string;
  let email: string;
  beforeAll(async () => {
    app = await startApp(engine);
    const ana = await app.signUp();
    token = ana.token;
    userId = ana.user.id;
    email = ana.user.email;
  });
  afterAll(() => app.close());

  const create = (fields: Record<string, unknown> = {}, headers = {}) =>
    app.call('POST', '/farms/', { token, body: { name: 'Norte', ...fields }, headers });
  const anAddress = { street: 'Rua A', number: 10, city: 'Manaus', state: 'am', zip_code: '69000000' };
  const countOf = async (table: 'farms' | 'addresses') =>
    (await app.database.read.selectFrom(table).select('id').execute()).length;

  it('are created by both forms and listed oldest first', async () => {
    const first = await create({ description: 'by the river', lat: '-3.7319', lng: '-38.5267' });
    expect(first.status).toBe(201);
    expect(first.headers.get('etag')).toBe('"1"');
    expect(body(first)).toMatchObject({
      owner_id: userId,
      lat: '-3.7319',
      timezone: 'America/Fortaleza',
      updated_at: null,
    });
    app.clock.advance(1_000);
    const second = await app.call('POST', `/farms/${userId}`, {
      token,
      body: { name: 'Sul', address: anAddress },
    });
    expect(second.status).toBe(201);
    expect(body(second)).toMatchObject({ name: 'Sul', timezone: 'America/Manaus' });
    const address = await app.call('GET', `/addresses/${String(body(second)['address_id'])}`, { token });
    expect(body(address)).toMatchObject({ zip_code: '69000-000', state: 'AM', country: 'Brazil' });
    const list = await app.call('GET', '/farms', { token });
    expect((list.body as { name: string }[]).map(({ name }) => name)).toEqual(['Norte', 'Sul']);
  });

  it('of another user are for an ADMIN to create', async () => {
    const other = await app.signUp();
    const before = await countOf('farms');
    const refused = await app.call('POST', `/farms/${userId}`, {
      token: other.token,
      body: { name: 'Mine now' },
    });
    expect(refused.status).toBe(403);
    expect(await countOf('farms')).toBe(before);
    const admin = await app.signUp({ role: 'ADMIN' });
    const made = await app.call('POST', `/farms/${userId}`, { token: admin.token, body: { name: 'Leste' } });
    expect(body(made)).toMatchObject({ owner_id: userId, name: 'Leste' });
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a name of blanks', { name: '   ' }, 'name'],
    ['a name that is a number', { name: 7 }, 'name'],
    ['a latitude of 91', { lat: '91' }, 'lat'],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['the address of nobody', { address_id: '01900000-0000-7000-8000-0000000000ff' }, 'address_id'],
  ])('with %s are refused, and nothing is stored', async (_what, fields, path) => {
    const before = await countOf('farms');
    const refused = await create(fields);
    expect(refused.status).toBe(422);
    expect(body(refused)['errors']).toMatchObject([{ path }]);
    expect(await countOf('farms')).toBe(before);
  });

  it('are created once under one idempotency key, and not at all under a key used for something else', async () => {
    const headers = { 'Idempotency-Key': 'pond-side-tablet-1' };
    const first = await create({ name: 'Once' }, headers);
    const again = await create({ name: 'Once' }, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await create({ name: 'Other' }, headers)).status).toBe(422);
    const list = (await app.call('GET', '/farms/', { token })).body as { name: string }[];
    expect(list.filter(({ name }) => name === 'Once')).toHaveLength(1);
    expect(list.filter(({ name }) => name === 'Other')).toHaveLength(0);
  });

  it('change by what is sent; nothing sent changes nothing; an outdated If-Match is refused', async () => {
    const made = body(await create({ name: 'Oeste' }));
    const path = `/farms/${String(made['id'])}`;
    const changed = await app.call('PUT', path, {
      token,
      body: { description: 'new' },
      headers: { 'If-Match': '"1"' },
    });
    expect(body(changed)).toMatchObject({ name: 'Oeste', description: 'new' });
    expect(changed.headers.get('etag')).toBe('"2"');
    const same = await app.call('PUT', path, { token, body: {} });
    expect(same.body).toEqual(changed.body);
    const late = await app.call('PUT', path, { token, body: { name: 'X' }, headers: { 'If-Match': '"1"' } });
    expect(late.status).toBe(412);
    expect(body(await app.call('GET', path, { token }))['name']).toBe('Oeste');
  });

  it('disappear with all that is on them, free their codes, and their controllers get 404', async () => {
    const made = body(await create({ name: 'Gone' }));
    const farmId = String(made['id']);
    const point = await aControlPoint(app, { token, farmId, cod: 'CP-GONE' });
    const pond = body(await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } }));
    expect((await app.call('DELETE', `/farms/${farmId}`, { token })).status).toBe(204);
    for (const path of [`/farms/${farmId}`, `/ponds/${String(pond['id'])}`, `/control-points/${point.id}`]) {
      expect((await app.call('GET', path, { token })).status).toBe(404);
    }
    const heartbeat = { device_id: point.device_id, current_status: 'ON' };
    expect((await app.call('POST', '/devices/heartbeat', { body: heartbeat })).status).toBe(404);
    const other = body(await create({ name: 'Reborn' }));
    const reused = await app.call('POST', '/control-points/', {
      token,
      body: { farm_id: other['id'], cod: 'CP-GONE', device_id: point.device_id, target_status: 'OFF' },
    });
    expect(reused.status).toBe(201);
  });

  it('of somebody else are not there', async () => {
    const made = body(await create({ name: 'Private' }));
    const other = await app.signUp();
    for (const [method, sent] of [['GET'], ['PUT', { name: 'X' }], ['DELETE']] as const) {
      const reply = await app.call(method, `/farms/${String(made['id'])}`, {
        token: other.token,
        body: sent,
      });
      expect(reply.status).toBe(404);
    }
    expect((await app.call('GET', `/farms/${String(made['id'])}`, { token })).status).toBe(200);
  });

  it('of which one is deleted while a pond is created on it end with no pond on a deleted farm', async () => {
    const made = body(await create({ name: 'Race' }));
    const farmId = String(made['id']);
    const [pond] = await Promise.all([
      app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-9' } }),
      app.call('DELETE', `/farms/${farmId}`, { token }),
    ]);
    expect([201, 403, 404]).toContain(pond.status);
    const visible = await app.database.read
      .selectFrom('ponds')
      .select('id')
      .where('farm_id', '=', farmId)
      .where('hidden', '=', 0)
      .execute();
    expect(visible).toEqual([]);
  });

  describe('that were deleted', () => {
    const deleted = async (by = token) =>
      (await app.call('GET', '/farms/deleted', { token: by })).body as { id: string; name: string }[];
    const later = async (ms: number) => {
      app.clock.advance(ms);
      const login = await app.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } });
      token = String(body(login)['access_token']);
    };
    const bringBack = (id: string, by = token) => app.call('POST', `/farms/${id}/restore`, { token: by });
    const gone = async (name: string) => {
      const farmId = String(body(await create({ name }))['id']);
      const point = await aControlPoint(app, { token, farmId, target_status: 'ON' });
      const { body: pond } = await app.call('POST', '/ponds/', {
        token,
        body: { farm_id: farmId, cod: 'V-1' },
      });
      expect((await app.call('DELETE', `/farms/${farmId}`, { token })).status).toBe(204);
      return { farmId, point, pondId: String((pond as { id: string }).id) };
    };

    it('come back within 30 days, by their owner alone, with what was deleted with them', async () => {
      const { farmId, point, pondId } = await gone('Regretted');
      expect((await deleted()).find(({ id }) => id === farmId)).toEqual({
        id: farmId,
        name: 'Regretted',
        deleted_at: isoOf(app.clock.now()),
        restorable_until: isoOf(app.clock.now() + 30 * DAY),
      });
      const other = await app.signUp();
      expect(await deleted(other.token)).toEqual([]);
      expect((await bringBack(farmId, other.token)).status).toBe(404);
      await later(30 * DAY - 1);
      const back = await bringBack(farmId);
      expect([back.status, body(back)['name']]).toEqual([200, 'Regretted']);
      expect((await bringBack(farmId)).status).toBe(404);
      expect((await deleted()).map(({ id }) => id)).not.toContain(farmId);
      expect((await app.call('GET', `/ponds/${pondId}`, { token })).status).toBe(200);
      const known = await app.call('GET', `/control-points/${point.id}`, { token });
      expect(body(known)).toMatchObject({ target_status: 'ON', device_id: point.device_id });
      await expect
        .poll(() => app.control.registry.byDeviceId(point.device_id)[0]?.row.target_status)
        .toBe('ON');
      const { body: acts } = await app.call('GET', `/logs/farms/${farmId}`, { token });
      expect(acts).toMatchObject([
        { action: 'restore', user_id: userId },
        { action: 'delete', user_id: userId },
      ]);
    });

    it('stay away after 30 days', async () => {
      const { farmId } = await gone('Forgotten');
      await later(30 * DAY);
      expect((await deleted()).map(({ id }) => id)).not.toContain(farmId);
      expect((await bringBack(farmId)).status).toBe(404);
    });

    it('do not take a controller away from the farm that has it now', async () => {
      const { farmId, point } = await gone('Moved');
      const now = String(body(await create({ name: 'New place' }))['id']);
      const again = await app.call('POST', '/control-points/', {
        token,
        body: { farm_id: now, cod: 'CP-AGAIN', device_id: point.device_id, target_status: 'OFF' },
      });
      expect(again.status).toBe(201);
      const refused = await bringBack(farmId);
      expect([refused.status, body(refused)['code']]).toEqual([409, 'ALREADY_EXISTS']);
      expect(body(refused)['detail']).toContain(point.device_id);
      expect((await app.call('GET', `/farms/${farmId}`, { token })).status).toBe(404);
      expect(app.control.registry.byDeviceId(point.device_id)[0]?.row.farm_id).toBe(now);
      await app.call('DELETE', `/control-points/${String(body(again)['id'])}`, { token });
      expect((await bringBack(farmId)).status).toBe(200);
    });
  });
});
