import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aBatch, aPondToStock, type StockedPond, warned } from '#test/a-batch.ts';
import { body, type Reply, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import type { App } from '#test/staffed-farm.ts';
import { drawsOf } from '#test/turn.ts';

// Today is 2 March 2026, nine in the morning; batches were stocked on 31 January with 100,000 postlarvae of 10 mg.

/** Every answer that says how a batch stands now. */
const FIGURES = [
  (id: string) => `/batches/${id}`,
  (id: string) => `/batches/${id}/stats`,
  (id: string) => `/batches/${id}/growth-curve`,
  (id: string) => `/batches/${id}/growth-analysis`,
  (id: string) => `/batches/${id}/growth-chart`,
  (id: string) => `/biometries/batch/${id}/summary`,
  (id: string) => `/feeding/batch/${id}/summary`,
  (id: string) => `/feeding/batch/${id}/recommendation`,
  (id: string) => `/dashboard/biomass-trend?batch_id=${id}`,
  (id: string) => `/financial/cost-per-kg/${id}`,
  (id: string) => `/financial/profitability/${id}?selling_price_per_kg=30`,
  (id: string) => `/financial/optimal-harvest/${id}?market_price_per_kg=30`,
  (id: string) => `/exports/batch/${id}/summary`,
];

onBothEngines('facts of now', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const post = (path: string, sent: Record<string, unknown>) =>
    app.call('POST', path, { token: farm.token, body: sent });
  const get = async (path: string) => (await app.call('GET', path, { token: farm.token })).body;
  const weigh = (batch_id: string, measurement_date: string, grams: number) =>
    post('/biometries/', { batch_id, measurement_date, sample_size: 100, total_weight_g: grams * 100 });
  const feed = (batch_id: string, feed_date: string, quantity_kg: number) =>
    post('/feeding/', { batch_id, feed_type: '35%', quantity_kg, cost_per_kg: 6, feed_date });
  const spend = (batch_id: string, expense_date: string, amount: number) =>
    post('/financial/expenses', { batch_id, category: 'LABOR', amount, description: 'x', expense_date });
  /** All figures of a batch, without what names the batch and its rows. */
  const figuresOf = async (id: string) => {
    const answers: unknown[] = [];
    for (const path of FIGURES) answers.push(nameless(await get(path(id))));
    return answers;
  };
  const fieldOf = (reply: Reply) =>
    (reply.body as { errors?: { path: string }[] }).errors?.map(({ path }) => path);

  it('what is dated more than a day ahead is refused, also as a correction, and names the date', async () => {
    const id = await aBatch(app, farm);
    const ahead = '2027-03-02T12:00:00Z';
    // 25 hours ahead are more than a day, though the calendar says tomorrow
    const tomorrow = '2026-03-03T13:00:00Z';
    for (const [field, make, path] of [
      ['measurement_date', (at: string) => weigh(id, at, 30), '/biometries/'],
      ['feed_date', (at: string) => feed(id, at, 10), '/feeding/'],
      ['expense_date', (at: string) => spend(id, at, 10), '/financial/expenses/'],
    ] as const) {
      for (const at of [ahead, tomorrow]) {
        const refused = await make(at);
        expect([refused.status, fieldOf(refused)]).toEqual([422, [field]]);
      }
      expect((await make('2026-03-03T12:00:00Z')).status).toBe(201);
      const made =
        field === 'measurement_date'
          ? await weigh(id, '2026-03-01T12:00:00Z', 1)
          : field === 'feed_date'
            ? await feed(id, '2026-03-01T12:00:00Z', 1)
            : await spend(id, '2026-03-01T12:00:00Z', 1);
      const corrected = await app.call('PUT', `${path}${String(body(made)['id'])}`, {
        token: farm.token,
        body: { [field]: ahead },
      });
      expect([corrected.status, fieldOf(corrected)]).toEqual([422, [field]]);
    }
  });

  it('tomorrow’s weighing, meal and bill are stored and told, and change no figure until tomorrow', async () => {
    const id = await aBatch(app, farm);
    await weigh(id, '2026-03-01T12:00:00Z', 3);
    await feed(id, '2026-03-01T12:00:00Z', 50);
    await spend(id, '2026-03-01T12:00:00Z', 200);
    const before = await figuresOf(id);
    const card = nameless(await get(`/ponds/${farm.pondId}/summary-card`));
    for (const reply of [
      await weigh(id, '2026-03-03T10:00:00Z', 12),
      await feed(id, '2026-03-03T10:00:00Z', 500),
      await feed(id, '2026-03-02T20:00:00Z', 500),
      await spend(id, '2026-03-03T10:00:00Z', 9_000),
    ])
      expect([reply.status, warned(reply).includes('FUTURE_DATE')]).toEqual([201, true]);
    expect(await figuresOf(id)).toEqual(before);
    expect(nameless(await get(`/ponds/${farm.pondId}/summary-card`))).toEqual(card);
    expect(await get(`/biometries/batch/${id}`)).toMatchObject({ biometries: [{}, {}] });
    app.clock.advance(86_400_000);
    expect(await get(`/batches/${id}`)).toMatchObject({ latest_biometry: { average_weight_g: 12 } });
    expect(await get(`/financial/cost-per-kg/${id}`)).toMatchObject({
      total_operational_cost: 9_200,
      total_feed_cost: 6 * 1_050,
    });
    app.clock.advance(-86_400_000);
  });

  it('a weighing before the stocking is stored and told, and is no weight of the batch', async () => {
    const id = await aBatch(app, farm);
    const before = await figuresOf(id);
    const early = await weigh(id, '2026-01-15T12:00:00Z', 30);
    expect([early.status, warned(early).includes('BEFORE_BATCH_START')]).toEqual([201, true]);
    expect(await figuresOf(id)).toEqual(before);
    await weigh(id, '2026-02-20T12:00:00Z', 2);
    expect(await get(`/dashboard/biomass-trend?batch_id=${id}`)).toMatchObject({
      data_points: [
        { date: '2026-01-31', days_in_production: 0, average_weight_g: 0.01, biomass_kg: 0.85 },
        { date: '2026-02-20', days_in_production: 20, average_weight_g: 2 },
      ],
    });
  });

  it('a weighing by its bare date, on the day of the stocking, comes after what was stocked', async () => {
    const id = await aBatch(app, farm);
    await weigh(id, '2026-01-31', 0.02);
    expect(await get(`/dashboard/biomass-trend?batch_id=${id}`)).toMatchObject({
      data_points: [
        { date: '2026-01-31', days_in_production: 0, average_weight_g: 0.01, biomass_kg: 0.85 },
        { date: '2026-01-31', days_in_production: 0, average_weight_g: 0.02, biomass_kg: 1.7 },
      ],
    });
  });

  it('a later correction equals having entered it right at first', async () => {
    const day = fc.integer({ min: -10, max: 30 }).map(dayOf);
    const weighing = fc.record({ wrong: day, right: day, grams: fc.integer({ min: 1, max: 20 }) });
    const meal = fc.record({
      wrong: fc.integer({ min: 0, max: 30 }).map(dayOf),
      right: fc.integer({ min: 0, max: 30 }).map(dayOf),
      kg: fc.integer({ min: 1, max: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(
        // two weighings of one instant are told apart by their ids, which differ between the batches
        fc.uniqueArray(weighing, { maxLength: 4, selector: ({ right }) => right }),
        fc.array(meal, { maxLength: 4 }),
        async (weighings, meals) => {
          const [late, first] = [await aBatch(app, farm), await aBatch(app, farm)];
          const put = async (path: string, made: Reply, sent: Record<string, unknown>) => {
            const reply = await app.call('PUT', `${path}${String(body(made)['id'])}`, {
              token: farm.token,
              body: sent,
            });
            expect(reply.status).toBe(200);
          };
          const slips: (() => Promise<void>)[] = [];
          for (const { wrong, right, grams } of weighings) {
            const made = await weigh(late, wrong, grams);
            slips.push(() => put('/biometries/', made, { measurement_date: right }));
            await weigh(first, right, grams);
          }
          for (const { wrong, right, kg } of meals) {
            const made = await feed(late, wrong, kg);
            slips.push(() => put('/feeding/', made, { feed_date: right }));
            await feed(first, right, kg);
          }
          for (const mend of slips) await mend();
          expect(await figuresOf(late)).toEqual(await figuresOf(first));
          for (const id of [late, first])
            await app.call('DELETE', `/batches/${id}?force=true`, { token: farm.token });
        },
      ),
      { numRuns: drawsOf(12) },
    );
  });
});

/** Noon of a day since the stocking; the 31st is tomorrow. */
function dayOf(day: number): string {
  return new Date(Date.parse('2026-01-31T15:00:00Z') + day * 86_400_000).toISOString();
}

/** An answer without the names of batch, pond and rows: two batches of the same records say the same. */
function nameless(answer: unknown): unknown {
  const text = JSON.stringify(answer)
    .replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"id"')
    .replaceAll(/"(batch_id|numeric_id)":\d+/g, '"$1":0')
    .replaceAll(/\bL-\d+/g, 'L');
  return JSON.parse(text);
}
