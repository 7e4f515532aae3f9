import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
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

const UUID = /^[0-9a-f-]{36}$/;
const NOBODYS = '01900000-0000-7000-8000-00000000dead';

onBothEngines('ponds', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
  });
  afterAll(() => app.close());

  const create = (body: Record<string, unknown>, token = place.owner.token) =>
    app.call('POST', '/ponds/', { token, body: { farm_id: place.farmId, ...body } });
  const aPond = (cod: string) => created(create({ cod }));
  const get = (id: string, token = place.owner.token) => app.call('GET', `/ponds/${id}`, { token });
  const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    app.call('PUT', `/ponds/${id}`, { token: place.owner.token, body, headers });

  const outcome = (ask: () => Promise<Reply>) => outcomeOf(app, ask);

  describe('creating', () => {
    it('a pond with only farm and code has no dimensions and no aerators', async () => {
      const made = await create({ cod: 'V-01' });
      expect({ status: made.status, body: made.body, etag: made.headers.get('etag') }).toEqual({
        status: 201,
        etag: '"1"',
        body: {
          id: expect.stringMatching(UUID),
          numeric_id: expect.any(Number),
          farm_id: place.farmId,
          cod: 'V-01',
          pond_type: null,
          size_m2: null,
          depth_m: null,
          lat: null,
          lng: null,
          aerator_count: 0,
          control_point_id: null,
          created_at: '2026-03-02T12:00:00.000Z',
          updated_at: null,
          warnings: [],
        },
      });
    });

    it('keeps every field, decimals of the depth and any script in the code', async () => {
      const point = await aControlPoint(app, {
        farm_id: place.farmId,
        owner_id: place.owner.user.id,
        cod: 'PC-full',
        device_id: 'dev-full',
      });
      const fields = {
        cod: 'Viveiro Açaí 池 🦐',
        pond_type: 'NURSERY',
        size_m2: 2000,
        depth_m: 1.35,
        lat: '-3.7319',
        lng: '-38.5267',
        aerator_count: 4,
        control_point_id: point.id,
      };
      const id = await created(create({ ...fields, colour: 'green' }));
      const read = await get(id);
      expect(read.body).toMatchObject(fields);
      expect(read.body).not.toHaveProperty('colour');
    });

    it('a code that the farm has already is stored with a warning', async () => {
      await aPond('twin');
      const second = await create({ cod: 'twin' });
      expect(second).toMatchObject({ status: 201, body: { warnings: [{ code: 'DUPLICATE_COD' }] } });
    });

    it('the number beside the id is a positive integer that stays', async () => {
      const made = await create({ cod: 'numbered' });
      const { id, numeric_id } = made.body as { id: string; numeric_id: number };
      expect(Number.isSafeInteger(numeric_id) && numeric_id > 0).toBe(true);
      expect((await get(id)).body).toMatchObject({ numeric_id });
    });

    it('repeated with the same Idempotency-Key makes one pond; another body under that key is refused', async () => {
      const headers = { 'Idempotency-Key': 'pond-once' };
      const body = { farm_id: place.farmId, cod: 'once' };
      const first = await app.call('POST', '/ponds/', { token: place.owner.token, body, headers });
      const second = await app.call('POST', '/ponds/', { token: place.owner.token, body, headers });
      expect(second.body).toEqual(first.body);
      const list = (await app.call('GET', `/ponds/?farm_id=${place.farmId}`, { token: place.owner.token }))
        .body;
      expect((list as { cod: string }[]).filter(({ cod }) => cod === 'once')).toHaveLength(1);
      const other = { ...body, cod: 'twice' };
      expect(
        await outcome(() => app.call('POST', '/ponds/', { token: place.owner.token, body: other, headers })),
      ).toEqual(refused(422));
    });

    it('a chosen id is kept; a taken one is 409, even of a deleted pond', async () => {
      const id = app.kernel.newId();
      expect(await created(create({ id, cod: 'chosen' }))).toBe(id);
      expect(await outcome(() => create({ id, cod: 'again' }))).toEqual(refused(409));
      await app.call('DELETE', `/ponds/${id}`, { token: place.owner.token });
      expect(await outcome(() => create({ id, cod: 'again' }))).toEqual(refused(409));
    });

    it.each([
      ['farm_id', { farm_id: undefined }],
      ['farm_id', { farm_id: 'farm' }],
      ['cod', { cod: undefined }],
      ['cod', { cod: '  ' }],
      ['cod', { cod: 7 }],
      ['cod', { cod: 'x'.repeat(256) }],
      ['pond_type', { pond_type: 'LAKE' }],
      ['size_m2', { size_m2: 0 }],
      ['size_m2', { size_m2: 10.5 }],
      ['size_m2', { size_m2: '2000' }],
      ['size_m2', { size_m2: 1e300 }],
      ['depth_m', { depth_m: 0 }],
      ['depth_m', { depth_m: -1 }],
      ['lat', { lat: 'north' }],
      ['lat', { lat: '91' }],
      ['lng', { lng: '-180.1' }],
      ['aerator_count', { aerator_count: -1 }],
      ['aerator_count', { aerator_count: 1.5 }],
      ['control_point_id', { control_point_id: 'PC-1' }],
      ['control_point_id', { control_point_id: NOBODYS }],
      ['id', { id: '1' }],
    ])('a wrong %s is 400 and names the field: %j', async (field, wrong) => {
      expect(await outcome(() => create({ cod: 'wrong', ...wrong }))).toEqual(refused(400, field));
    });

    it('a body that is no object is 400', async () => {
      for (const body of ['[]', '{', 'null', '"x"'])
        expect(
          await outcome(() => app.call('POST', '/ponds/', { token: place.owner.token, body })),
        ).toMatchObject({ status: 400, writes: 0 });
    });

    it('a control point of another farm is 400', async () => {
      const point = await aControlPoint(app, {
        farm_id: place.strangersFarmId,
        owner_id: place.stranger.user.id,
        cod: 'PC-far',
        device_id: 'dev-far',
      });
      expect(await outcome(() => create({ cod: 'far', control_point_id: point.id }))).toEqual(
        refused(400, 'control_point_id'),
      );
    });

    it('is for the owner and managers; strangers are 403, an unknown farm is 404', async () => {
      expect((await create({ cod: 'by manager' }, place.manager.token)).status).toBe(201);
      for (const { token } of [place.technician, place.viewer, place.stranger])
        expect(await outcome(() => create({ cod: 'refused' }, token))).toEqual(refused(403));
      expect(await outcome(() => create({ cod: 'refused', farm_id: NOBODYS }))).toEqual(refused(404));
      expect(
        await outcome(() => app.call('POST', '/ponds/', { body: { farm_id: place.farmId, cod: 'x' } })),
      ).toEqual(refused(401));
    });
  });

  describe('reading', () => {
    it('members of the farm see a pond; strangers and bad ids are 404', async () => {
      const id = await aPond('seen');
      for (const { token } of [place.owner, place.manager, place.technician, place.viewer])
        expect((await get(id, token)).body).toMatchObject({ id, cod: 'seen' });
      expect(await outcome(() => get(id, place.stranger.token))).toEqual(refused(404));
      expect(await outcome(() => get(NOBODYS))).toEqual(refused(404));
      expect(await outcome(() => get('seen'))).toEqual(refused(404));
    });

    it('the list holds the ponds of owned and joined farms, of one farm when asked', async () => {
      const mine = await created(
        app.call('POST', '/ponds/', {
          token: place.stranger.token,
          body: { farm_id: place.strangersFarmId, cod: 'south' },
        }),
      );
      const list = async (query: string, token: string) =>
        ((await app.call('GET', `/ponds/${query}`, { token })).body as { id: string; farm_id: string }[]).map(
          ({ farm_id }) => farm_id,
        );
      expect(new Set(await list('', place.viewer.token))).toEqual(new Set([place.farmId]));
      expect(await list('', place.stranger.token)).toEqual([place.strangersFarmId]);
      expect(new Set(await list(`?farm_id=${place.farmId}`, place.viewer.token))).toEqual(
        new Set([place.farmId]),
      );
      expect(
        await outcome(() =>
          app.call('GET', `/ponds/?farm_id=${place.farmId}`, { token: place.stranger.token }),
        ),
      ).toEqual(refused(404));
      expect(
        await outcome(() => app.call('GET', '/ponds/?farm_id=north', { token: place.owner.token })),
      ).toEqual(refused(400, 'farm_id'));
      expect(await outcome(() => app.call('GET', '/ponds/?limit=0', { token: place.owner.token }))).toEqual(
        refused(400, 'limit'),
      );
      await app.call('DELETE', `/ponds/${mine}`, { token: place.stranger.token });
    });

    it('a list longer than a chunk comes whole and in order; skip and limit cut it', async () => {
      const row: RowOf<typeof farm> = {
        id: app.kernel.newId(),
        name: 'Big',
        description: null,
        owner_id: place.owner.user.id,
        address_id: null,
        lat: null,
        lng: null,
        timezone: 'America/Fortaleza',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      };
      const ponds = Array.from({ length: 1003 }, (_, n) => ({
        id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
        numeric_id: n + 1,
        farm_id: row.id,
        cod: `B-${n}`,
        pond_type: null,
        size_m2: null,
        depth_m: null,
        lat: null,
        lng: null,
        aerator_count: 0,
        control_point_id: null,
        // equal instants on both sides of the chunk's end
        created_at: `2026-03-01T12:00:00.${String(Math.floor(n / 7)).padStart(3, '0')}Z`,
        updated_at: null,
      }));
      await app.kernel.commit({
        changes: [insert(farm, row), ...ponds.map((one) => insert(pond, one))],
        actor: null,
      });
      const list = async (query: string) =>
        (
          (await app.call('GET', `/ponds/?farm_id=${row.id}${query}`, { token: place.owner.token })).body as {
            cod: string;
          }[]
        ).map(({ cod }) => cod);
      const all = ponds.map(({ cod }) => cod);
      expect(await list('')).toEqual(all);
      expect(await list('&skip=495&limit=510')).toEqual(all.slice(495, 1005));
      expect(await list('&skip=2000')).toEqual([]);
      await app.call('DELETE', `/farms/${row.id}`, { token: place.owner.token });
      expect((await app.call('GET', `/ponds/?farm_id=${row.id}`, { token: place.owner.token })).status).toBe(
        404,
      );
    });
  });

  describe('changing', () => {
    it('sets what was sent and leaves the rest; null clears', async () => {
      const point = await aControlPoint(app, {
        farm_id: place.farmId,
        owner_id: place.owner.user.id,
        cod: 'PC-put',
        device_id: 'dev-put',
      });
      const id = await created(create({ cod: 'before', size_m2: 900, depth_m: 1.2 }));
      app.clock.advance(1000);
      const changed = await put(id, {
        cod: 'after',
        depth_m: null,
        control_point_id: point.id,
        farm_id: NOBODYS,
      });
      expect(changed).toMatchObject({
        status: 200,
        body: {
          id,
          farm_id: place.farmId,
          cod: 'after',
          size_m2: 900,
          depth_m: null,
          control_point_id: point.id,
          updated_at: new Date(app.clock.now()).toISOString(),
          warnings: [{ code: 'NOT_CHANGED', message: expect.stringMatching(/^farm_id: not changed/) }],
        },
      });
      expect((await put(id, { control_point_id: null })).body).toMatchObject({ control_point_id: null });
    });

    it('an empty body, or the values it has, change nothing', async () => {
      const id = await aPond('still');
      const before = await get(id);
      for (const body of [{}, { cod: 'still', lat: null }, { colour: 'green' }]) {
        const writes = await writesOf(app);
        const same = await put(id, body);
        expect(same.body).toEqual({ ...(before.body as object), warnings: [] });
        expect(same.headers.get('etag')).toBe('"1"');
        expect(await writesOf(app)).toBe(writes);
      }
    });

    it('an outdated If-Match is 412; the current one passes', async () => {
      const id = await aPond('matched');
      expect((await put(id, { cod: 'm1' }, { 'If-Match': '"1"' })).headers.get('etag')).toBe('"2"');
      expect(await outcome(() => put(id, { cod: 'm2' }, { 'If-Match': '"1"' }))).toEqual(refused(412));
      expect(await outcome(() => put(id, { cod: 'm2' }, { 'If-Match': '"nonsense"' }))).toEqual(refused(412));
      expect((await get(id)).headers.get('etag')).toBe('"2"');
    });

    it('warns of a code that repeats, and refuses wrong values with 400', async () => {
      await aPond('taken');
      const id = await aPond('free');
      expect((await put(id, { cod: 'taken' })).body).toMatchObject({ warnings: [{ code: 'DUPLICATE_COD' }] });
      expect(await outcome(() => put(id, { cod: null }))).toEqual(refused(400, 'cod'));
      expect(await outcome(() => put(id, { aerator_count: null }))).toEqual(refused(400, 'aerator_count'));
      expect(await outcome(() => put(id, { size_m2: -3 }))).toEqual(refused(400, 'size_m2'));
      expect(await outcome(() => put(id, { control_point_id: NOBODYS }))).toEqual(
        refused(400, 'control_point_id'),
      );
    });

    it('is for the owner and managers; small roles are 403, strangers 404', async () => {
      const id = await aPond('guarded');
      const by = (token: string) => app.call('PUT', `/ponds/${id}`, { token, body: { cod: 'mine' } });
      for (const { token } of [place.technician, place.viewer])
        expect(await outcome(() => by(token))).toEqual(refused(403));
      expect(await outcome(() => by(place.stranger.token))).toEqual(refused(404));
      expect(await outcome(() => put(NOBODYS, { cod: 'x' }))).toEqual(refused(404));
      expect((await by(place.manager.token)).status).toBe(200);
    });

    it('two people at once: both changes count', async () => {
      const id = await aPond('shared');
      await Promise.all([put(id, { size_m2: 10 }), put(id, { depth_m: 2 }), put(id, { aerator_count: 3 })]);
      expect((await get(id)).body).toMatchObject({ size_m2: 10, depth_m: 2, aerator_count: 3 });
    });
  });

  describe('deleting', () => {
    it('hides the pond and its aerators, and frees their serial numbers', async () => {
      const id = await aPond('doomed');
      const body = { pond_id: id, name: 'A', device_id: 'doomed-1', power_kw: 1.5 };
      const aeratorId = await created(app.call('POST', '/aerators/', { token: place.owner.token, body }));
      const gone = await app.call('DELETE', `/ponds/${id}?force=true`, { token: place.owner.token });
      expect({ status: gone.status, body: gone.body }).toEqual({ status: 204, body: '' });
      expect((await get(id)).status).toBe(404);
      expect((await app.call('GET', `/aerators/${aeratorId}`, { token: place.owner.token })).status).toBe(
        404,
      );
      expect(await outcome(() => app.call('DELETE', `/ponds/${id}`, { token: place.owner.token }))).toEqual(
        refused(404),
      );
      const other = { ...body, pond_id: await aPond('next') };
      expect((await app.call('POST', '/aerators/', { token: place.owner.token, body: other })).status).toBe(
        201,
      );
      const deleted = await app.database.read
        .selectFrom('logs')
        .select(['action', 'user_id'])
        .where('entity_id', '=', aeratorId)
        .where('action', '=', 'delete')
        .execute();
      expect(deleted).toEqual([{ action: 'delete', user_id: place.owner.user.id }]);
    });

    it('is for the owner and managers; small roles are 403, strangers 404', async () => {
      const id = await aPond('kept');
      const by = (token: string) => app.call('DELETE', `/ponds/${id}`, { token });
      for (const { token } of [place.technician, place.viewer])
        expect(await outcome(() => by(token))).toEqual(refused(403));
      expect(await outcome(() => by(place.stranger.token))).toEqual(refused(404));
      expect((await by(place.manager.token)).status).toBe(204);
    });

    it('an aerator created at the same moment is either refused or hidden with the pond', async () => {
      for (let n = 0; n < 4; n += 1) {
        const id = await aPond(`race-${n}`);
        const body = { pond_id: id, name: 'A', device_id: `race-${n}`, power_kw: 1 };
        const [made] = await Promise.all([
          app.call('POST', '/aerators/', { token: place.owner.token, body }),
          app.call('DELETE', `/ponds/${id}`, { token: place.owner.token }),
        ]);
        expect([201, 404]).toContain(made.status);
        const left = await app.database.read
          .selectFrom('aerators')
          .select('id')
          .where('pond_id', '=', id)
          .where('hidden', '=', 0)
          .execute();
        expect(left).toEqual([]);
      }
    });
  });
});
