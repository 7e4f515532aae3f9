import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { insert } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { ended, weighed } from '#test/recorded-rows.ts';
import { aStaffedFarm, created, outcomeOf, refused, type StaffedFarm } from '#test/staffed-farm.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

const NOBODYS = '01900000-0000-7000-8000-00000000dead';
const at = (token: string) => ({ headers: { 'If-Match': token } });

onBothEngines('feeding records', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const feeding = (fields: Record<string, unknown> = {}, of: StockedFarm['batch'] = farm.batch) => ({
    batch_id: of.id,
    feed_type: 'Pellet 1.7 mm 35 %',
    quantity_kg: 20.5,
    cost_per_kg: 6.4,
    feed_date: '2026-03-02T09:00:00Z',
    ...fields,
  });
  const feed = (
    fields: Record<string, unknown> = {},
    { of = farm.batch, token = farm.token, headers = {} } = {},
  ) => app.call('POST', '/feeding/', { token, body: feeding(fields, of), headers });
  const get = (path: string, token = farm.token) => app.call('GET', `/feeding/${path}`, { token });
  const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    app.call('PUT', `/feeding/${id}`, { token: farm.token, body, headers });
  const aBatch = (fields = {}) =>
    aBatchIn(app, { farmId: farm.farmId, ownerId: farm.userId, pondId: farm.ponds[0]?.id ?? '' }, fields);
  const outcome = (ask: () => ReturnType<typeof feed>) => outcomeOf(app, ask);
  const auditOf = async (id: string) => {
    const rows = await app.database.read
      .selectFrom('logs')
      .select(['action', 'entity_type', 'entity_name', 'farm_id', 'user_id', 'details'])
      .where('entity_id', '=', id)
      .orderBy('timestamp')
      .orderBy('id')
      .execute();
    return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details ?? 'null') as unknown }));
  };

  describe('recording', () => {
    it('a feeding costs what it weighs times the price of a kilogram', async () => {
      const made = await feed({ quantity_kg: 20.125, cost_per_kg: 6.4, notes: 'manhã', shade: 'blue' });
      expect({ status: made.status, etag: made.headers.get('etag'), body: made.body }).toEqual({
        status: 201,
        etag: '"1"',
        body: {
          id: expect.any(String),
          batch_id: farm.batch.id,
          pond_id: null,
          feed_type: 'Pellet 1.7 mm 35 %',
          quantity_kg: 20.125,
          cost_per_kg: 6.4,
          total_cost: 128.8,
          feed_date: '2026-03-02T09:00:00.000Z',
          tray_leftover_percent: null,
          notes: 'manhã',
          created_by: farm.userId,
          clock_quality: 'trusted',
          created_at: '2026-03-02T12:00:00.000Z',
          updated_at: null,
        },
      });
      const { id } = made.body as { id: string };
      const read = await get(id);
      expect({ body: read.body, etag: read.headers.get('etag') }).toEqual({ body: made.body, etag: '"1"' });
    });

    it('money has two decimals and kilograms three, rounded from the whole product', async () => {
      const made = await feed({ quantity_kg: 1.0005, cost_per_kg: 1.005 });
      expect(made.body).toMatchObject({ quantity_kg: 1.001, cost_per_kg: 1.01, total_cost: 1.01 });
    });

    it('the batch may be named by its number, and a bare date is the start of that day on the farm', async () => {
      const made = await feed({ batch_id: farm.batch.numeric_id, feed_date: '2026-03-01' });
      expect(made).toMatchObject({
        status: 201,
        body: { batch_id: farm.batch.id, feed_date: '2026-03-01T03:00:00.000Z' },
      });
    });

    it('a batch that is not ACTIVE is not fed: 409, and nothing is written', async () => {
      const finished = await aBatch();
      await ended(app, finished.id);
      expect(await outcome(() => feed({}, { of: finished }))).toEqual(refused(409));
      const aborted = await aBatch({ status: 'ABORTED' });
      expect(await outcome(() => feed({}, { of: aborted }))).toEqual(refused(409));
    });

    it.each([
      ['quantity_kg', { quantity_kg: 0 }],
      ['quantity_kg', { quantity_kg: -3 }],
      ['quantity_kg', { quantity_kg: '20' }],
      ['quantity_kg', { quantity_kg: undefined }],
      ['cost_per_kg', { cost_per_kg: -0.01 }],
      ['cost_per_kg', { cost_per_kg: undefined }],
      ['feed_type', { feed_type: ' ' }],
      ['feed_date', { feed_date: undefined }],
      ['feed_date', { feed_date: 'yesterday' }],
      ['feed_date', { feed_date: '2026-02-31' }],
      ['feed_date', { feed_date: '1999-12-31' }],
      ['tray_leftover_percent', { tray_leftover_percent: 101 }],
      ['pond_id', { pond_id: NOBODYS }],
    ])('%s is refused with 422: %j', async (field, wrong) => {
      expect(await outcome(() => feed(wrong))).toEqual(refused(422, field));
    });

    it('the day before the start is refused, the start itself is not, by the calendar of the farm', async () => {
      // 1 January 2026 begins in Fortaleza at 03:00 UTC
      expect(await outcome(() => feed({ feed_date: '2026-01-01T02:59:59Z' }))).toEqual(
        refused(422, 'feed_date'),
      );
      expect((await feed({ feed_date: '2026-01-01T03:00:00Z' })).status).toBe(201);
    });

    it('a pond of the farm is kept with the feeding; one of another farm is refused', async () => {
      const [, second] = farm.ponds;
      expect((await feed({ pond_id: second?.numeric_id })).body).toMatchObject({ pond_id: second?.id });
      const other = await aStockedFarm(app, { ponds: 1 });
      expect(await outcome(() => feed({ pond_id: other.ponds[0]?.id }))).toEqual(refused(422, 'pond_id'));
    });

    it('a chosen id is kept, a taken one is 409, also after it was deleted', async () => {
      const id = app.kernel.newId();
      expect(await created(feed({ id }))).toBe(id);
      expect(await outcome(() => feed({ id }))).toEqual(refused(409));
      await app.call('DELETE', `/feeding/${id}`, { token: farm.token });
      expect(await outcome(() => feed({ id }))).toEqual(refused(409));
    });

    it('the same Idempotency-Key records one feeding, with another body it is 422', async () => {
      const batch = await aBatch();
      const headers = { 'Idempotency-Key': 'meal-1' };
      const first = await feed({}, { of: batch, headers });
      const again = await feed({}, { of: batch, headers });
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect((await feed({ quantity_kg: 5 }, { of: batch, headers })).status).toBe(422);
      expect(await get(`batch/${batch.id}`)).toMatchObject({ body: { feeding_records: { length: 1 } } });
    });

    it('what is unlikely is kept and told: a ton in one meal, feed that costs nothing', async () => {
      const batch = await aBatch({ initial_count: 100_000, estimated_survival_rate: 80 });
      await weighed(app, batch.id, 10);
      // 800 kg of 10 g shrimp eat about 26 kg a day; three days of it are the bound
      const big = await feed({ quantity_kg: 1_000 }, { of: batch });
      expect(big.body).toMatchObject({
        quantity_kg: 1_000,
        warnings: [{ code: 'LARGE_QUANTITY', message: expect.stringContaining('(cerca de 26,') as unknown }],
      });
      const headers = { 'Accept-Language': 'en' };
      expect((await feed({ quantity_kg: 1_000 }, { of: batch, headers })).body).toMatchObject({
        warnings: [{ message: expect.stringContaining('in a day (about 26.') as unknown }],
      });
      const free = await feed({ cost_per_kg: 0 }, { of: batch });
      expect(free.body).toMatchObject({ total_cost: 0, warnings: [{ code: 'FEED_WITHOUT_COST' }] });
      const ahead = await feed({ feed_date: '2026-03-02T12:10:01Z' }, { of: batch });
      expect(ahead).toMatchObject({ status: 201, body: { warnings: [{ code: 'FUTURE_DATE' }] } });
      const usual = await feed({ quantity_kg: 78, feed_date: '2026-03-02T12:10:00Z' }, { of: batch });
      expect(usual.body).not.toHaveProperty('warnings');
    });
  });

  describe('the journal', () => {
    it('lists newest first, a page at a time', async () => {
      const batch = await aBatch();
      for (const day of ['05', '03', '04']) await feed({ feed_date: `2026-02-${day}` }, { of: batch });
      const days = async (query = '') => {
        const { body } = await get(`batch/${batch.numeric_id}${query}`);
        const { feeding_records, ...head } = body as { feeding_records: { feed_date: string }[] };
        return { ...head, days: feeding_records.map(({ feed_date }) => feed_date.slice(8, 10)) };
      };
      const head = { batch_id: batch.id, batch_number: batch.batch_code };
      expect(await days()).toEqual({ ...head, days: ['05', '04', '03'] });
      expect(await days('?skip=1&limit=1')).toEqual({ ...head, days: ['04'] });
      expect((await get(`batch/${batch.id}`)).headers.get('x-total-count')).toBe('3');
    });

    it('a journal of many chunks holds every feeding once', async () => {
      const batch = await aBatch();
      const ids = Array.from({ length: 401 }, () => app.kernel.newId());
      const meal = {
        batch_id: batch.id,
        pond_id: null,
        feed_type: '35 %',
        quantity_kg: 20.5,
        cost_per_kg: 6.4,
        // all at once, told apart by their ids alone
        feed_date: '2026-03-02T09:00:00.000Z',
        tray_leftover_percent: null,
        notes: null,
        created_by: farm.userId,
        clock_quality: 'trusted' as const,
        created_at: '2026-03-02T12:00:00.000Z',
        updated_at: null,
      };
      const changes = ids.map((id) => insert(feedingRecord, { id, ...meal }));
      await app.kernel.commit({ actor: null, changes });
      const { body } = await get(`batch/${batch.id}`);
      const listed = (body as { feeding_records: { id: string }[] }).feeding_records.map(({ id }) => id);
      expect(listed.toSorted()).toEqual(ids.toSorted());
    });
  });

  describe('the summary', () => {
    it('a batch without feed and gain has no conversion, no daily mean and no rating', async () => {
      const batch = await aBatch();
      expect((await get(`batch/${batch.id}/summary`)).body).toMatchObject({
        batch_id: batch.id,
        batch_number: batch.batch_code,
        summary: {
          total_feed_consumed_kg: 0,
          total_feed_cost: 0,
          average_daily_feed_kg: null,
          days_with_feeding: 0,
          current_fca: null,
          total_feeding_records: 0,
        },
        fca_analysis: { total_feed_kg: 0, fca: null, efficiency_rating: null },
      });
    });

    it('a loss of biomass has no conversion, however much was fed', async () => {
      // 85 % of what was stocked, unweighed: less than at the start
      const batch = await aBatch({ estimated_survival_rate: 85, initial_avg_weight: 1 });
      await feed({}, { of: batch });
      expect((await get(`batch/${batch.id}/summary`)).body).toMatchObject({
        summary: { current_fca: null, total_feeding_records: 1 },
        fca_analysis: { biomass_gained_kg: -15, fca: null, efficiency_rating: null },
      });
    });

    it('feed by gain: 1,200 kg fed for 800 kg gained are 1.5, which is GOOD', async () => {
      // 100,000 × 80 % × 10 g = 800 kg, from next to nothing
      const batch = await aBatch({ estimated_survival_rate: 80, initial_avg_weight: 0.000_001 });
      await weighed(app, batch.id, 10);
      // two meals of the same day on the farm, though of two days by UTC
      await feed({ quantity_kg: 500, cost_per_kg: 6, feed_date: '2026-02-11T01:00:00Z' }, { of: batch });
      await feed({ quantity_kg: 300, cost_per_kg: 6, feed_date: '2026-02-10T12:00:00Z' }, { of: batch });
      await feed({ quantity_kg: 400, cost_per_kg: 7, feed_date: '2026-02-12' }, { of: batch });
      expect((await get(`batch/${batch.id}/summary`)).body).toEqual({
        batch_id: batch.id,
        batch_number: batch.batch_code,
        summary: {
          total_feed_consumed_kg: 1_200,
          total_feed_cost: 7_600,
          average_daily_feed_kg: 600,
          days_with_feeding: 2,
          current_fca: 1.5,
          total_feeding_records: 3,
        },
        fca_analysis: {
          total_feed_kg: 1_200,
          biomass_gained_kg: 800,
          initial_biomass_kg: 0,
          current_biomass_kg: 800,
          harvested_kg: 0,
          fca: 1.5,
          efficiency_rating: 'GOOD',
        },
      });
    });
  });

  describe('correcting', () => {
    it('changes what is sent, and the log keeps old and new values', async () => {
      const id = await created(feed({ notes: 'x' }));
      app.clock.advance(60_000);
      const changed = await put(id, { quantity_kg: 12, notes: null });
      expect(changed).toMatchObject({
        status: 200,
        body: { quantity_kg: 12, total_cost: 76.8, notes: null, feed_type: 'Pellet 1.7 mm 35 %' },
      });
      expect(changed.headers.get('etag')).toBe('"2"');
      expect(await auditOf(id)).toEqual([
        {
          action: 'update',
          entity_type: 'SYSTEM',
          entity_name: `Feeding of ${farm.batch.batch_code}, 2026-03-02`,
          farm_id: farm.farmId,
          user_id: farm.userId,
          details: {
            record: 'feeding_record',
            before: { quantity_kg: 20.5, notes: 'x' },
            after: { quantity_kg: 12, notes: null },
          },
        },
      ]);
    });

    it('an empty body and values as they were change nothing', async () => {
      const id = await created(feed());
      expect(await outcomeOf(app, () => put(id, {}))).toMatchObject({ status: 200, writes: 0 });
      expect(await outcomeOf(app, () => put(id, { quantity_kg: 20.5 }))).toMatchObject({
        status: 200,
        writes: 0,
      });
    });

    it('an outdated If-Match is 412 for a change and for a deletion', async () => {
      const id = await created(feed());
      await put(id, { quantity_kg: 1 }, at('"1"').headers);
      expect(await outcome(() => put(id, { quantity_kg: 2 }, at('"1"').headers))).toEqual(refused(412));
      const gone = () =>
        app.call('DELETE', `/feeding/${id}`, { token: farm.token, headers: at('"1"').headers });
      expect(await outcome(gone)).toEqual(refused(412));
    });

    it('wrong values are refused as on recording', async () => {
      const id = await created(feed());
      expect(await outcome(() => put(id, { quantity_kg: 0 }))).toEqual(refused(422, 'quantity_kg'));
      expect(await outcome(() => put(id, { feed_date: '2025-12-31' }))).toEqual(refused(422, 'feed_date'));
    });

    it('a finished batch takes no feeding, but its feedings can be corrected and deleted', async () => {
      const batch = await aBatch();
      const id = await created(feed({}, { of: batch }));
      await ended(app, batch.id);
      expect((await put(id, { quantity_kg: 3 })).status).toBe(200);
      expect((await app.call('DELETE', `/feeding/${id}`, { token: farm.token })).status).toBe(204);
    });

    it('a deleted feeding is gone from journal and sums, and its values stay in the log', async () => {
      const batch = await aBatch();
      const id = await created(feed({}, { of: batch }));
      expect((await app.call('DELETE', `/feeding/${id}`, { token: farm.token })).status).toBe(204);
      expect((await get(id)).status).toBe(404);
      expect((await get(`batch/${batch.id}/summary`)).body).toMatchObject({
        summary: { total_feeding_records: 0 },
      });
      expect(await auditOf(id)).toMatchObject([
        { action: 'delete', details: { record: 'feeding_record', before: { quantity_kg: 20.5 } } },
      ]);
    });
  });

  describe('who may', () => {
    let place: StaffedFarm;
    let batch: StockedFarm['batch'];
    let id: string;
    beforeAll(async () => {
      place = await aStaffedFarm(app);
      const pondId = await created(
        app.call('POST', '/ponds/', {
          token: place.owner.token,
          body: { farm_id: place.farmId, cod: 'V-01', size_m2: 3000 },
        }),
      );
      batch = await aBatchIn(app, { farmId: place.farmId, ownerId: place.owner.user.id, pondId });
      id = await created(feed({}, { of: batch, token: place.manager.token }));
    });

    it('a technician and a viewer read, and may not record, correct or delete', async () => {
      for (const { token } of [place.technician, place.viewer]) {
        expect((await get(`batch/${batch.id}`, token)).status).toBe(200);
        expect((await get(`batch/${batch.id}/summary`, token)).status).toBe(200);
        expect((await get(id, token)).status).toBe(200);
        expect(await outcome(() => feed({}, { of: batch, token }))).toEqual(refused(403));
        expect(
          await outcome(() => app.call('PUT', `/feeding/${id}`, { token, body: { quantity_kg: 1 } })),
        ).toEqual(refused(403));
        expect(await outcome(() => app.call('DELETE', `/feeding/${id}`, { token }))).toEqual(refused(403));
      }
    });

    it('to a stranger it is as if there were no such batch and no such feeding', async () => {
      const { token } = place.stranger;
      const missing = await outcome(() => feed({ batch_id: NOBODYS }, { token }));
      expect(await outcome(() => feed({}, { of: batch, token }))).toEqual(missing);
      expect(missing).toEqual(refused(404));
      for (const path of [
        id,
        `batch/${batch.id}`,
        `batch/${batch.id}/summary`,
        `batch/${batch.id}/recommendation`,
      ])
        expect([path, (await get(path, token)).status]).toEqual([path, 404]);
    });
  });

  it('of a feeding and a finish at once, none is fed after the finish won', async () => {
    for (let round = 0; round < 12; round += 1) {
      const batch = await aBatch();
      const path = `/batches/${batch.id}/finish`;
      const finish = () => app.call('POST', path, { token: farm.token, body: {} });
      const feedings = () => Array.from({ length: 4 }, () => feed({}, { of: batch }));
      const [first, last] = round % 2 === 0 ? [[finish()], feedings()] : [feedings(), [finish()]];
      const replies = await Promise.all([...first, ...last]);
      const meals = replies.filter((reply) => !isFinish(reply));
      expect(replies.filter(isFinish).map(({ status }) => status)).toEqual([200]);
      const accepted = meals.filter(({ status }) => status === 201).length;
      expect(meals.filter(({ status }) => status === 409)).toHaveLength(4 - accepted);
      expect((await feed({}, { of: batch })).status).toBe(409);
      const { body } = await get(`batch/${batch.id}`);
      expect((body as { feeding_records: unknown[] }).feeding_records).toHaveLength(accepted);
    }
  });
});

function isFinish({ body }: { body: unknown }): boolean {
  return (body as { total_days?: unknown }).total_days !== undefined;
}
