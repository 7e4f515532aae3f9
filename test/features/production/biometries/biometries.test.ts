import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBatch, aPondToStock, type StockedPond, warned } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, outcomeOf, refused, writesOf } from '#test/staffed-farm.ts';

/** Ten shrimp of 9.90 g on average that differ by 1.2247 g: 12.37 %. */
const TEN = [7.9, 8.6, 9.1, 9.4, 9.8, 10.0, 10.3, 10.7, 11.2, 12.0];

onBothEngines('biometries', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  let batchId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aPondToStock(app);
    batchId = await aBatch(app, farm);
  });
  afterAll(() => app.close());

  const weigh = (fields: Record<string, unknown> = {}, headers = {}) =>
    app.call('POST', '/biometries/', {
      token: farm.token,
      body: {
        batch_id: batchId,
        measurement_date: '2026-03-01T12:00:00Z',
        sample_size: 100,
        total_weight_g: 110,
        ...fields,
      },
      headers,
    });
  const at = (id: string) => `/biometries/${id}`;
  const put = (id: string, sent: unknown, headers = {}) =>
    app.call('PUT', at(id), { token: farm.token, body: sent, headers });
  const get = (path: string, headers = {}) => app.call('GET', path, { token: farm.token, headers });
  const idOf = (reply: Awaited<ReturnType<typeof weigh>>) => String(body(reply)['id']);

  describe('recording', () => {
    it('answers the mean weight and both ages: today’s, and that of the day it was weighed', async () => {
      const reply = await weigh({ notes: ' rede de arrasto ' });
      expect(reply).toMatchObject({
        status: 201,
        body: {
          batch_id: batchId,
          measurement_date: '2026-03-01T12:00:00.000Z',
          sample_size: 100,
          total_weight_g: 110,
          average_weight_g: 1.1,
          coefficient_variation: null,
          weight_sd_g: null,
          individual_weights_g: null,
          days_in_production: 30,
          measurement_day: 29,
          notes: 'rede de arrasto',
          clock_quality: 'trusted',
          created_at: '2026-03-02T12:00:00.000Z',
          updated_at: null,
          warnings: [],
        },
      });
      expect(reply.headers.get('etag')).toBe('"1"');
      expect((await get(at(idOf(reply)))).body).toEqual({ ...body(reply), warnings: undefined });
    });

    it('days are those of the farm: two hours past midnight UTC is still the evening before', async () => {
      expect(body(await weigh({ measurement_date: '2026-03-01T02:00:00Z' }))['measurement_day']).toBe(28);
      expect(body(await weigh({ measurement_date: '2026-03-01' }))).toMatchObject({
        measurement_date: '2026-03-01T03:00:00.000Z',
        measurement_day: 29,
      });
    });

    it('takes the batch by its number', async () => {
      const { numeric_id } = body(await get(`/batches/${batchId}`));
      expect(body(await weigh({ batch_id: numeric_id }))['batch_id']).toBe(batchId);
    });

    it.each([
      ['nobody', { sample_size: 0 }, 'sample_size'],
      ['nothing', { total_weight_g: 0 }, 'total_weight_g'],
      ['no day', { measurement_date: 'hoje' }, 'measurement_date'],
      ['a date long gone', { measurement_date: '1999-12-31T23:00:00Z' }, 'measurement_date'],
      [
        'other shrimp',
        { sample_size: 9, total_weight_g: 99, individual_weights_g: TEN },
        'individual_weights_g',
      ],
      [
        'another total',
        { sample_size: 10, total_weight_g: 100.5, individual_weights_g: TEN },
        'individual_weights_g',
      ],
      [
        'other groups',
        { sample_size: 60, total_weight_g: 658, subsamples: [{ count: 22, weight_g: 215 }] },
        'subsamples',
      ],
    ])('a weighing of %s is 422, naming the field', async (_what, fields, field) => {
      expect(await outcomeOf(app, () => weigh(fields))).toEqual(refused(422, field));
    });

    it('the same request with the same Idempotency-Key weighs once', async () => {
      const id = await aBatch(app, farm);
      const headers = { 'Idempotency-Key': 'weigh-1' };
      await weigh({ batch_id: id }, headers);
      await weigh({ batch_id: id }, headers);
      expect(body(await get(`/biometries/batch/${id}`))['biometries']).toHaveLength(1);
    });

    it('a batch that is finished at the same moment has it, or refuses it', async () => {
      for (let n = 0; n < 3; n += 1) {
        const id = await aBatch(app, farm);
        const [made, finished] = await Promise.all([
          weigh({ batch_id: id }),
          app.call('POST', `/batches/${id}/finish`, { token: farm.token, body: {} }),
        ]);
        expect(finished.status).toBe(200);
        expect([201, 409]).toContain(made.status);
      }
    });
  });

  describe('uniformity', () => {
    it('single weights tell the spread: 12.37 %', async () => {
      const reply = await weigh({ sample_size: 10, total_weight_g: 99, individual_weights_g: TEN });
      expect(reply.body).toMatchObject({
        average_weight_g: 9.9,
        coefficient_variation: 12.37,
        weight_sd_g: 1.2247,
        individual_weights_g: TEN,
      });
    });

    it('a standard deviation of 2 g around 10 g is 20 %', async () => {
      const reply = await weigh({ sample_size: 50, total_weight_g: 500, weight_sd_g: 2 });
      expect(reply.body).toMatchObject({ coefficient_variation: 20, individual_weights_g: null });
    });

    it('three groups weighed one by one: 22, 25 and 19 shrimp of 215, 262 and 181 g are 23.6 %', async () => {
      const subsamples = [
        { count: 22, weight_g: 215 },
        { count: 25, weight_g: 262 },
        { count: 19, weight_g: 181 },
      ];
      const reply = await weigh({ sample_size: 66, total_weight_g: 658, subsamples });
      expect(body(reply)['coefficient_variation']).toBeCloseTo(23.6, 1);
    });

    it('two groups tell nothing', async () => {
      const subsamples = [
        { count: 50, weight_g: 400 },
        { count: 50, weight_g: 600 },
      ];
      const reply = await weigh({ sample_size: 100, total_weight_g: 1_000, subsamples });
      expect(body(reply)['coefficient_variation']).toBeNull();
    });
  });

  describe('what is unlikely is kept, and told', () => {
    it.each([
      ['29 shrimp', { sample_size: 29, total_weight_g: 30 }, ['SMALL_SAMPLE']],
      ['before the stocking', { measurement_date: '2026-01-20' }, ['BEFORE_BATCH_START']],
      ['tomorrow', { measurement_date: '2026-03-03T12:00:00Z' }, ['FUTURE_DATE']],
      ['a kilogram each', { total_weight_g: 100_000 }, ['IMPLAUSIBLE_WEIGHT']],
    ])('%s', async (_what, fields, codes) => {
      const id = await aBatch(app, farm);
      const reply = await weigh({ batch_id: id, ...fields });
      expect([reply.status, warned(reply)]).toEqual([201, codes]);
      expect(body(await get(at(idOf(reply))))).toMatchObject({
        total_weight_g: body(reply)['total_weight_g'],
      });
    });

    it('a weight that fell by half since the weighing before, not since a later one', async () => {
      const id = await aBatch(app, farm);
      await weigh({ batch_id: id, measurement_date: '2026-02-10', total_weight_g: 400 });
      await weigh({ batch_id: id, measurement_date: '2026-02-28', total_weight_g: 800 });
      const between = { batch_id: id, measurement_date: '2026-02-20' };
      expect(warned(await weigh({ ...between, total_weight_g: 201 }))).toEqual([]);
      expect(warned(await weigh({ ...between, total_weight_g: 100 }))).toEqual(['WEIGHT_FELL_BY_HALF']);
    });

    it.each([
      ['pt-BR', '1,00 g é metade ou menos dos 4,00 g pesados em 10/02/2026: confira a contagem e o peso.'],
      ['en', '1.00 g is half or less of the 4.00 g weighed on 10 February 2026: check count and weight.'],
    ])('in the language of whoever asks: %s', async (language, message) => {
      const id = await aBatch(app, farm);
      await weigh({ batch_id: id, measurement_date: '2026-02-10T12:00:00Z', total_weight_g: 400 });
      const light = { batch_id: id, measurement_date: '2026-02-20', total_weight_g: 100 };
      const reply = await weigh(light, { 'Accept-Language': language });
      expect(reply.body).toMatchObject({ warnings: [{ code: 'WEIGHT_FELL_BY_HALF', message }] });
    });
  });

  describe('reading', () => {
    it('a batch’s weighings come newest first, with its growth', async () => {
      const id = await aBatch(app, farm, { initial_avg_weight: 1 });
      for (const [day, total] of [
        ['2026-02-14', 240],
        ['2026-02-28', 500],
        ['2026-02-07', 150],
      ] as const)
        await weigh({ batch_id: id, measurement_date: `${day}T12:00:00Z`, total_weight_g: total });
      const reply = body(await get(`/biometries/batch/${id}`));
      expect(reply).toMatchObject({
        batch_id: id,
        batch_number: expect.stringMatching(/^L-/),
        biometries: [
          { measurement_day: 28, average_weight_g: 5, days_in_production: 30 },
          { measurement_day: 14, average_weight_g: 2.4 },
          { measurement_day: 7, average_weight_g: 1.5 },
        ],
        growth_summary: {
          initial_weight_g: 1,
          current_weight_g: 5,
          total_growth_g: 4,
          // 4 g in 28 days
          average_weekly_growth_g: 1,
          total_measurements: 3,
        },
      });
      expect(body(await get(`/biometries/batch/${id}?skip=1&limit=1`))['biometries']).toMatchObject([
        { measurement_day: 14 },
      ]);
      expect((await get(`/biometries/batch/${id}`)).headers.get('x-total-count')).toBe('3');
    });

    it('a total that a computer added up is shown without the dust of its binary digits', async () => {
      const reply = await weigh({ sample_size: 30, total_weight_g: 0.1 + 0.2 });
      expect(reply.body).toMatchObject({ total_weight_g: 0.3, average_weight_g: 0.01 });
    });

    it('the summary: growth, uniformity of what was measured, trend and advice', async () => {
      const id = await aBatch(app, farm, { initial_avg_weight: 1 });
      const cv = (total: number, sd: number) => ({ total_weight_g: total, weight_sd_g: sd });
      await weigh({ batch_id: id, measurement_date: '2026-02-14', ...cv(300, 0.9) });
      await weigh({ batch_id: id, measurement_date: '2026-02-21', total_weight_g: 400 });
      await weigh({ batch_id: id, measurement_date: '2026-02-28', ...cv(500, 1) });
      const reply = body(await get(`/biometries/batch/${id}/summary`, { 'Accept-Language': 'en' }));
      expect(reply).toMatchObject({
        batch_id: id,
        total_biometries: 3,
        summary: {
          initial_weight_g: 1,
          current_weight_g: 5,
          weight_gain_g: 4,
          days_in_production: 30,
          // 4 g in 28 days
          adg: 0.1429,
          // 30 % and 20 %
          average_cv: 25,
          uniformity_rating: 'GOOD',
        },
        latest_biometry: { measurement_day: 28, average_weight_g: 5, coefficient_variation: 20 },
        growth_trend: 'STEADY',
      });
      expect(reply['recommendations']).toEqual(expect.arrayContaining([expect.stringMatching(/\d/)]));
    });

    it('without any spread there is no rating; without any weighing there is no growth', async () => {
      const id = await aBatch(app, farm);
      expect(body(await get(`/biometries/batch/${id}/summary`))).toMatchObject({
        total_biometries: 0,
        summary: { adg: null, performance_percentage: null, average_cv: null, uniformity_rating: null },
        latest_biometry: null,
        growth_trend: 'STEADY',
      });
    });

    it('a batch that stopped growing is DECLINING', async () => {
      const id = await aBatch(app, farm, { initial_avg_weight: 2 });
      for (const [day, total] of [
        ['2026-02-05', 500],
        ['2026-02-11', 630],
        ['2026-02-17', 760],
        ['2026-02-23', 890],
        ['2026-03-01', 895],
      ] as const)
        await weigh({ batch_id: id, measurement_date: day, total_weight_g: total });
      expect(body(await get(`/biometries/batch/${id}/summary`))['growth_trend']).toBe('DECLINING');
    });
  });

  describe('correcting', () => {
    it('changes what was sent, and the audit keeps old and new', async () => {
      const id = idOf(await weigh());
      const reply = await put(id, { total_weight_g: 120, measurement_date: '2026-02-28' });
      expect(reply.body).toMatchObject({
        total_weight_g: 120,
        average_weight_g: 1.2,
        measurement_date: '2026-02-28T03:00:00.000Z',
        measurement_day: 28,
        sample_size: 100,
        updated_at: '2026-03-02T12:00:00.000Z',
      });
      const [entry] = await app.database.read
        .selectFrom('logs')
        .select(['entity_type', 'action', 'details'])
        .where('entity_id', '=', id)
        .execute();
      expect({ ...entry, details: JSON.parse(entry?.details ?? '') }).toEqual({
        entity_type: 'SYSTEM',
        action: 'update',
        details: {
          record: 'biometry',
          before: { total_weight_g: 110, measurement_date: '2026-03-01T12:00:00.000Z' },
          after: { total_weight_g: 120, measurement_date: '2026-02-28T03:00:00.000Z' },
        },
      });
    });

    it('that changes nothing writes nothing; an outdated If-Match is 412', async () => {
      const id = idOf(await weigh());
      const before = await writesOf(app);
      expect((await put(id, { total_weight_g: 110 })).status).toBe(200);
      expect((await put(id, {})).status).toBe(200);
      expect(await writesOf(app)).toBe(before);
      await put(id, { notes: 'a' });
      expect(await outcomeOf(app, () => put(id, { notes: 'b' }, { 'If-Match': '"1"' }))).toEqual(
        refused(412),
      );
    });

    it('single weights and a new count must still be the same sample', async () => {
      const id = idOf(await weigh({ sample_size: 10, total_weight_g: 99, individual_weights_g: TEN }));
      expect(await outcomeOf(app, () => put(id, { sample_size: 11 }))).toEqual(
        refused(422, 'individual_weights_g'),
      );
      const freed = await put(id, { sample_size: 11, individual_weights_g: null });
      expect(freed.body).toMatchObject({ sample_size: 11, average_weight_g: 9, coefficient_variation: null });
    });

    it('a deleted weighing no longer counts, and the one before is the latest', async () => {
      const own = await aBatch(app, farm);
      await weigh({ batch_id: own, measurement_date: '2026-02-20', total_weight_g: 80 });
      const id = idOf(await weigh({ batch_id: own, total_weight_g: 120 }));
      expect((await app.call('DELETE', at(id), { token: farm.token })).status).toBe(204);
      expect((await get(at(id))).status).toBe(404);
      expect(await outcomeOf(app, () => put(id, { notes: 'x' }))).toEqual(refused(404));
      expect(body(await get(`/batches/${own}`))).toMatchObject({
        average_weight_g: 0.8,
        latest_biometry: { average_weight_g: 0.8 },
      });
    });
  });

  it('strangers find nothing here', async () => {
    const stranger = await app.signUp();
    const id = idOf(await weigh());
    for (const ask of [
      () => app.call('GET', at(id), { token: stranger.token }),
      () => app.call('PUT', at(id), { token: stranger.token, body: { notes: 'x' } }),
      () => app.call('DELETE', at(id), { token: stranger.token }),
      () => app.call('GET', `/biometries/batch/${batchId}`, { token: stranger.token }),
    ])
      expect(await outcomeOf(app, ask)).toEqual(refused(404));
  });
});
