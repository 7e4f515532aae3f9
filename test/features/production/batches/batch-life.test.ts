import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBatch, aPondToStock, type StockedPond, warned } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, outcomeOf, refused } from '#test/staffed-farm.ts';

const DAY = 86_400_000;

onBothEngines('the life of a batch', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const post = (path: string, sent: unknown = {}) =>
    app.call('POST', path, { token: farm.token, body: sent });
  const get = (path: string) => app.call('GET', path, { token: farm.token });
  const lose = (id: string, severity: number, event_description = 'Mortalidade') =>
    post(`/batches/${id}/adjust-survival`, { event_description, severity });
  const setRate = (id: string, survival_rate: number) =>
    app.call('PUT', `/batches/${id}`, { token: farm.token, body: { survival_rate } });
  const finish = (id: string, sent: unknown = {}) => post(`/batches/${id}/finish`, sent);
  const weigh = (batch_id: string, averageG: number, measurement_date = '2026-03-01T12:00:00Z') =>
    post('/biometries/', { batch_id, measurement_date, sample_size: 100, total_weight_g: averageG * 100 });
  const feed = (batch_id: string, quantity_kg: number) =>
    post('/feeding/', {
      batch_id,
      feed_type: '35 % PB',
      quantity_kg,
      cost_per_kg: 5,
      feed_date: '2026-03-01T12:00:00Z',
    });
  const rateOf = async (id: string) => body(await get(`/batches/${id}/stats`))['survival_rate'];

  async function auditOf(id: string) {
    const rows = await app.database.read
      .selectFrom('logs')
      .select(['entity_type', 'action', 'details', 'user_id'])
      .where('entity_id', '=', id)
      .orderBy('timestamp')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...row, details: JSON.parse(row.details ?? 'null') as unknown }));
  }

  describe('survival', () => {
    it('an event that kills a fifth of the living takes 85 % to 68 %', async () => {
      const id = await aBatch(app, farm);
      expect(await lose(id, 0.2, 'Queda de oxigênio')).toMatchObject({
        status: 200,
        body: {
          batch_id: id,
          old_survival_rate: 85,
          new_survival_rate: 68,
          adjustment: -17,
          event_description: 'Queda de oxigênio',
        },
      });
      expect(body(await get(`/batches/${id}`))).toMatchObject({
        estimated_survival_rate: 68,
        survival_rate_at_stocking: 85,
        current_population: 68_000,
        updated_at: '2026-03-02T12:00:00.000Z',
      });
    });

    it('changes follow each other in time: set to 70, half of it lost, set to 50, nothing lost, all lost', async () => {
      const id = await aBatch(app, farm);
      const seen = [];
      for (const step of [
        () => setRate(id, 70),
        () => lose(id, 0.5),
        () => setRate(id, 50),
        () => lose(id, 0),
        () => lose(id, 1),
      ]) {
        expect((await step()).status).toBe(200);
        seen.push(await rateOf(id));
      }
      expect(seen).toEqual([70, 35, 50, 50, 0]);
      expect(body(await get(`/batches/${id}`))).toMatchObject({
        current_population: 0,
        current_biomass_kg: 0,
        current_fca: null,
        ponds: [],
      });
    });

    it('a clock put back does not put a change before those already told', async () => {
      const id = await aBatch(app, farm);
      await setRate(id, 80);
      app.clock.advance(-3 * DAY);
      await setRate(id, 60);
      await lose(id, 0.5);
      app.clock.advance(3 * DAY);
      expect(await rateOf(id)).toBe(30);
    });

    it('two losses told at the same moment both count', async () => {
      const id = await aBatch(app, farm, { estimated_survival_rate: 100 });
      const replies = await Promise.all([lose(id, 0.2), lose(id, 0.2)]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      expect(await rateOf(id)).toBe(64);
      const rates = replies.map((reply) => body(reply)['new_survival_rate']);
      expect(rates.map(Number).sort((a, b) => a - b)).toEqual([64, 80]);
    });

    it('an event told again with the same Idempotency-Key kills once', async () => {
      const id = await aBatch(app, farm);
      const tell = () =>
        app.call('POST', `/batches/${id}/adjust-survival`, {
          token: farm.token,
          body: { event_description: 'x', severity: 0.2 },
          headers: { 'Idempotency-Key': `event-${id}` },
        });
      const [first, second] = [await tell(), await tell()];
      expect(second.body).toEqual(first.body);
      expect(await rateOf(id)).toBe(68);
    });

    it('an event, a meal and a weighing told again days later under their own id count once, though the batch ended', async () => {
      const id = await aBatch(app, farm);
      const told = [
        [`/batches/${id}/adjust-survival`, { event_description: 'x', severity: 0.2 }],
        [
          '/feeding/',
          {
            batch_id: id,
            feed_type: '35 % PB',
            quantity_kg: 10,
            cost_per_kg: 5,
            feed_date: '2026-03-01T12:00:00Z',
          },
        ],
        [
          '/biometries/',
          {
            batch_id: id,
            measurement_date: '2026-03-01T12:00:00Z',
            sample_size: 100,
            total_weight_g: 120,
          },
        ],
      ] as const;
      const sent = told.map(([path, fields]) => ({ path, fields: { ...fields, id: randomUUID() } }));
      const statuses = async () => {
        const replies: [number, unknown][] = [];
        for (const { path, fields } of sent) {
          const reply = await post(path, fields);
          replies.push([reply.status, body(reply)['code']]);
        }
        return replies;
      };
      expect((await statuses()).every(([status]) => status < 300)).toBe(true);
      expect(await rateOf(id)).toBe(68);
      const taken = sent.map(() => [409, 'ID_TAKEN']);
      expect(await statuses()).toEqual(taken);
      await finish(id);
      expect(await statuses()).toEqual(taken);
      expect(await rateOf(id)).toBe(68);
    });

    it('each change leaves an entry with old and new rate', async () => {
      const id = await aBatch(app, farm);
      await lose(id, 0.2, 'Vibriose');
      await setRate(id, 75);
      const entries = await auditOf(id);
      expect(entries).toEqual([
        {
          entity_type: 'SYSTEM',
          action: 'survival_adjusted',
          user_id: expect.any(String),
          details: { old_survival_rate: 85, new_survival_rate: 68, severity: 0.2, description: 'Vibriose' },
        },
        {
          entity_type: 'SYSTEM',
          action: 'survival_adjusted',
          user_id: expect.any(String),
          details: { old_survival_rate: 68, new_survival_rate: 75 },
        },
      ]);
    });

    it.each([
      ['above 1', { event_description: 'x', severity: 1.01 }, 'severity'],
      ['below 0', { event_description: 'x', severity: -0.01 }, 'severity'],
      ['without a word', { event_description: ' ', severity: 0.1 }, 'event_description'],
      ['without severity', { event_description: 'x' }, 'severity'],
    ])('a loss %s is 422', async (_what, sent, field) => {
      const id = await aBatch(app, farm);
      expect(await outcomeOf(app, () => post(`/batches/${id}/adjust-survival`, sent))).toEqual(
        refused(422, field),
      );
    });
  });

  describe('finishing', () => {
    it('without a weight takes the estimate: 85,000 of 1.2 g are 102 kg, 151.5 kg of feed for 101 gained is 1.5', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 1.2);
      await feed(id, 151.5);
      const reply = await finish(id);
      expect(reply).toMatchObject({
        status: 200,
        body: {
          id,
          status: 'FINISHED',
          actual_harvest_date: '2026-03-02T12:00:00.000Z',
          total_days: 30,
          final_fca: 1.5,
          final_weight_kg: 102,
          harvested_kg: 0,
          warnings: [],
        },
      });
      expect(body(await get(`/batches/${id}`))).toMatchObject({
        status: 'FINISHED',
        current_biomass_kg: 102,
        current_fca: 1.5,
        final_weight_kg: null,
      });
    });

    it('with a misspelt weight takes the estimate, and says so', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 1.2);
      const reply = await finish(id, { final_weight: 81 });
      expect(reply).toMatchObject({
        status: 200,
        body: {
          final_weight_kg: 102,
          warnings: [
            { code: 'UNKNOWN_FIELD', message: expect.stringMatching(/^final_weight: .*final_weight_kg/) },
          ],
        },
      });
    });

    it('with a weight counts that weight: 81 kg harvested of 1 kg stocked, 120 kg fed, is 1.5', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 1.2);
      await feed(id, 120);
      const reply = await finish(id, {
        actual_harvest_date: '2026-03-01',
        final_weight_kg: 81,
        notes: 'despesca',
      });
      expect(reply.body).toMatchObject({
        actual_harvest_date: '2026-03-01T03:00:00.000Z',
        total_days: 29,
        final_fca: 1.5,
        final_weight_kg: 81,
      });
      expect(body(await get(`/batches/${id}`))).toMatchObject({ notes: 'despesca', current_biomass_kg: 81 });
    });

    it('the days stop counting at the harvest', async () => {
      const id = await aBatch(app, farm);
      await finish(id, { actual_harvest_date: '2026-02-20' });
      app.clock.advance(10 * DAY);
      // 31 January to 20 February
      expect(body(await get(`/batches/${id}`))['days_active']).toBe(20);
      app.clock.advance(-10 * DAY);
    });

    it('without feed or without gain there is no conversion, never 0', async () => {
      const unfed = await aBatch(app, farm);
      await weigh(unfed, 1.2);
      expect(body(await finish(unfed))['final_fca']).toBeNull();
      const lost = await aBatch(app, farm);
      await feed(lost, 50);
      expect(body(await finish(lost, { final_weight_kg: 0 }))['final_fca']).toBeNull();
    });

    it('of two at the same moment one finishes the batch, the other is 409', async () => {
      const id = await aBatch(app, farm);
      const replies = await Promise.all([
        finish(id, { final_weight_kg: 100 }),
        finish(id, { final_weight_kg: 200 }),
        post(`/batches/${id}/abort`, { reason: 'Mancha branca' }),
      ]);
      expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
      const ends = (await auditOf(id)).map(({ action }) => action);
      expect(ends).toHaveLength(1);
    });

    it('more animals than were stocked are believed, and told', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 1);
      // 120 kg of 1 g shrimp are 120,000 of 100,000 stocked
      expect(warned(await finish(id, { final_weight_kg: 120 }))).toEqual(['IMPLIED_SURVIVAL_ABOVE_100']);
      const underestimated = await aBatch(app, farm);
      await weigh(underestimated, 1);
      // 90,000 where 85,000 were believed alive
      const reply = await finish(underestimated, { final_weight_kg: 90 });
      expect(reply.body).toMatchObject({
        warnings: [
          {
            code: 'MORE_THAN_ESTIMATED',
            message: expect.stringContaining(
              '(cerca de 90.000) passam dos 85.000 estimados vivos',
            ) as unknown,
          },
        ],
      });
    });

    it('a weight of far fewer animals than were estimated asks for their count, which alone makes the survival a fact', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 10);
      // 500 kg of 10 g shrimp are 50,000 where 85,000 were believed alive
      expect((await finish(id, { final_weight_kg: 500 })).body).toMatchObject({
        survival_rate: 85,
        warnings: [
          {
            code: 'FEWER_THAN_ESTIMATED',
            message: expect.stringContaining(
              'cerca de 50.000 camarões, e não os 85.000 estimados',
            ) as unknown,
          },
        ],
      });
      const counted = await aBatch(app, farm);
      await weigh(counted, 10);
      const told = await finish(counted, { final_weight_kg: 500, final_average_weight_g: 10 });
      expect([warned(told), body(told)['survival_rate']]).toEqual([[], 50]);
      const asEstimated = await aBatch(app, farm);
      await weigh(asEstimated, 10);
      expect(warned(await finish(asEstimated, { final_weight_kg: 800 }))).toEqual([]);
      expect(warned(await finish(await aBatch(app, farm), { final_weight_kg: 0.1 }))).toEqual([]);
    });

    it.each([
      ['before the start', { actual_harvest_date: '2026-01-30T12:00:00Z' }, 'actual_harvest_date'],
      ['two days ahead', { actual_harvest_date: '2026-03-04T12:00:00Z' }, 'actual_harvest_date'],
      ['of negative weight', { final_weight_kg: -1 }, 'final_weight_kg'],
    ])('a harvest %s is 422, and the batch goes on', async (_what, sent, field) => {
      const id = await aBatch(app, farm);
      expect(await outcomeOf(app, () => finish(id, sent))).toEqual(refused(422, field));
      expect(body(await get(`/batches/${id}`))['status']).toBe('ACTIVE');
    });

    it('a finished batch takes no more records and no changes, but corrections count', async () => {
      const id = await aBatch(app, farm);
      const biometry = String(body(await weigh(id, 1.2))['id']);
      await feed(id, 151.5);
      await finish(id);
      for (const ask of [
        () => finish(id),
        () => post(`/batches/${id}/abort`, { reason: 'x' }),
        () => lose(id, 0.1),
        () => setRate(id, 50),
        () => weigh(id, 2),
        () => post(`/batches/${id}/harvests`, { quantity: 10, weight_kg: 1 }),
      ])
        expect(await outcomeOf(app, ask)).toEqual(refused(409));
      // 85,000 animals of 2 g are 170 kg; 151.5 for the 169 gained
      const corrected = await app.call('PUT', `/biometries/${biometry}`, {
        token: farm.token,
        body: { total_weight_g: 200 },
      });
      expect(corrected.status).toBe(200);
      expect(body(await get(`/batches/${id}`))).toMatchObject({ current_biomass_kg: 170, current_fca: 0.9 });
    });
  });

  describe('aborting', () => {
    it('ends the batch with its reason; records stay, and it cannot be finished', async () => {
      const id = await aBatch(app, farm);
      await weigh(id, 1.2);
      const reply = await post(`/batches/${id}/abort`, { reason: ' Mancha branca ' });
      expect(reply).toMatchObject({
        status: 200,
        body: { id, status: 'ABORTED', end_reason: 'Mancha branca', days_active: 30 },
      });
      expect(await outcomeOf(app, () => finish(id))).toEqual(refused(409));
      expect(body(await get(`/biometries/batch/${id}`))['biometries']).toHaveLength(1);
      expect(body(await get('/batches/?status=ABORTED&limit=1'))).toMatchObject([{ id }]);
    });

    it('without a reason is 422', async () => {
      const id = await aBatch(app, farm);
      expect(await outcomeOf(app, () => post(`/batches/${id}/abort`))).toEqual(refused(422, 'reason'));
    });
  });
});
