import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// The clock of the tests stands at 2 March, noon UTC; the batches were stocked before and half of each was moved.
const STOCKED = { initial_count: 10_000, estimated_survival_rate: 80, initial_avg_weight: 1 };

onBothEngines('a batch in several ponds', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const pond = (farm: StockedFarm, n: number) => farm.ponds[n]?.id ?? '';
  const post = (farm: StockedFarm, path: string, sent: unknown) =>
    app.call('POST', path, { token: farm.token, body: sent });
  const get = async (farm: StockedFarm, path: string) =>
    body(await app.call('GET', path, { token: farm.token }));
  const move = (farm: StockedFarm, quantity: number, transfer_date = '2026-03-01T12:00:00Z') =>
    post(farm, '/transfers/', {
      batch_id: farm.batch.id,
      source_pond_id: pond(farm, 0),
      destination_pond_id: pond(farm, 1),
      quantity,
      transfer_date,
    });
  async function aSplitBatch(quantity = 4_000, fields: Record<string, unknown> = {}) {
    const farm = await aStockedFarm(app, { ...STOCKED, ponds: 3, ...fields });
    expect((await move(farm, quantity)).status).toBe(201);
    return farm;
  }
  const lose = (farm: StockedFarm, sent: Record<string, unknown>) =>
    post(farm, `/batches/${farm.batch.id}/adjust-survival`, { event_description: 'Mortalidade', ...sent });
  const weigh = (farm: StockedFarm, averageG: number, pond_id?: string, at = '2026-03-02T09:00:00Z') =>
    post(farm, '/biometries/', {
      batch_id: farm.batch.id,
      measurement_date: at,
      sample_size: 100,
      total_weight_g: averageG * 100,
      ...(pond_id === undefined ? {} : { pond_id }),
    });
  type PondOf = { pond_id: string; population: number; average_weight_g: number; biomass_kg: number };
  async function pondsOf(farm: StockedFarm) {
    const detail = await get(farm, `/batches/${farm.batch.id}`);
    const ponds = detail['ponds'] as PondOf[];
    const of = (n: number) => ponds.find(({ pond_id }) => pond_id === pond(farm, n));
    return { detail, ponds, first: of(0), second: of(1) };
  }

  it('a harvest of more than a pond is thought to hold is believed and told, and all ponds hold what the batch holds', async () => {
    const farm = await aSplitBatch();
    const take = (quantity: number) =>
      post(farm, `/batches/${farm.batch.id}/harvests`, { pond_id: pond(farm, 1), quantity, weight_kg: 40 });
    const [fits, more] = [body(await take(3_000)), body(await take(1_500))];
    expect(fits['warnings']).toEqual([]);
    expect(more['warnings']).toMatchObject([{ code: 'MORE_THAN_ESTIMATED' }]);
    const { detail, ponds } = await pondsOf(farm);
    expect(ponds).toHaveLength(1);
    expect(ponds[0]?.population).toBe(detail['current_population']);
    const back = `/batches/${farm.batch.id}/harvests/${String(more['id'])}`;
    const mended = await app.call('PUT', back, { token: farm.token, body: { quantity: 1_000 } });
    expect(mended.body).toMatchObject({ warnings: [] });
    expect((await pondsOf(farm)).first?.population).toBe(Number(detail['current_population']) + 500);
  });

  describe('a loss in one pond', () => {
    it('kills in that pond alone, and the survival of the batch falls by its part', async () => {
      const farm = await aSplitBatch();
      const lost = await lose(farm, { severity: 0.5, pond_id: pond(farm, 1) });
      expect(lost).toMatchObject({
        status: 200,
        body: {
          old_survival_rate: 80,
          new_survival_rate: 60,
          adjustment: -20,
          pond_id: pond(farm, 1),
          dead_count: 2_000,
          current_population: 2_000,
        },
      });
      const { detail, first, second } = await pondsOf(farm);
      expect([first?.population, second?.population]).toEqual([4_000, 2_000]);
      expect(detail).toMatchObject({ survival_rate: 60, current_population: 6_000 });
      const listed = (await app.call('GET', '/batches/', { token: farm.token })).body;
      expect(listed).toMatchObject([{ survival_rate: 60 }]);
    });

    it('without a pond kills in all ponds alike, as ever', async () => {
      const farm = await aSplitBatch();
      expect(body(await lose(farm, { severity: 0.5 }))).toMatchObject({
        new_survival_rate: 40,
        pond_id: null,
      });
      const { first, second } = await pondsOf(farm);
      expect([first?.population, second?.population]).toEqual([2_000, 2_000]);
    });

    it('is counted in animals, or weighed in kg and counted by the weight of that pond', async () => {
      const farm = await aSplitBatch();
      await weigh(farm, 10, pond(farm, 1));
      expect(body(await lose(farm, { dead_count: 123, pond_id: pond(farm, 0) }))).toMatchObject({
        dead_count: 123,
        current_population: 3_877,
      });
      expect(body(await lose(farm, { dead_weight_kg: 5, pond_id: pond(farm, 1) }))).toMatchObject({
        dead_count: 500,
        current_population: 3_500,
      });
      const { detail, first, second } = await pondsOf(farm);
      expect([first?.population, second?.population]).toEqual([3_877, 3_500]);
      expect(detail['current_population']).toBe(7_377);
    });

    it('of all that live there empties the pond, whatever was rounded', async () => {
      const farm = await aSplitBatch(3_333, { estimated_survival_rate: 77.77 });
      const { second } = await pondsOf(farm);
      await lose(farm, { dead_count: second?.population, pond_id: pond(farm, 1) });
      const { detail, ponds } = await pondsOf(farm);
      expect(ponds).toHaveLength(1);
      expect(ponds[0]?.population).toBe(detail['current_population']);
    });

    it('of animals that came by a transfer cannot lose that transfer any more', async () => {
      const farm = await aSplitBatch();
      await lose(farm, { severity: 0.5, pond_id: pond(farm, 1) });
      const history = await get(farm, `/transfers/batch/${farm.batch.id}/history`);
      const [made] = history['history'] as { id: number }[];
      const gone = await app.call('DELETE', `/transfers/${made?.id}`, { token: farm.token });
      expect(gone.status).toBe(409);
    });

    it('needs a pond with animals of the batch, one way to say how many, and no more dead than live', async () => {
      const farm = await aSplitBatch();
      const elsewhere = await aStockedFarm(app, STOCKED);
      for (const [sent, path] of [
        [{ severity: 0.1, pond_id: pond(farm, 2) }, 'pond_id'],
        [{ severity: 0.1, pond_id: pond(elsewhere, 0) }, 'pond_id'],
        [{}, 'severity'],
        [{ severity: 0.1, dead_count: 5 }, 'severity'],
        [{ dead_count: 4_001, pond_id: pond(farm, 1) }, 'dead_count'],
        [{ dead_weight_kg: 4.1, pond_id: pond(farm, 1) }, 'dead_weight_kg'],
      ] as const) {
        expect(await lose(farm, sent)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
      }
      expect((await pondsOf(farm)).detail['survival_rate']).toBe(80);
    });
  });

  describe('a weighing of one pond', () => {
    it('gives that pond its weight, the others keep that of the batch, and together they weigh what it weighs', async () => {
      const farm = await aSplitBatch();
      await weigh(farm, 4, undefined, '2026-03-01T15:00:00Z');
      expect((await weigh(farm, 8, pond(farm, 1))).body).toMatchObject({
        pond_id: pond(farm, 1),
        warnings: [],
      });
      const { detail, first, second } = await pondsOf(farm);
      expect(first).toMatchObject({ average_weight_g: 4, biomass_kg: 16 });
      expect(second).toMatchObject({ average_weight_g: 8, biomass_kg: 32 });
      expect(detail).toMatchObject({ average_weight_g: 6, current_biomass_kg: 48 });
      for (const [n, weight, kg] of [
        [0, 4, 16],
        [1, 8, 32],
      ] as const) {
        const card = await get(farm, `/ponds/${pond(farm, n)}/summary-card`);
        expect(card['active_batch']).toMatchObject({ average_weight_g: weight, current_biomass_kg: kg });
      }
    });

    it('stands in for a pond that was never weighed, which is told as assumed and not as measured', async () => {
      const farm = await aSplitBatch();
      await weigh(farm, 8, pond(farm, 1));
      const { first, second } = await pondsOf(farm);
      expect(first).toMatchObject({ average_weight_g: 8, weighed_pond_id: pond(farm, 1) });
      expect(second).toMatchObject({ weighed_pond_id: pond(farm, 1) });
      const card = await get(farm, `/ponds/${pond(farm, 0)}/summary-card`);
      expect(card['active_batch']).toMatchObject({ weighed_pond_id: pond(farm, 1) });
      const notes = async () =>
        (await get(farm, `/feeding/batch/${farm.batch.id}/recommendation`))['notes'] as string[];
      const assumed = 'O peso em V-1 é suposto, não medido: vale a biometria feita em V-2. Pese V-1.';
      expect(await notes()).toContain(assumed);
      await weigh(farm, 5, pond(farm, 0), '2026-03-02T10:00:00Z');
      expect(await notes()).not.toContain(assumed);
      const file = `/exports/biometries/csv?batch_id=${farm.batch.id}&columns=all`;
      const csv = String((await app.call('GET', file, { token: farm.token })).body).split('\r\n');
      expect(csv.map((line) => line.split(',').at(-1))).toEqual(['pond', 'V-2', 'V-1', '']);
    });

    it('is what that pond is fed by', async () => {
      const farm = await aSplitBatch();
      await weigh(farm, 8, undefined, '2026-03-01T15:00:00Z');
      const rationOf = async () => {
        const answer = await get(farm, `/feeding/batch/${farm.batch.id}/recommendation`);
        const ponds = answer['ponds'] as { pond_id: string; recommended_feed_kg: number }[];
        const of = (n: number) => ponds.find(({ pond_id }) => pond_id === pond(farm, n))?.recommended_feed_kg;
        return [of(0) ?? 0, of(1) ?? 0] as const;
      };
      const before = await rationOf();
      expect(before[0]).toBe(before[1]);
      await weigh(farm, 4, pond(farm, 1));
      const after = await rationOf();
      expect(after[0]).toBe(before[0]);
      expect(after[1]).toBeLessThan(before[1]);
      await lose(farm, { severity: 0.5, pond_id: pond(farm, 0) });
      const dead = await rationOf();
      expect(dead[0]).toBeCloseTo(before[0] / 2, 1);
      expect(dead[1]).toBe(after[1]);
    });

    it('of all ponds in one round is one weighing of the batch: no growth is made of the way between two ponds', async () => {
      const farm = await aSplitBatch(4_000, { start_date: '2026-02-01' });
      await weigh(farm, 3, undefined, '2026-02-23T10:00:00Z');
      await weigh(farm, 8, pond(farm, 0), '2026-03-02T10:00:00Z');
      await weigh(farm, 4, pond(farm, 1), '2026-03-02T10:30:00Z');
      const lines = await get(farm, '/dashboard/growth-rates');
      // from 3 g to the mean of 8 and 4 in seven days
      expect(lines['batches']).toMatchObject([{ current_weight_g: 6, weekly_growth_g: 3 }]);
    });

    it('of ponds that are first weighed on two days is no loss of weight, and no growth of nothing', async () => {
      const farm = await aSplitBatch(4_000, { start_date: '2026-01-20' });
      await weigh(farm, 14, pond(farm, 0), '2026-03-01T15:00:00Z');
      await weigh(farm, 7, pond(farm, 1), '2026-03-02T09:00:00Z');
      const query = 'market_price_per_kg=22&daily_operational_cost=10';
      const advised = await get(farm, `/financial/optimal-harvest/${farm.batch.id}?${query}`);
      expect(JSON.stringify(advised)).not.toMatch(/medid|measured|HARVEST_NOW/i);
      expect(advised['analysis']).toMatchObject({
        expected_daily_growth_g: expect.toSatisfy((g) => g > 0.1),
      });
      const lines = await get(farm, '/dashboard/growth-rates');
      // from 1 g at the stocking, 41 days ago, to the mean of both ponds by their animals
      expect(lines['batches']).toMatchObject([{ current_weight_g: 10.5, weekly_growth_g: 1.62 }]);
      await weigh(farm, 15, pond(farm, 0), '2026-03-02T10:00:00Z');
      const again = await get(farm, '/dashboard/growth-rates');
      expect(again['batches']).toMatchObject([{ current_weight_g: 11 }]);
    });

    it('names a pond the batch was in; corrected to none it stands for the batch', async () => {
      const farm = await aSplitBatch();
      expect(await weigh(farm, 8, pond(farm, 2))).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'pond_id', code: 'NEVER_IN_POND' }] },
      });
      const early = body(await weigh(farm, 8, pond(farm, 1), '2026-02-25T09:00:00Z'));
      expect(early['warnings']).toMatchObject([{ code: 'NOT_IN_POND' }]);
      const corrected = await app.call('PUT', `/biometries/${String(early['id'])}`, {
        token: farm.token,
        body: { pond_id: null },
      });
      expect(corrected.body).toMatchObject({ pond_id: null });
      expect((await pondsOf(farm)).first?.average_weight_g).toBe(8);
    });
  });

  it('has whole animals in its ponds that add up to the batch, and can move every one of them', async () => {
    for (const quantity of [1, 3_331, 4_444]) {
      const farm = await aSplitBatch(quantity, { initial_count: 9_999, estimated_survival_rate: 77.77 });
      await lose(farm, { severity: 0.123 });
      const { detail, ponds, first } = await pondsOf(farm);
      const sum = ponds.reduce((all, { population }) => all + population, 0);
      expect(sum).toBe(detail['current_population']);
      expect((await move(farm, first?.population ?? 0, '2026-03-02T12:00:00Z')).status).toBe(201);
      const after = await pondsOf(farm);
      expect(after.ponds).toMatchObject([{ pond_id: pond(farm, 1), population: sum }]);
    }
  });

  it.each([
    ['fed in a pond it never was in', '/feeding/', 2, '2026-03-02T09:00:00Z', true],
    ['fed in a pond before it came there', '/feeding/', 1, '2026-02-27T09:00:00Z', true],
    ['fed in a pond it lives in', '/feeding/', 1, '2026-03-02T09:00:00Z', false],
    ['harvested in a pond it never was in', 'harvests', 2, '2026-03-02T09:00:00Z', true],
    ['harvested in a pond it lives in', 'harvests', 1, '2026-03-02T09:00:00Z', false],
  ])('%s: kept, and told where it cannot be', async (_what, path, n, at, isTold) => {
    const farm = await aSplitBatch();
    const made =
      path === 'harvests'
        ? await post(farm, `/batches/${farm.batch.id}/harvests`, {
            pond_id: pond(farm, n),
            harvest_date: at,
            quantity: 10,
            weight_kg: 0.01,
          })
        : await post(farm, path, {
            batch_id: farm.batch.id,
            pond_id: pond(farm, n),
            feed_type: '35 % PB',
            quantity_kg: 0.1,
            cost_per_kg: 5,
            feed_date: at,
          });
    expect(made.status).toBe(201);
    const codes = ((body(made)['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);
    expect(codes.includes('NOT_IN_POND')).toBe(isTold);
  });
});
