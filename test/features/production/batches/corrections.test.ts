import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

// What a keeper wrote down wrong and mended later leaves nothing behind in any figure. The clock of the tests stands at 2
// March, noon UTC.

const amount = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((n) => n / 100);
const day = fc.integer({ min: 10, max: 28 }).map((n) => `2026-02-${n}T10:00:00Z`);
const records = fc.record({
  meal: fc.record({ quantity_kg: amount(0.1, 90), cost_per_kg: amount(0, 12), feed_date: day }),
  weighing: fc.record({
    sample_size: fc.integer({ min: 30, max: 300 }),
    total_weight_g: amount(100, 4_000),
    measurement_date: day,
  }),
  harvest: fc.record({
    quantity: fc.integer({ min: 1, max: 9_000 }),
    weight_kg: amount(1, 90),
    harvest_date: day,
  }),
  transfer: fc.record({
    quantity: fc.integer({ min: 1, max: 9_000 }),
    transfer_date: day,
  }),
  bill: fc.record({
    category: fc.constantFrom('FEED', 'ENERGY', 'LABOR', 'OTHER'),
    amount: amount(0, 900),
    expense_date: day,
  }),
});
type Records = typeof records extends fc.Arbitrary<infer R> ? R : never;

onBothEngines('what was recorded of a batch', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  const runs = { numRuns: drawsOf(engine === 'sqlite' ? 12 : 4) };
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const pond = (n: number) => farm.ponds[n]?.id ?? '';
  const call = async (method: string, path: string, sent?: unknown) => {
    const reply = await app.call(method, path, { token: farm.token, body: sent });
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  };
  const aBatch = () =>
    aBatchIn(
      app,
      { farmId: farm.farmId, ownerId: farm.userId, pondId: pond(0) },
      {
        batch_code: crypto.randomUUID(),
        initial_count: 100_000,
        initial_avg_weight: 0.01,
        start_date: '2026-02-01',
        estimated_survival_rate: 80,
      },
    );
  async function recorded(id: string, { meal, weighing, harvest, transfer, bill }: Records) {
    const moved = await call('POST', '/transfers/', {
      batch_id: id,
      source_pond_id: pond(0),
      destination_pond_id: pond(1),
      average_weight: 1,
      ...transfer,
    });
    return {
      meal: (await call('POST', '/feeding/', { batch_id: id, feed_type: '35 % PB', ...meal }))['id'],
      weighing: (await call('POST', '/biometries/', { batch_id: id, ...weighing }))['id'],
      harvest: (await call('POST', `/batches/${id}/harvests`, harvest))['id'],
      transfer: moved['id'],
      bill: (await call('POST', '/financial/expenses', { batch_id: id, description: 'x', ...bill }))['id'],
    };
  }
  /** Every figure of the batch, without its names. */
  async function figuresOf(id: string): Promise<unknown> {
    const answers = await Promise.all(
      [
        `/batches/${id}`,
        `/batches/${id}/stats`,
        `/batches/${id}/growth-curve`,
        `/batches/${id}/growth-analysis`,
        `/biometries/batch/${id}/summary`,
        `/feeding/batch/${id}/summary`,
        `/feeding/batch/${id}/recommendation`,
        `/financial/cost-per-kg/${id}`,
        `/financial/profitability/${id}?selling_price_per_kg=20`,
        `/financial/optimal-harvest/${id}?market_price_per_kg=20&daily_operational_cost=50`,
      ].map((path) => call('GET', path)),
    );
    const names = new Set(['id', 'numeric_id', 'batch_id', 'batch_code', 'batch_number', 'batch_name']);
    const when = new Set(['created_at', 'updated_at']);
    return JSON.parse(
      JSON.stringify(answers, (key, value: unknown) =>
        names.has(key) || when.has(key) ? undefined : value,
      ).replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uuid) =>
        farm.ponds.some((each) => each.id === uuid) ? uuid : 'uuid',
      ),
    );
  }

  it('and corrected later is as if it had been entered right at first', async () => {
    await fc.assert(
      fc.asyncProperty(records, records, async (right, wrong) => {
        const [mended, first] = [await aBatch(), await aBatch()];
        const made = await recorded(mended.id, wrong);
        await call('PUT', `/feeding/${made.meal}`, right.meal);
        await call('PUT', `/biometries/${made.weighing}`, right.weighing);
        await call('PUT', `/batches/${mended.id}/harvests/${made.harvest}`, right.harvest);
        await call('PUT', `/transfers/${made.transfer}`, right.transfer);
        await call('PUT', `/financial/expenses/${made.bill}`, right.bill);
        await recorded(first.id, right);
        expect(await figuresOf(mended.id)).toEqual(await figuresOf(first.id));
      }),
      runs,
    );
  });

  it('and deleted later is as if it had never been entered', async () => {
    await fc.assert(
      fc.asyncProperty(records, records, async (right, wrong) => {
        const [mended, first] = [await aBatch(), await aBatch()];
        await recorded(first.id, right);
        await recorded(mended.id, right);
        const made = await recorded(mended.id, wrong);
        await call('DELETE', `/financial/expenses/${made.bill}`);
        await call('DELETE', `/feeding/${made.meal}`);
        await call('DELETE', `/biometries/${made.weighing}`);
        await call('DELETE', `/batches/${mended.id}/harvests/${made.harvest}`);
        await call('DELETE', `/transfers/${made.transfer}`);
        expect(await figuresOf(mended.id)).toEqual(await figuresOf(first.id));
      }),
      runs,
    );
  });

  it('and fed more never costs less, and earns no more', async () => {
    const meals = fc.array(records, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(meals, async (given) => {
        const { id } = await aBatch();
        const weighing = given[0]?.weighing;
        await call('POST', '/biometries/', { batch_id: id, ...weighing });
        let before = { total: 0, perKg: 0, profit: Number.POSITIVE_INFINITY, fca: 0 };
        for (const { meal } of given) {
          await call('POST', '/feeding/', { batch_id: id, feed_type: '35 % PB', ...meal });
          const told = await call('GET', `/financial/cost-per-kg/${id}`);
          const asked = await call('GET', `/financial/profitability/${id}?selling_price_per_kg=20`);
          const { current_fca: fca } = await call('GET', `/batches/${id}`);
          const now = {
            total: Number(told['total_cost']),
            perKg: Number(told['cost_per_kg']),
            profit: Number(asked['projected_profit']),
            fca: Number(fca ?? 0),
          };
          expect(now.profit).toBeLessThanOrEqual(before.profit);
          expect(now.fca).toBeGreaterThanOrEqual(before.fca);
          expect(now.total).toBeGreaterThanOrEqual(before.total);
          expect(now.perKg).toBeGreaterThanOrEqual(before.perKg);
          before = now;
        }
      }),
      runs,
    );
  });
});
