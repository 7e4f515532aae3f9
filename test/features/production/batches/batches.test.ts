import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pond } from '#contract/resources/ponds.ts';
import { remove } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { aBatch, aPondToStock, type StockedPond, stocking, warned } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import {
  type App,
  aStaffedFarm,
  created,
  outcomeOf,
  refused,
  type StaffedFarm,
  writesOf,
} from '#test/staffed-farm.ts';

const NOBODYS = '01900000-0000-7000-8000-00000000dead';

onBothEngines('batches', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const create = (fields: Record<string, unknown> = {}, token = farm.token, headers = {}) =>
    app.call('POST', '/batches/', { token, body: stocking(farm.pondId, fields), headers });
  const get = (id: string, token = farm.token) => app.call('GET', `/batches/${id}`, { token });
  const put = (id: string, sent: unknown, headers = {}) =>
    app.call('PUT', `/batches/${id}`, { token: farm.token, body: sent, headers });

  describe('stocking', () => {
    it('answers the batch as it was entered, ACTIVE, at 85 % survival, with its aliases', async () => {
      const reply = await create({ batch_code: '  V01-2026 ', notes: ' primeira ' });
      expect(reply.status).toBe(201);
      expect(reply.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        numeric_id: expect.any(Number),
        farm_id: farm.farmId,
        pond_id: farm.pondId,
        batch_code: 'V01-2026',
        batch_number: 'V01-2026',
        batch_name: 'V01-2026',
        species: 'Litopenaeus vannamei',
        lineage: 'SPF',
        larva_origin: 'Aracati',
        start_date: '2026-01-31',
        expected_harvest_date: null,
        actual_harvest_date: null,
        initial_count: 100_000,
        initial_avg_weight: 0.01,
        initial_density: 33.3,
        estimated_survival_rate: 85,
        survival_rate: 85,
        survival_rate_at_stocking: 85,
        status: 'ACTIVE',
        final_weight_kg: null,
        end_reason: null,
        notes: 'primeira',
        // 31 January to 2 March
        days_active: 30,
        clock_quality: 'trusted',
        created_at: '2026-03-02T12:00:00.000Z',
        updated_at: null,
        warnings: [],
      });
      expect(reply.headers.get('etag')).toBe('"1"');
    });

    it('takes the pond by its number, too', async () => {
      const pond = body(await app.call('GET', `/ponds/${farm.pondId}`, { token: farm.token }));
      const reply = await app.call('POST', '/batches/', {
        token: farm.token,
        body: stocking(farm.pondId, { pond_id: pond['numeric_id'] }),
      });
      expect(reply).toMatchObject({ status: 201, body: { pond_id: farm.pondId } });
    });

    it.each([
      ['no code', { batch_code: ' ' }, 'batch_code'],
      ['nobody', { initial_count: 0 }, 'initial_count'],
      ['half an animal', { initial_count: 1.5 }, 'initial_count'],
      ['weightless', { initial_avg_weight: 0 }, 'initial_avg_weight'],
      ['an impossible survival', { estimated_survival_rate: 100.1 }, 'estimated_survival_rate'],
      ['no such day', { start_date: '2026-02-30' }, 'start_date'],
      ['an instant for a day', { start_date: '2026-02-28T00:00:00Z' }, 'start_date'],
      ['two days ahead', { start_date: '2026-03-04' }, 'start_date'],
      ['a harvest before the start', { expected_harvest_date: '2026-01-30' }, 'expected_harvest_date'],
      ['a number for text', { species: 7 }, 'species'],
    ])('%s is 422, naming the field', async (_what, fields, field) => {
      expect(await outcomeOf(app, () => create(fields))).toEqual(refused(422, field));
    });

    it('the start counts in the zone of the farm: at eleven at night tomorrow is still one day ahead', async () => {
      app.clock.set(Date.UTC(2026, 2, 2, 2));
      expect((await create({ start_date: '2026-03-02' })).body).toMatchObject({ days_active: 0 });
      expect(await outcomeOf(app, () => create({ start_date: '2026-03-03' }))).toEqual(
        refused(422, 'start_date'),
      );
      app.clock.set(Date.UTC(2026, 2, 2, 12));
      expect((await create({ start_date: '2026-03-03' })).status).toBe(201);
    });

    it('a bare expected date is the start of that day on the farm', async () => {
      const reply = await create({ expected_harvest_date: '2026-05-20' });
      expect(reply.body).toMatchObject({ expected_harvest_date: '2026-05-20T03:00:00.000Z' });
    });

    it('a code another batch of the owner bears is 400, naming the field; another owner may use it', async () => {
      await create({ batch_code: 'TWICE' });
      expect(await outcomeOf(app, () => create({ batch_code: 'TWICE' }))).toEqual(refused(400, 'batch_code'));
      const other = await aPondToStock(app);
      await expect(aBatch(app, other, { batch_code: 'TWICE' })).resolves.toBeTypeOf('string');
    });

    it('of two with the same code at the same moment one is stocked', async () => {
      const replies = await Promise.all([1, 2, 3].map(() => create({ batch_code: 'RACE' })));
      expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400, 400]);
    });

    it('what cannot be right about density and species is kept, and told', async () => {
      const reply = await create({ initial_density: 120, species: 'Macrobrachium' });
      expect(warned(reply).sort()).toEqual(['DENSITY_DIFFERS', 'UNKNOWN_SPECIES']);
      expect(reply.body).toMatchObject({ initial_density: 120, species: 'Macrobrachium' });
    });

    it.each([
      ['pt-BR', '100.000 camarões nos 3.000 m² do viveiro V-01 são 33,3 por m², não 120,0: confira'],
      ['en-GB', '100,000 shrimp in the 3,000 m² of pond V-01 are 33.3 per m², not 120.0: check'],
    ])('it is told in the language of whoever asks: %s', async (language, sentence) => {
      const reply = await app.call('POST', '/batches/', {
        token: farm.token,
        body: stocking(farm.pondId, { initial_density: 120 }),
        headers: { 'Accept-Language': language },
      });
      expect(reply.body).toMatchObject({
        warnings: [{ code: 'DENSITY_DIFFERS', message: expect.stringContaining(sentence) as unknown }],
      });
    });

    it('the same request with the same Idempotency-Key makes one batch', async () => {
      const sent = stocking(farm.pondId);
      const ask = () =>
        app.call('POST', '/batches/', {
          token: farm.token,
          body: sent,
          headers: { 'Idempotency-Key': 'k1' },
        });
      const [first, second] = [await ask(), await ask()];
      expect(second).toMatchObject({ status: 201, body: { id: body(first)['id'] } });
    });

    it('an id of the caller’s own is kept; a taken one is 409', async () => {
      const id = '01900000-0000-7000-8000-0000000000b1';
      expect((await create({ id })).body).toMatchObject({ id });
      expect(await outcomeOf(app, () => create({ id }))).toEqual(refused(409));
    });

    it('makes a deletion of its pond stale that had found no batch there', async () => {
      const place = await aPondToStock(app);
      const guard = await app.kernel.guard('pond', place.pondId);
      await aBatch(app, place);
      const deletion = app.kernel.commit({
        actor: null,
        changes: [remove(pond, place.pondId)],
        guards: [guard],
      });
      await expect(deletion).rejects.toBeInstanceOf(StaleError);
    });

    it('a pond deleted at the same moment has no batch left, or refuses to go', async () => {
      for (let n = 0; n < 3; n += 1) {
        const { token, pondId } = await aPondToStock(app);
        const [made, gone] = await Promise.all([
          app.call('POST', '/batches/', { token, body: stocking(pondId) }),
          app.call('DELETE', `/ponds/${pondId}`, { token }),
        ]);
        expect([
          [201, 409],
          [404, 204],
        ]).toContainEqual([made.status, gone.status]);
      }
    });
  });

  describe('who may', () => {
    let place: StaffedFarm;
    let pondId: string;
    let id: string;
    beforeAll(async () => {
      place = await aStaffedFarm(app);
      const { token } = place.owner;
      pondId = await created(
        app.call('POST', '/ponds/', { token, body: { farm_id: place.farmId, cod: 'P' } }),
      );
      id = await aBatch(app, { token, pondId });
    });

    it('everybody on the farm reads; owner and managers stock, change and finish', async () => {
      const { owner, manager, technician, viewer } = place;
      for (const { token } of [owner, manager, technician, viewer])
        expect((await get(id, token)).status).toBe(200);
      expect(await aBatch(app, { token: manager.token, pondId })).toBeTypeOf('string');
      for (const { token } of [technician, viewer]) {
        const asks = [
          () => app.call('POST', '/batches/', { token, body: stocking(pondId) }),
          () => app.call('PUT', `/batches/${id}`, { token, body: { notes: 'x' } }),
          () => app.call('POST', `/batches/${id}/finish`, { token, body: {} }),
          () => app.call('DELETE', `/batches/${id}`, { token }),
        ];
        for (const ask of asks) expect(await outcomeOf(app, ask)).toEqual(refused(403));
      }
    });

    it('to strangers it is as if it were missing', async () => {
      const { token } = place.stranger;
      expect(await outcomeOf(app, () => get(id, token))).toEqual(refused(404));
      expect(
        await outcomeOf(app, () => app.call('POST', '/batches/', { token, body: stocking(pondId) })),
      ).toEqual(refused(404));
      expect((await app.call('GET', '/batches/', { token })).body).toEqual([]);
      expect(await outcomeOf(app, () => app.call('GET', `/batches/?pond_id=${pondId}`, { token }))).toEqual(
        refused(404),
      );
      expect((await app.call('GET', `/batches/?farm_id=${place.farmId}`, { token })).body).toEqual([]);
    });
  });

  describe('reading', () => {
    it('a new batch shows 85 % of what was stocked, and no feed conversion', async () => {
      const id = await aBatch(app, farm);
      const reply = await get(id);
      // 85,000 animals of 10 mg
      expect(reply.body).toMatchObject({
        current_biomass_kg: 0.85,
        current_population: 85_000,
        current_fca: null,
        latest_biometry: null,
        average_weight_g: 0.01,
        ponds: [{ pond_id: farm.pondId, population: 85_000 }],
      });
      expect(reply.headers.get('etag')).toBe('"1"');
    });

    it('is the same by number as by id; what never was is 404', async () => {
      const id = await aBatch(app, farm);
      const { body: one } = await get(id);
      const { numeric_id } = one as { numeric_id: number };
      expect((await get(String(numeric_id))).body).toEqual(one);
      for (const ref of [NOBODYS, '12345', 'x']) expect((await get(ref)).status).toBe(404);
    });

    it('lists newest start first, by pond, farm and status, in pages', async () => {
      const own = await aPondToStock(app);
      const codes = ['A', 'B', 'C'];
      const ids = [];
      for (const [n, code] of codes.entries()) {
        ids.push(await aBatch(app, own, { batch_code: code, start_date: `2026-02-0${n + 1}` }));
      }
      await app.call('POST', `/batches/${ids[0]}/finish`, { token: own.token, body: {} });
      await app.call('PUT', `/batches/${ids[2]}`, { token: own.token, body: { survival_rate: 60 } });
      const list = async (query: string) => {
        const reply = await app.call('GET', `/batches/${query}`, { token: own.token });
        const rows = reply.body as { batch_code: string; survival_rate: number }[];
        return rows.map(({ batch_code, survival_rate }) => `${batch_code} ${survival_rate}`);
      };
      expect(await list('')).toEqual(['C 60', 'B 85', 'A 85']);
      expect(await list('?status=active')).toEqual(['C 60', 'B 85']);
      expect(await list(`?status=FINISHED&pond_id=${own.pondId}`)).toEqual(['A 85']);
      expect(await list(`?farm_id=${own.farmId}&skip=1&limit=1`)).toEqual(['B 85']);
      expect((await app.call('GET', '/batches/?status=EATEN', { token: own.token })).status).toBe(422);
    });
  });

  describe('changing', () => {
    it('notes and expected date; what is left out stays, null clears, nothing sent changes nothing', async () => {
      const id = await aBatch(app, farm, { notes: 'a', expected_harvest_date: '2026-05-20' });
      const changed = await put(id, { notes: 'b' });
      expect(changed.body).toMatchObject({
        notes: 'b',
        expected_harvest_date: '2026-05-20T03:00:00.000Z',
        updated_at: '2026-03-02T12:00:00.000Z',
      });
      expect((await put(id, { expected_harvest_date: null })).body).toMatchObject({
        notes: 'b',
        expected_harvest_date: null,
      });
      const before = await writesOf(app);
      expect((await put(id, { notes: 'b', survival_rate: 85 })).status).toBe(200);
      expect((await put(id, {})).status).toBe(200);
      expect(await writesOf(app)).toBe(before);
    });

    it('with an outdated If-Match is 412, also after the survival was changed', async () => {
      const id = await aBatch(app, farm);
      await put(id, { survival_rate: 80 });
      expect(await outcomeOf(app, () => put(id, { survival_rate: 70 }, { 'If-Match': '"1"' }))).toEqual(
        refused(412),
      );
      expect((await put(id, { survival_rate: 70 }, { 'If-Match': '"2"' })).body).toMatchObject({
        survival_rate: 70,
      });
    });

    it('survival outside 0 to 100 is 422', async () => {
      const id = await aBatch(app, farm);
      for (const survival_rate of [-0.1, 101, '80', null])
        expect(await outcomeOf(app, () => put(id, { survival_rate }))).toEqual(refused(422, 'survival_rate'));
    });
  });

  describe('deleting', () => {
    const remove = (id: string, query = '') =>
      app.call('DELETE', `/batches/${id}${query}`, { token: farm.token });

    it('an ACTIVE batch is 409 unless it is meant; its code is free again and its records are gone', async () => {
      const id = await aBatch(app, farm, { batch_code: 'GONE' });
      const biometry = await created(
        app.call('POST', '/biometries/', {
          token: farm.token,
          body: { batch_id: id, measurement_date: '2026-03-01', sample_size: 100, total_weight_g: 100 },
        }),
      );
      expect(await outcomeOf(app, () => remove(id))).toEqual(refused(409));
      expect(await remove(id, '?force=true')).toMatchObject({ status: 204, body: '' });
      expect((await get(id)).status).toBe(404);
      expect((await app.call('GET', `/biometries/${biometry}`, { token: farm.token })).status).toBe(404);
      expect((await remove(id, '?force=true')).status).toBe(404);
      expect((await create({ batch_code: 'GONE' })).status).toBe(201);
    });

    it('a finished one goes at once, and the audit keeps what it was', async () => {
      const id = await aBatch(app, farm);
      await app.call('POST', `/batches/${id}/finish`, { token: farm.token, body: {} });
      expect((await remove(id)).status).toBe(204);
      const entries = await app.database.read
        .selectFrom('logs')
        .select(['entity_type', 'action', 'details'])
        .where('entity_id', '=', id)
        .orderBy('timestamp')
        .orderBy('id')
        .execute();
      expect(entries.map(({ action }) => action)).toEqual(['finish', 'delete']);
      expect(JSON.parse(entries[1]?.details ?? '{}')).toMatchObject({ before: { id, status: 'FINISHED' } });
    });

    it('a pond with an ACTIVE batch stays unless it is meant; then the batch goes with it', async () => {
      const own = await aPondToStock(app);
      const id = await aBatch(app, own, { batch_code: 'IN-POND' });
      const removePond = (query = '') =>
        app.call('DELETE', `/ponds/${own.pondId}${query}`, { token: own.token });
      const refusedOnce = await outcomeOf(app, () => removePond());
      expect(refusedOnce).toEqual(refused(409));
      expect(refusedOnce.detail).toContain('IN-POND');
      expect((await removePond('?force=true')).status).toBe(204);
      expect((await get(id, own.token)).status).toBe(404);
    });

    it('a pond whose batch is harvested goes at once', async () => {
      const own = await aPondToStock(app);
      const id = await aBatch(app, own);
      await app.call('POST', `/batches/${id}/finish`, { token: own.token, body: {} });
      expect((await app.call('DELETE', `/ponds/${own.pondId}`, { token: own.token })).status).toBe(204);
    });
  });
});
