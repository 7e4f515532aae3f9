import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

// Whatever was written down of a batch, in whatever order and however unlikely, no figure of money, feed or weight is negative,
// endless or longer than it was rounded to. The clock of the tests stands at 2 March, noon UTC.

const amount = (max: number) =>
  fc.oneof(
    fc.constantFrom(0, 0.01, max),
    fc.integer({ min: 0, max: max * 100 }).map((n) => n / 100),
  );
const day = fc.integer({ min: 1, max: 28 }).map((n) => new Date(Date.UTC(2026, 1, n, 12, n)).toISOString());
const some = amount(900).map((kg) => Math.max(0.01, kg));

const act = fc.oneof(
  fc.record({
    path: fc.constant('/feeding/'),
    sent: fc.record({
      feed_type: fc.constant('35'),
      quantity_kg: some,
      cost_per_kg: amount(30),
      feed_date: day,
    }),
  }),
  fc.record({
    path: fc.constant('/biometries/'),
    sent: fc.record({
      sample_size: fc.integer({ min: 1, max: 200 }),
      total_weight_g: amount(4_000).map((g) => Math.max(0.01, g)),
      measurement_date: day,
    }),
  }),
  fc.record({
    path: fc.constant('/financial/expenses'),
    sent: fc.record({
      category: fc.constantFrom('FEED', 'ENERGY', 'LABOR', 'OTHER'),
      amount: amount(90_000),
      description: fc.constant('x'),
      expense_date: day,
    }),
  }),
  fc.record({
    path: fc.constant('/batches/BATCH/harvests'),
    sent: fc.record({
      quantity: fc.integer({ min: 1, max: 60_000 }),
      weight_kg: some,
      price_per_kg: fc.option(amount(60)),
      harvest_date: day,
    }),
  }),
  fc.record({
    path: fc.constant('/batches/BATCH/adjust-survival'),
    sent: fc.record({
      event_description: fc.constant('x'),
      severity: fc.constantFrom(0, 0.1, 0.9, 1),
      lost_at: day,
    }),
  }),
);
const prices = fc.record({ price: amount(90), cost: amount(900) });
const stocked = fc.record({
  initial_count: fc.constantFrom(1, 1_000, 50_000, 5_000_000),
  initial_avg_weight: fc.constantFrom(0.001, 0.01, 1.5, 30),
  estimated_survival_rate: fc.constantFrom(0, 0.5, 60, 100),
});

/** Profit and what comes of it, a change and a gain may lie below zero; nothing else. */
const SIGNED =
  /performance|profit|margin|roi|net_|variance|difference|gain|adjustment|trend|latitude|longitude|growth|\badg\b|adg|days_until|average_daily_growth|change|efficiency|explanation/i;

function wrongIn(answer: unknown, path = ''): string[] {
  if (typeof answer === 'number')
    return [
      ...(Number.isFinite(answer) ? [] : [`${path} ${answer}`]),
      ...(answer < 0 && !SIGNED.test(path) ? [`${path} ${answer}`] : []),
      ...(/\.\d{5,}|e-/.test(String(answer)) ? [`${path} ${answer}`] : []),
    ];
  if (typeof answer === 'string')
    return /NaN|Infinity|undefined|null|R\$ -0[,.]00\b/.test(answer) ? [`${path} ${answer}`] : [];
  if (answer === null || typeof answer !== 'object') return [];
  return Object.entries(answer).flatMap(([key, value]) => wrongIn(value, `${path}.${key}`));
}

onBothEngines('figures of a batch', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
  });
  afterAll(() => app.close());
  const ask = (farm: StockedFarm, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: farm.token, body: sent, headers: { 'Accept-Language': 'en' } });

  it('are never negative, endless or longer than they were rounded to', async () => {
    await fc.assert(
      fc.asyncProperty(
        stocked,
        fc.array(act, { maxLength: 7 }),
        prices,
        fc.boolean(),
        async (fields, acts, { price, cost }, ends) => {
          const farm = await aStockedFarm(app, { ...fields, start_date: '2026-02-01' });
          const { id } = farm.batch;
          for (const { path, sent } of acts)
            await ask(farm, 'POST', path.replace('BATCH', id), { batch_id: id, ...sent });
          if (ends) await ask(farm, 'POST', `/batches/${id}/finish`, { price_per_kg: price });
          for (const path of [
            `/batches/${id}`,
            `/batches/${id}/stats`,
            `/batches/${id}/growth-curve`,
            `/batches/${id}/growth-analysis`,
            `/biometries/batch/${id}/summary`,
            `/feeding/batch/${id}/summary`,
            `/feeding/batch/${id}/recommendation`,
            `/financial/cost-per-kg/${id}`,
            `/financial/profitability/${id}?selling_price_per_kg=${price}`,
            `/financial/optimal-harvest/${id}?market_price_per_kg=${price}&daily_operational_cost=${cost}`,
            `/exports/batch/${id}/summary`,
            `/dashboard/overview?farm_id=${farm.farmId}`,
            `/dashboard/feed-efficiency?farm_id=${farm.farmId}`,
            `/dashboard/batch-comparison?farm_id=${farm.farmId}`,
            `/dashboard/biomass-trend?batch_id=${id}`,
            `/ponds/${farm.ponds[0]?.id}/summary-card`,
          ]) {
            const { status, body } = await ask(farm, 'GET', path);
            expect(status, `${path} ${JSON.stringify(body)}`).toBeLessThan(500);
            if (status === 200) expect(wrongIn(body), path).toEqual([]);
          }
        },
      ),
      {
        numRuns: process.env['RUNS'] ? Number(process.env['RUNS']) : drawsOf(engine === 'sqlite' ? 24 : 4),
        endOnFailure: process.env['SHRINK'] === undefined,
      },
    );
  }, 300_000);
});
