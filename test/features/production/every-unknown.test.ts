import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { measured, survivalSet, weighed } from '#test/recorded-rows.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Whatever of a batch nobody recorded: each answer of science names it, and is milder, more profitable or feeds more only where
// it says so. It is day 60 of the batch, 2 March on the farm.

const KNOWN = [
  'WEIGHING',
  'SURVIVAL',
  'FEED',
  'EXPENSES',
  'DAILY_COST',
  'POND_SIZE',
  'POND_DEPTH',
  'AERATORS',
  'OXYGEN',
  'TEMPERATURE',
] as const;
type Known = (typeof KNOWN)[number];
const DAY = 86_400_000;

let app: App;
let farm: StockedFarm;
beforeAll(async () => {
  app = await startApp('sqlite', ['--local-plan', 'ENTERPRISE']);
  farm = await aStockedFarm(app);
});
afterAll(() => app.close());

const ago = (days: number) => new Date(app.clock.now() - days * DAY).toISOString();
async function send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await app.call(method, path, {
    token: farm.token,
    headers: { 'Accept-Language': 'en' },
    ...(body === undefined ? {} : { body }),
  });
  expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body as Record<string, unknown>;
}

let made = 0;
/** A batch of which all is known but these. */
async function aBatchWithout(gone: readonly Known[]) {
  const has = (fact: Known) => !gone.includes(fact);
  made += 1;
  const pond = await send('POST', '/ponds/', {
    farm_id: farm.farmId,
    cod: `U-${made}`,
    aerator_count: 1,
    ...(has('POND_SIZE') ? { size_m2: 3_000 } : {}),
    ...(has('POND_DEPTH') ? { depth_m: 1 } : {}),
  });
  const pondId = String(pond['id']);
  if (has('AERATORS'))
    await send('POST', '/aerators/', { pond_id: pondId, name: 'A', device_id: `u-${made}`, power_kw: 3 });
  const { id } = await aBatchIn(
    app,
    { farmId: farm.farmId, ownerId: farm.userId, pondId },
    {
      start_date: '2026-01-01',
      initial_count: 200_000,
      initial_avg_weight: 0.5,
      estimated_survival_rate: 85,
    },
  );
  if (has('WEIGHING'))
    for (const [days, weightG] of [
      [8, 9],
      [1, 10.5],
    ] as const)
      await weighed(app, id, weightG, { measurement_date: ago(days) });
  if (has('SURVIVAL')) await survivalSet(app, id, 60);
  if (has('FEED'))
    await send('POST', '/feeding/', {
      batch_id: id,
      feed_type: '35',
      quantity_kg: 1_000,
      cost_per_kg: 7,
      feed_date: ago(2),
    });
  if (has('EXPENSES'))
    await send('POST', '/financial/expenses', {
      batch_id: id,
      category: 'LABOR',
      amount: 500,
      description: 'x',
      expense_date: ago(2),
    });
  await measured(app, pondId, {
    dissolved_oxygen: has('OXYGEN') ? 6 : null,
    temperature: has('TEMPERATURE') ? 28 : null,
  });
  const cost = has('DAILY_COST') ? '&daily_operational_cost=1500' : '';
  return {
    ration: (await send('GET', `/feeding/batch/${id}/recommendation`)) as {
      recommendation: { recommended_feed_kg: number; adjustment_reason: string };
      factors: { missing: string[] };
      notes: string[];
    },
    harvest: (await send('GET', `/financial/optimal-harvest/${id}?market_price_per_kg=20${cost}`)) as {
      recommendation: string;
      explanation: string;
      confidence: number | null;
      analysis: { net_daily_profit: number };
      missing: string[];
    },
    profit: (await send('GET', `/financial/profitability/${id}?selling_price_per_kg=20`)) as {
      projected_profit: number;
      break_even_price_per_kg: number | null;
      missing: string[];
    },
    cost: (await send('GET', `/financial/cost-per-kg/${id}`)) as { cost_per_kg: number; missing: string[] },
    stats: (await send('GET', `/batches/${id}/stats`)) as { missing: string[] },
    growth: (await send('GET', `/batches/${id}/growth-analysis`)) as { missing: string[] },
    aeration: (await send('GET', `/ponds/${pondId}/summary-card`))['aeration'] as {
      rating: string;
      without_aerators: unknown;
      advice: string | null;
      missing: string[];
    },
  };
}

const RATINGS = ['NOT_NEEDED', 'COMFORTABLE', 'ENOUGH', 'ADD_AERATION', 'RISKY'];

test('nothing is called missing of a batch of which all was recorded', async () => {
  const all = await aBatchWithout([]);
  expect([
    all.ration.factors.missing,
    all.harvest.missing,
    all.profit.missing,
    all.cost.missing,
    all.stats.missing,
    all.growth.missing,
    all.aeration.missing,
  ]).toEqual([[], [], [], [], [], [], []]);
  expect(all.harvest.confidence === null && all.harvest.recommendation === 'CONTINUE').toBe(false);
});

test('every subset of what is not known is named by each answer it changes, which is milder nowhere else', async () => {
  const whole = await aBatchWithout([]);
  const named = (gone: readonly Known[], of: readonly Known[]) => of.filter((fact) => gone.includes(fact));
  await fc.assert(
    fc.asyncProperty(fc.subarray([...KNOWN], { minLength: 1 }), async (gone) => {
      const found = await aBatchWithout(gone);
      const { ration, harvest, profit, cost, aeration } = found;
      expect(ration.factors.missing).toEqual(named(gone, ['WEIGHING', 'SURVIVAL']));
      expect(harvest.missing).toEqual(named(gone, ['WEIGHING', 'SURVIVAL', 'FEED', 'DAILY_COST']));
      expect(profit.missing).toEqual(named(gone, ['WEIGHING', 'SURVIVAL', 'FEED', 'EXPENSES']));
      expect(cost.missing).toEqual(profit.missing);
      expect(found.stats.missing).toEqual(named(gone, ['WEIGHING', 'SURVIVAL', 'FEED']));
      expect(found.growth.missing).toEqual(named(gone, ['WEIGHING']));
      expect(aeration.missing).toEqual(
        named(gone, ['WEIGHING', 'SURVIVAL', 'POND_SIZE', 'POND_DEPTH', 'AERATORS']),
      );

      const fedMore =
        ration.recommendation.recommended_feed_kg > whole.ration.recommendation.recommended_feed_kg;
      if (fedMore) expect(ration.factors.missing).not.toEqual([]);
      const told = [...ration.notes, ration.recommendation.adjustment_reason].join(' ');
      if (gone.includes('OXYGEN')) expect(told).toContain('No oxygen reading');
      if (gone.includes('TEMPERATURE')) expect(told).toContain('No temperature reading');
      // who fed since the last weighing, or the stocking, was told by that ration
      const isNews = gone.includes('FEED') || !gone.includes('WEIGHING');
      expect(told.includes('survival (the estimate of the stocking counts)')).toBe(
        gone.includes('SURVIVAL') && isNews,
      );

      if (harvest.missing.length > 0)
        expect(harvest.explanation).toContain('Not recorded, and may make it worse');
      else expect(harvest.analysis).toEqual(whole.harvest.analysis);
      if (gone.includes('WEIGHING')) expect(harvest.recommendation).toBe('MONITOR');
      // the error of the samples is a figure; that a day pays is not called certain
      if (gone.includes('FEED') && harvest.analysis.net_daily_profit > 0)
        expect(harvest.explanation).not.toContain('chance');
      if (profit.projected_profit > whole.profit.projected_profit) expect(profit.missing).not.toEqual([]);
      expect(profit.break_even_price_per_kg === null).toBe(
        gone.includes('FEED') && gone.includes('EXPENSES'),
      );

      const isMilder = RATINGS.indexOf(aeration.rating) < RATINGS.indexOf(whole.aeration.rating);
      if (isMilder) expect(aeration.missing).not.toEqual([]);
      expect(aeration.without_aerators === null).toBe(
        gone.includes('POND_SIZE') || gone.includes('POND_DEPTH'),
      );
      if (aeration.missing.some((each) => each !== 'SURVIVAL'))
        expect(aeration.advice).toContain('Not recorded');
    }),
    { numRuns: 30 },
  );
});

test('shrimp that nobody ever weighed have grown: their aerators carry what is expected of them', async () => {
  const { aeration } = await aBatchWithout(['WEIGHING', 'AERATORS']);
  expect(aeration).toMatchObject({ rating: 'RISKY', missing: ['WEIGHING', 'AERATORS'] });
});
