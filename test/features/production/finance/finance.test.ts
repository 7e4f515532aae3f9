import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { harvest } from '#contract/resources/batches.ts';
import { insert } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { ended, weighed } from '#test/recorded-rows.ts';
import { aStaffedFarm, created, outcomeOf, refused, type StaffedFarm } from '#test/staffed-farm.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// The clock of the test stands at 2 March 2026, 12:00 UTC.
const NOBODYS = '01900000-0000-7000-8000-00000000dead';
const ENGLISH = { 'Accept-Language': 'en' };

onBothEngines('money', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  type Of = StockedFarm['batch'];
  const aBatch = (fields = {}): Promise<Of> =>
    aBatchIn(app, { farmId: farm.farmId, ownerId: farm.userId, pondId: farm.ponds[0]?.id ?? '' }, fields);
  /** 100,000 × 80 % × 10 g: 800 kg, weighed today. */
  async function aBatchOf800Kg(fields = {}): Promise<Of> {
    const batch = await aBatch({ estimated_survival_rate: 80, ...fields });
    await weighed(app, batch.id, 10);
    return batch;
  }
  const spend = (
    fields: Record<string, unknown> = {},
    { of = farm.batch, token = farm.token, headers = {} } = {},
  ) =>
    app.call('POST', '/financial/expenses', {
      token,
      headers,
      body: {
        batch_id: of.id,
        category: 'LABOR',
        amount: 300,
        description: 'Diária',
        expense_date: '2026-02-20T12:00:00Z',
        ...fields,
      },
    });
  const feed = (of: Of, quantity_kg: number, cost_per_kg: number, feed_date = '2026-03-01T12:00:00Z') =>
    app.call('POST', '/feeding/', {
      token: farm.token,
      body: { batch_id: of.id, feed_type: 'Pellet', quantity_kg, cost_per_kg, feed_date },
    });
  const get = (path: string, token = farm.token, headers: Record<string, string> = {}) =>
    app.call('GET', `/financial/${path}`, { token, headers });
  const costOf = async (of: Of) => (await get(`cost-per-kg/${of.id}`)).body;
  const profitOf = async (of: Of, price: number | string) =>
    (await get(`profitability/${of.id}?selling_price_per_kg=${price}`)).body;
  const outcome = (ask: () => ReturnType<typeof spend>) => outcomeOf(app, ask);

  async function aPartialHarvest(of: Of, quantity: number, weight_kg: number): Promise<void> {
    const at = new Date(app.clock.now()).toISOString();
    const row: RowOf<typeof harvest> = {
      id: app.kernel.newId(),
      batch_id: of.id,
      pond_id: null,
      harvest_date: at,
      quantity,
      weight_kg,
      price_per_kg: null,
      notes: null,
      created_by: null,
      clock_quality: 'trusted',
      created_at: at,
      updated_at: null,
    };
    await app.kernel.commit({ actor: null, changes: [insert(harvest, row)] });
  }

  describe('expenses', () => {
    it('an expense is kept with its category, amount and day', async () => {
      const made = await spend({ category: 'energy', amount: 1234.565, expense_date: '2026-02-20' });
      expect({ status: made.status, etag: made.headers.get('etag'), body: made.body }).toEqual({
        status: 201,
        etag: '"1"',
        body: {
          id: expect.any(String),
          batch_id: farm.batch.id,
          category: 'ENERGY',
          amount: 1234.57,
          description: 'Diária',
          expense_date: '2026-02-20T03:00:00.000Z',
          clock_quality: 'trusted',
          created_at: '2026-03-02T12:00:00.000Z',
          updated_at: null,
        },
      });
      const { id } = made.body as { id: string };
      expect((await get(`expenses/${id}`)).body).toEqual(made.body);
    });

    it.each([
      ['category', { category: 'BRIBES' }],
      ['category', { category: undefined }],
      ['amount', { amount: -1 }],
      ['amount', { amount: '300' }],
      ['amount', { amount: undefined }],
      ['description', { description: 5 }],
      ['description', { description: undefined }],
      ['expense_date', { expense_date: 'soon' }],
      ['expense_date', { expense_date: undefined }],
    ])('%s is refused with 422: %j', async (field, wrong) => {
      expect(await outcome(() => spend(wrong))).toEqual(refused(422, field));
    });

    it('the list of a batch is newest first, a page at a time, and of that batch alone', async () => {
      const batch = await aBatch();
      for (const day of ['05', '03', '04']) await spend({ expense_date: `2026-02-${day}` }, { of: batch });
      const days = async (query: string) => {
        const { body } = await get(`expenses?batch_id=${batch.numeric_id}${query}`);
        return (body as { expense_date: string }[]).map(({ expense_date }) => expense_date.slice(8, 10));
      };
      expect(await days('')).toEqual(['05', '04', '03']);
      expect(await days('&skip=1&limit=1')).toEqual(['04']);
      expect(await outcome(() => get('expenses'))).toEqual(refused(422, 'batch_id'));
    });

    it('the bill of the last month comes after the harvest and still counts', async () => {
      const batch = await aBatch();
      await ended(app, batch.id);
      expect((await spend({}, { of: batch })).status).toBe(201);
      expect(await costOf(batch)).toMatchObject({ total_cost: 300 });
    });

    it('a correction keeps old and new values in the log; the same values write nothing', async () => {
      const id = await created(spend());
      const path = `/financial/expenses/${id}`;
      const put = (body: unknown, headers: Record<string, string> = {}) =>
        app.call('PUT', path, { token: farm.token, body, headers });
      expect(await outcomeOf(app, () => put({ amount: 300 }))).toMatchObject({ status: 200, writes: 0 });
      const changed = await put({ amount: 350, category: 'OTHER' }, { 'If-Match': '"1"' });
      expect(changed).toMatchObject({ status: 200, body: { amount: 350, category: 'OTHER' } });
      expect(await outcome(() => put({ amount: 1 }, { 'If-Match': '"1"' }))).toEqual(refused(412));
      expect((await app.call('DELETE', path, { token: farm.token })).status).toBe(204);
      expect((await app.call('GET', path, { token: farm.token })).status).toBe(404);
      const entries = await app.database.read
        .selectFrom('logs')
        .select(['action', 'details'])
        .where('entity_id', '=', id)
        .orderBy('id')
        .execute();
      expect(
        entries.map(({ action, details }) => ({ action, ...JSON.parse(details ?? '{}') })),
      ).toMatchObject([
        {
          action: 'update',
          record: 'expense',
          before: { amount: 300, category: 'LABOR' },
          after: { amount: 350, category: 'OTHER' },
        },
        { action: 'delete', before: { amount: 350 } },
      ]);
    });

    it('the same Idempotency-Key spends once', async () => {
      const batch = await aBatch();
      const headers = { 'Idempotency-Key': 'bill-7' };
      const once = () => spend({}, { of: batch, headers });
      expect((await once()).body).toEqual((await once()).body);
      expect(await costOf(batch)).toMatchObject({ total_cost: 300 });
    });

    it('what is unlikely is kept and told', async () => {
      const codes = async (fields: Record<string, unknown>) => {
        const { body } = await spend(fields);
        return ((body as { warnings?: { code: string }[] }).warnings ?? []).map(({ code }) => code);
      };
      expect(await codes({ amount: 0 })).toEqual(['ZERO_AMOUNT']);
      expect(await codes({ expense_date: '2026-03-03' })).toEqual(['FUTURE_DATE']);
      expect(await codes({ expense_date: '2024-06-01' })).toEqual(['LONG_BEFORE_START']);
      expect(await codes({ expense_date: '2025-12-01' })).toEqual([]);
    });

    it.each([
      ['pt-BR', 'Despesa de valor zero: confira o valor.'],
      ['en', 'This expense is 0: check the amount.'],
    ])('in the language of whoever asks: %s', async (language, message) => {
      const batch = await aBatch();
      const { body } = await spend({ amount: 0 }, { of: batch, headers: { 'Accept-Language': language } });
      expect(body).toMatchObject({ warnings: [{ code: 'ZERO_AMOUNT', message }] });
    });
  });

  describe('cost per kilogram', () => {
    it('feed, energy and the rest over 800 kg', async () => {
      const batch = await aBatchOf800Kg();
      await feed(batch, 1_000, 6);
      await spend({ category: 'ENERGY', amount: 1_500 }, { of: batch });
      await spend({ category: 'LABOR', amount: 2_000 }, { of: batch });
      await spend({ category: 'SUPPLIES', amount: 500 }, { of: batch });
      expect(await costOf(batch)).toEqual({
        batch_id: batch.id,
        batch_number: batch.batch_code,
        estimated_biomass_kg: 800,
        total_feed_cost: 6_000,
        total_operational_cost: 2_500,
        total_energy_cost: 1_500,
        total_cost: 10_000,
        cost_per_kg: 12.5,
        breakdown: { feed_percentage: 60, operational_percentage: 25, energy_percentage: 15 },
        feed_cost_source: 'FEEDING_RECORDS',
        harvested_kg: 0,
        missing: ['SURVIVAL'],
      });
    });

    it('bought feed counts only while nothing was fed: then it would count twice', async () => {
      const batch = await aBatchOf800Kg();
      await spend({ category: 'FEED', amount: 4_000 }, { of: batch });
      expect(await costOf(batch)).toMatchObject({
        total_feed_cost: 4_000,
        total_cost: 4_000,
        feed_cost_source: 'FEED_EXPENSES',
      });
      const meal = await created(feed(batch, 100, 6));
      expect(await costOf(batch)).toMatchObject({
        total_feed_cost: 600,
        total_operational_cost: 0,
        total_cost: 600,
        feed_cost_source: 'FEEDING_RECORDS',
      });
      await app.call('DELETE', `/feeding/${meal}`, { token: farm.token });
      expect(await costOf(batch)).toMatchObject({ total_feed_cost: 4_000 });
    });

    it('feed given for nothing is feed all the same', async () => {
      const batch = await aBatchOf800Kg();
      await spend({ category: 'FEED', amount: 4_000 }, { of: batch });
      await feed(batch, 100, 0);
      expect(await costOf(batch)).toMatchObject({ total_feed_cost: 0, total_cost: 0 });
    });

    it('without biomass there is no cost per kilogram, without cost no shares', async () => {
      const dead = await aBatch({ estimated_survival_rate: 0 });
      await spend({}, { of: dead });
      expect(await costOf(dead)).toMatchObject({
        estimated_biomass_kg: 0,
        total_cost: 300,
        cost_per_kg: null,
      });
    });

    it('where nobody recorded a cost the sums are those of the interface, nothing, and what is missing is named, whatever was fed for nothing', async () => {
      const batch = await aBatchOf800Kg();
      const isUnknown = async (missing: readonly string[]) => {
        expect(await costOf(batch)).toMatchObject({
          total_cost: 0,
          cost_per_kg: 0,
          breakdown: { feed_percentage: null, operational_percentage: null, energy_percentage: null },
          missing: ['SURVIVAL', ...missing],
        });
        expect(await profitOf(batch, 20)).toMatchObject({
          cost_per_kg: 0,
          projected_revenue: 16_000,
          projected_profit: 16_000,
          profit_margin_percentage: 100,
          roi_percentage: null,
          break_even_price_per_kg: null,
          missing: ['SURVIVAL', ...missing],
        });
      };
      await isUnknown(['FEED', 'EXPENSES']);
      await feed(batch, 100, 0);
      await isUnknown(['EXPENSES']);
      await spend({ amount: 0 }, { of: batch });
      await isUnknown(['EXPENSES']);
      // dated tomorrow it is no cost of today
      await spend({ expense_date: '2026-03-03T10:00:00Z' }, { of: batch });
      await isUnknown(['EXPENSES']);
      await spend({ amount: 0.01 }, { of: batch });
      expect(await costOf(batch)).toMatchObject({ total_cost: 0.01, cost_per_kg: 0, missing: ['SURVIVAL'] });
    });

    it('three equal parts make 100 %, not 99.99', async () => {
      const batch = await aBatchOf800Kg();
      for (const category of ['FEED', 'ENERGY', 'LABOR'])
        await spend({ category, amount: 100 }, { of: batch });
      const { breakdown } = (await costOf(batch)) as { breakdown: Record<string, number> };
      expect(Object.values(breakdown).toSorted((a, b) => a - b)).toEqual([33.33, 33.33, 33.34]);
    });

    it('what was harvested before bears its part of the cost', async () => {
      const batch = await aBatchOf800Kg();
      await aPartialHarvest(batch, 20_000, 180);
      await spend({ amount: 7_800 }, { of: batch });
      // 60,000 of 10 g live on, and 180 kg were sold
      expect(await costOf(batch)).toMatchObject({
        estimated_biomass_kg: 780,
        harvested_kg: 180,
        cost_per_kg: 10,
      });
    });

    it('of a finished batch the weighed harvest counts, not the estimate', async () => {
      const batch = await aBatchOf800Kg();
      await spend({ amount: 7_000 }, { of: batch });
      await ended(app, batch.id, { final_weight_kg: 700 });
      expect(await costOf(batch)).toMatchObject({ estimated_biomass_kg: 700, cost_per_kg: 10 });
    });
  });

  describe('profitability', () => {
    it('800 kg at 20.00 that cost 10,000 leave 6,000: 37.5 % of revenue, 60 % of cost', async () => {
      const batch = await aBatchOf800Kg();
      await spend({ amount: 10_000 }, { of: batch });
      expect(await profitOf(batch, 20)).toEqual({
        batch_id: batch.id,
        estimated_biomass_kg: 800,
        cost_per_kg: 12.5,
        selling_price_per_kg: 20,
        total_cost: 10_000,
        projected_revenue: 16_000,
        projected_profit: 6_000,
        profit_margin_percentage: 37.5,
        roi_percentage: 60,
        break_even_price_per_kg: 12.5,
        missing: ['SURVIVAL', 'FEED'],
      });
    });

    it('a loss is negative; nothing earned has no margin', async () => {
      const batch = await aBatchOf800Kg();
      await spend({ amount: 10_000 }, { of: batch });
      expect(await profitOf(batch, 10)).toMatchObject({
        projected_profit: -2_000,
        profit_margin_percentage: -25,
        roi_percentage: -20,
      });
      expect(await profitOf(batch, 0)).toMatchObject({
        projected_revenue: 0,
        projected_profit: -10_000,
        profit_margin_percentage: null,
        roi_percentage: -100,
      });
    });

    it.each(['', '?selling_price_per_kg=', '?selling_price_per_kg=-1', '?selling_price_per_kg=cheap'])(
      'a price is needed: %s',
      async (query) => {
        expect(await outcome(() => get(`profitability/${farm.batch.id}${query}`))).toEqual(
          refused(422, 'selling_price_per_kg'),
        );
      },
    );
  });

  describe('the best day to harvest', () => {
    const harvestOf = async (of: Of, query = 'market_price_per_kg=22', headers = ENGLISH) =>
      (await get(`optimal-harvest/${of.id}?${query}`, farm.token, headers)).body as Record<string, unknown>;
    /** 246,000 shrimp that grew 0.19 g a day during the last week. */
    async function aGrowingBatch(): Promise<Of> {
      const batch = await aBatch({ initial_count: 300_000, estimated_survival_rate: 82 });
      await weighed(app, batch.id, 8.67, { measurement_date: '2026-02-23T12:00:00.000Z' });
      await weighed(app, batch.id, 10, { measurement_date: '2026-03-02T12:00:00.000Z' });
      return batch;
    }

    it('growth of 46.74 kg a day at 22.00 pays a day that costs 700', async () => {
      const batch = await aGrowingBatch();
      await feed(batch, 7, 5);
      const { recommendation, analysis, ...more } = await harvestOf(
        batch,
        'market_price_per_kg=22&daily_operational_cost=700',
      );
      expect({ recommendation, analysis }).toEqual({
        recommendation: 'CONTINUE',
        analysis: {
          current_weight_g: 10,
          expected_daily_growth_g: 0.19,
          current_biomass_kg: 2_460,
          daily_biomass_gain_kg: 46.74,
          daily_growth_revenue: 1_028.28,
          daily_operational_cost: 700,
          net_daily_profit: 328.28,
        },
      });
      expect(more).toMatchObject({
        batch_id: batch.id,
        break_even_price_per_kg: 14.98,
        last_biometry_days_ago: 0,
        partial_harvest: {
          share_percent: 30,
          quantity: 73_800,
          biomass_kg: 738,
          revenue: 16_236,
          remaining_biomass_kg: 1_722,
        },
        energy_estimate: {
          kwh_per_day: 0,
          cost_per_day: 0,
          source: 'NONE',
          days: 7,
          kwh_per_tonne: null,
          kwh_per_tonne_usual: 5_028,
          kwh_per_tonne_rating: null,
        },
      });
      expect(more['confidence']).toBeGreaterThan(50);
      expect(more['confidence']).toBeLessThan(100);
    });

    it('a day that costs as much as it earns, or more, is not waited for', async () => {
      const batch = await aGrowingBatch();
      const at = async (cost: string) =>
        (await harvestOf(batch, `market_price_per_kg=22&daily_operational_cost=${cost}`))['recommendation'];
      expect(await at('1028.2')).toBe('CONTINUE');
      expect(await at('1028.3')).toBe('HARVEST_NOW');
      expect(await at('5000')).toBe('HARVEST_NOW');
    });

    it('a day costs 100 unless said otherwise', async () => {
      const { analysis } = await harvestOf(await aGrowingBatch());
      expect(analysis).toMatchObject({ daily_operational_cost: 100, net_daily_profit: 928.28 });
    });

    it('a batch never weighed, or not for more than 14 days, is to be weighed first', async () => {
      const never = await aBatch({ initial_count: 300_000 });
      expect(await harvestOf(never)).toMatchObject({
        recommendation: 'MONITOR',
        confidence: null,
        last_biometry_days_ago: null,
      });
      const days = async (day: string) => {
        const batch = await aBatch({ initial_count: 300_000 });
        await weighed(app, batch.id, 10, { measurement_date: `2026-02-${day}T12:00:00.000Z` });
        return (await harvestOf(batch))['recommendation'];
      };
      expect(await days('16')).toBe('CONTINUE');
      expect(await days('15')).toBe('MONITOR');
    });

    it('says why and what to do, in Portuguese unless asked otherwise', async () => {
      const batch = await aGrowingBatch();
      const query = 'market_price_per_kg=22&daily_operational_cost=700';
      const english = await harvestOf(batch, query);
      expect(english['explanation']).toMatch(/246,000 shrimp .*46\.7 kg a day.*R\$ 22\.00.*R\$ 328\.28/);
      expect(english['suggestion']).toContain(batch.batch_code);
      const portuguese = await harvestOf(batch, query, { 'Accept-Language': 'pt-BR' });
      expect(portuguese['explanation']).toMatch(/246\.000 camarões .*46,7 kg por dia.*R\$ 22,00/);
    });

    it('of a batch that has ended there is nothing to decide: 409', async () => {
      const batch = await aGrowingBatch();
      await ended(app, batch.id);
      expect(await outcome(() => get(`optimal-harvest/${batch.id}?market_price_per_kg=22`))).toEqual(
        refused(409),
      );
    });
  });

  describe('who may', () => {
    let place: StaffedFarm;
    let batch: Of;
    let id: string;
    const paths = () => [
      `expenses?batch_id=${batch.id}`,
      `expenses/${id}`,
      `cost-per-kg/${batch.id}`,
      `profitability/${batch.id}?selling_price_per_kg=20`,
      `optimal-harvest/${batch.id}?market_price_per_kg=20`,
    ];
    beforeAll(async () => {
      place = await aStaffedFarm(app);
      const pondId = await created(
        app.call('POST', '/ponds/', {
          token: place.owner.token,
          body: { farm_id: place.farmId, cod: 'V-01' },
        }),
      );
      batch = await aBatchIn(app, { farmId: place.farmId, ownerId: place.owner.user.id, pondId });
      id = await created(spend({}, { of: batch, token: place.manager.token }));
    });

    it('owner, manager and viewer read the finance, a technician does not', async () => {
      for (const path of paths()) {
        for (const { token } of [place.owner, place.manager, place.viewer])
          expect([path, (await get(path, token)).status]).toEqual([path, 200]);
        expect([path, await outcome(() => get(path, place.technician.token))]).toEqual([path, refused(403)]);
      }
    });

    it('viewer and technician spend nothing', async () => {
      for (const { token } of [place.viewer, place.technician]) {
        const path = `/financial/expenses/${id}`;
        expect(await outcome(() => spend({}, { of: batch, token }))).toEqual(refused(403));
        expect(await outcome(() => app.call('PUT', path, { token, body: { amount: 1 } }))).toEqual(
          refused(403),
        );
        expect(await outcome(() => app.call('DELETE', path, { token }))).toEqual(refused(403));
      }
    });

    it('to a stranger there is no such batch and no such expense', async () => {
      const { token } = place.stranger;
      for (const path of paths())
        expect([path, await outcome(() => get(path, token))]).toEqual([path, refused(404)]);
      expect(await outcome(() => spend({}, { of: batch, token }))).toEqual(refused(404));
      expect(await outcome(() => spend({ batch_id: NOBODYS }, { token }))).toEqual(refused(404));
    });

    it('the log tells a technician that an expense was corrected, but not the amounts', async () => {
      const path = `/financial/expenses/${await created(spend({}, { of: batch, token: place.owner.token }))}`;
      await app.call('PUT', path, { token: place.owner.token, body: { amount: 999 } });
      const entryFor = async (token: string) => {
        const logs = await app.call('GET', `/logs/farm/${place.farmId}/control-points?include=all`, {
          token,
        });
        const entries = logs.body as { entity_id: string; action: string; details: unknown }[];
        return entries.find(({ entity_id }) => path.endsWith(entity_id));
      };
      expect(await entryFor(place.technician.token)).toMatchObject({ action: 'update', details: null });
      expect(await entryFor(place.viewer.token)).toMatchObject({
        action: 'update',
        details: { before: { amount: 300 }, after: { amount: 999 } },
      });
    });
  });
});
