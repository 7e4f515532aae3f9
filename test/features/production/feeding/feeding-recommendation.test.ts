import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { insert } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { ended, measured, survivalSet, weighed } from '#test/recorded-rows.ts';
import { outcomeOf, refused } from '#test/staffed-farm.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// The clock of the test stands at 2 March 2026, 12:00 UTC: nine in the morning at the farm.
const ENGLISH = { 'Accept-Language': 'en' };
const MORNING = '2026-03-02T11:00:00.000Z';
const DAWN = '2026-03-02T08:30:00.000Z';

onBothEngines('feeding recommendation', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  /** 300,000 stocked, 82 % alive, 8.4 g this morning: 2,066.4 kg. */
  async function aPondOfEightGrams(fields = {}): Promise<StockedFarm> {
    const farm = await aStockedFarm(app, {
      initial_count: 300_000,
      estimated_survival_rate: 82,
      initial_avg_weight: 0.01,
      ...fields,
    });
    await weighed(app, farm.batch.id, 8.4);
    return farm;
  }
  const pondOf = (farm: StockedFarm, n = 0) => farm.ponds[n]?.id ?? '';
  async function recommended(farm: StockedFarm, query = '', headers: Record<string, string> = ENGLISH) {
    const path = `/feeding/batch/${farm.batch.id}/recommendation${query}`;
    const { status, body } = await app.call('GET', path, { token: farm.token, headers });
    expect(status).toBe(200);
    return body as FeedingRecommendation;
  }

  it('a batch that comes tomorrow is not fed today', async () => {
    const farm = await aPondOfEightGrams({ start_date: '2026-03-03' });
    const { recommendation, daily_schedule } = await recommended(farm, '', { 'Accept-Language': 'pt-BR' });
    expect([recommendation.recommended_feed_kg, daily_schedule]).toEqual([0, []]);
    expect(recommendation.adjustment_reason).toBe('Povoamento previsto para 03/03/2026');
  });

  describe('a batch in good water', () => {
    it('246,000 shrimp of 8.4 g at 27 °C and 4.6 mg/L eat 69.89 kg, in four meals', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), {
        temperature: 27,
        dissolved_oxygen: 4.6,
        measurement_date: MORNING,
      });
      expect(await recommended(farm)).toEqual({
        batch_id: farm.batch.id,
        batch_number: farm.batch.batch_code,
        recommendation: {
          date: '2026-03-02',
          recommended_feed_kg: 69.89,
          feeding_frequency: 4,
          feed_type: expect.stringContaining('1.7 mm') as unknown,
          feeding_rate_percent: 3.38,
          adjustment_reason: 'Temperature 27.0 °C: -4%',
          feeding_table: 'BY_WEIGHT',
          feeding_table_source: 'Nunes & Parsons 2000',
          next_meal_kg: 13.98,
        },
        factors: {
          current_biomass_kg: 2_066.4,
          average_weight_g: 8.4,
          days_in_production: 60,
          water_temperature: 27,
          survival_rate: 82,
          last_biometry_days_ago: 0,
          feed_weight_g: 8.4,
          feed_biomass_kg: 2_066.4,
          dissolved_oxygen: 4.6,
          dissolved_oxygen_age_h: 1,
          dawn_oxygen: null,
          ammonia_nh3_n: null,
          condition: null,
          missing: ['SURVIVAL'],
        },
        daily_schedule: [
          { time: '06:00', percentage: 30, quantity_kg: 20.97 },
          { time: '11:00', percentage: 20, quantity_kg: 13.98 },
          { time: '17:00', percentage: 30, quantity_kg: 20.97 },
          { time: '22:00', percentage: 20, quantity_kg: 13.97 },
        ],
        ponds: [
          {
            pond_id: pondOf(farm),
            pond_cod: 'V-1',
            population: 246_000,
            recommended_feed_kg: 69.89,
            adjustment_reason: 'Temperature 27.0 °C: -4%',
            trays: null,
          },
        ],
        notes: ['Not recorded, and may make it worse: survival (the estimate of the stocking counts).'],
      });
    });

    it('that survival is an estimate is said until somebody feeds by it, and again at the next weighing', async () => {
      const farm = await aStockedFarm(app);
      await weighed(app, farm.batch.id, 8.4, { measurement_date: '2026-03-01T11:00:00.000Z' });
      const said = async () => {
        const { notes, factors } = await recommended(farm);
        expect(factors.missing).toEqual(['SURVIVAL']);
        return notes.some((note) => note.includes('survival (the estimate of the stocking counts)'));
      };
      const before = await said();
      await app.call('POST', '/feeding/', {
        token: farm.token,
        body: {
          batch_id: farm.batch.id,
          feed_type: '35%',
          quantity_kg: 14,
          cost_per_kg: 6,
          feed_date: '2026-03-02T09:00:00Z',
        },
      });
      const fed = await said();
      await weighed(app, farm.batch.id, 8.6, { measurement_date: MORNING });
      expect([before, fed, await said()]).toEqual([true, false, true]);
    });

    it('speaks Portuguese unless asked otherwise, with a comma', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), { temperature: 27, dissolved_oxygen: 4.6 });
      const { recommendation } = await recommended(farm, '', {});
      expect(recommendation.adjustment_reason).toBe('Temperatura 27,0 °C: -4%');
      expect(recommendation.feed_type).toMatch(/^Ração peletizada 1,7 mm/);
    });

    it('without any reading the ration is that of fair water, says so, and the notes ask for readings', async () => {
      const farm = await aPondOfEightGrams();
      const { recommendation, factors, notes } = await recommended(farm);
      // 2,066.4 kg × 0.85 × 0.0931 × 8.4^-0.38 = 72.81 kg in good water; as if it were 3.5 mg/L and 26 °C
      expect(recommendation).toMatchObject({
        recommended_feed_kg: 53.59,
        adjustment_reason:
          'Dissolved oxygen 3.5 mg/L (assumed, not measured): -20%; temperature 26.0 °C (assumed, not measured): -8%',
      });
      expect(factors.water_temperature).toBeNull();
      expect(notes.join(' ')).toMatch(/oxygen.*temperature/is);
    });
  });

  describe('water that takes the appetite', () => {
    it('oxygen of 2 mg/L or less suspends feeding', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), { temperature: 28, dissolved_oxygen: 1.8 });
      const { recommendation, daily_schedule, notes } = await recommended(farm);
      expect(recommendation).toMatchObject({
        recommended_feed_kg: 0,
        adjustment_reason: 'Feeding suspended: dissolved oxygen 1.8 mg/L',
      });
      expect(daily_schedule.every(({ quantity_kg }) => quantity_kg === 0)).toBe(true);
      expect(notes).toHaveLength(1);
    });

    it('one bad dawn does not fast a pond all day: it is fed by what is there now, less for the next dawn', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), {
        temperature: 28,
        dissolved_oxygen: 1.8,
        measurement_date: DAWN,
      });
      // as long as nothing better was read that is what there is
      expect((await recommended(farm)).recommendation).toMatchObject({
        recommended_feed_kg: 0,
        adjustment_reason: 'Feeding suspended: dissolved oxygen 1.8 mg/L (read 3 h ago)',
      });
      await measured(app, pondOf(farm), { dissolved_oxygen: 6.5, measurement_date: MORNING });
      const { recommendation, factors } = await recommended(farm);
      expect(factors).toMatchObject({ dissolved_oxygen: 6.5, dissolved_oxygen_age_h: 1, dawn_oxygen: 1.8 });
      // 70 % of 72.81
      expect(recommendation).toMatchObject({
        recommended_feed_kg: 50.96,
        adjustment_reason: 'Oxygen of 1.8 mg/L at dawn, to spare the next one: -30%',
      });
    });

    it('a low dawn counts all day, however many readings a probe has written since', async () => {
      const farm = await aPondOfEightGrams();
      const dawnMs = Date.parse(DAWN);
      const written = Array.from({ length: 2_500 }, (_, n) => ({
        dissolved_oxygen: n === 0 ? 1.8 : 6.5,
        measurement_date: new Date(dawnMs + n * 5_000).toISOString(),
      }));
      await measured(app, pondOf(farm), { temperature: 28, measurement_date: MORNING }, ...written);
      const { factors } = await recommended(farm);
      expect(factors).toMatchObject({ dissolved_oxygen: 6.5, dissolved_oxygen_age_h: 0, dawn_oxygen: 1.8 });
    });

    it('a dawn that was a little low cuts as little, and one that oxygen has not risen from counts once', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), {
        temperature: 28,
        dissolved_oxygen: 3.8,
        measurement_date: DAWN,
      });
      await measured(app, pondOf(farm), { dissolved_oxygen: 6.5, measurement_date: MORNING });
      // 92 % of 72.81
      expect((await recommended(farm)).recommendation.recommended_feed_kg).toBe(66.98);
      await measured(app, pondOf(farm), { dissolved_oxygen: 3.4 });
      const { recommendation, factors } = await recommended(farm);
      expect(factors.dawn_oxygen).toBeNull();
      expect(recommendation.adjustment_reason).toBe('Dissolved oxygen 3.4 mg/L: -24%');
    });

    it('a reading of yesterday morning says nothing about oxygen today; 48 h do for temperature', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), {
        temperature: 24,
        dissolved_oxygen: 2.5,
        measurement_date: '2026-03-01T11:59:00.000Z',
      });
      const { recommendation, factors } = await recommended(farm);
      expect(factors).toMatchObject({ water_temperature: 24, dissolved_oxygen: null });
      expect(recommendation.adjustment_reason).toBe(
        'Temperature 24.0 °C: -20%; dissolved oxygen 3.5 mg/L (assumed, not measured): -20%',
      );
    });

    it('cool water below 24 °C is fed three times, in the warm hours', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), { temperature: 23, dissolved_oxygen: 6 });
      const { daily_schedule } = await recommended(farm);
      expect(daily_schedule.map(({ time, percentage }) => [time, percentage])).toEqual([
        ['08:00', 30],
        ['13:00', 40],
        ['18:00', 30],
      ]);
    });
  });

  describe('what a keeper saw', () => {
    it('heavy rain leaves 60 % of the ration on its day; in any case of letters', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), { temperature: 28, dissolved_oxygen: 6 });
      const { recommendation, factors } = await recommended(farm, '?condition=heavy_rain');
      expect(recommendation).toMatchObject({
        recommended_feed_kg: 43.68,
        adjustment_reason: 'Heavy rain: -40%',
      });
      expect(factors.condition).toBe('HEAVY_RAIN');
      const after = await recommended(farm, '?condition=HEAVY_RAIN&condition_days_ago=1');
      expect(after.recommendation.recommended_feed_kg).toBe(72.81);
    });

    it('an unknown condition is refused', async () => {
      const farm = await aPondOfEightGrams();
      const path = `/feeding/batch/${farm.batch.id}/recommendation?condition=earthquake`;
      expect(await outcomeOf(app, () => app.call('GET', path, { token: farm.token }))).toEqual(
        refused(422, 'condition'),
      );
    });

    it('30 % left on the trays take 30 % off the next meal; more than half skip it', async () => {
      const farm = await aPondOfEightGrams();
      await measured(app, pondOf(farm), { temperature: 28, dissolved_oxygen: 6 });
      const meal = (tray_leftover_percent: number, feed_date: string) =>
        app.call('POST', '/feeding/', {
          token: farm.token,
          body: {
            batch_id: farm.batch.id,
            feed_type: 'Pellet',
            quantity_kg: 20,
            cost_per_kg: 6,
            feed_date,
            tray_leftover_percent,
          },
        });
      await meal(30, '2026-03-02T09:00:00Z');
      const less = await recommended(farm);
      // the 11:00 meal is 20 % of 72.81: 14.56
      expect(less.recommendation).toMatchObject({ recommended_feed_kg: 72.81, next_meal_kg: 10.19 });
      expect(less.notes[0]).toBe('30% of the feed was left on the trays: give 10.19 kg at 11:00 (−30%).');
      await meal(60, '2026-03-02T09:30:00Z');
      const none = await recommended(farm);
      expect(none.recommendation.next_meal_kg).toBe(0);
      expect(none.notes[0]).toMatch(/skip the 11:00 meal/);
    });
  });

  describe('what is not known', () => {
    it('a batch never weighed is fed by its expected weight, and the notes say so', async () => {
      const farm = await aStockedFarm(app, {
        initial_count: 300_000,
        estimated_survival_rate: 82,
        initial_avg_weight: 0.01,
      });
      const { factors, notes } = await recommended(farm);
      // 4.503 g on day 60: check table of the growth curve
      expect(factors).toMatchObject({
        average_weight_g: 0.01,
        current_biomass_kg: 2.46,
        feed_weight_g: 4.5,
        last_biometry_days_ago: null,
      });
      expect(notes.some((note) => note.includes('4.50 g'))).toBe(true);
    });

    it('in a cool pond it is expected lighter: 0.98 g after 60 days at 22 °C', async () => {
      const farm = await aStockedFarm(app, { initial_count: 300_000, initial_avg_weight: 0.01 });
      const noons = Array.from({ length: 61 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day, 11)));
      for (const noon of noons)
        await measured(app, pondOf(farm), { temperature: 22, measurement_date: noon.toISOString() });
      const { factors } = await recommended(farm);
      expect(factors.feed_weight_g).toBeCloseTo(0.98, 1);
    });

    it('an old weighing is grown forward ten days, and the notes ask for a new one', async () => {
      const farm = await aStockedFarm(app, { initial_count: 100_000, initial_avg_weight: 0.01 });
      // exactly on the curve: 1.906 g on day 40, 3.067 g on day 50
      await weighed(app, farm.batch.id, 1.906, { measurement_date: '2026-02-10T12:00:00.000Z' });
      const { factors, notes } = await recommended(farm);
      expect(factors.last_biometry_days_ago).toBe(20);
      expect(factors.feed_weight_g).toBe(3.07);
      expect(notes.some((note) => note.includes('20 days old'))).toBe(true);
    });

    it('a species without a table is fed as vannamei, and the notes say so', async () => {
      const farm = await aPondOfEightGrams({ species: 'Macrobrachium rosenbergii' });
      await measured(app, pondOf(farm), { temperature: 28, dissolved_oxygen: 6 });
      const { recommendation, notes } = await recommended(farm);
      expect(recommendation.recommended_feed_kg).toBe(72.81);
      expect(notes[0]).toContain('Macrobrachium rosenbergii');
    });
  });

  describe('nothing to feed', () => {
    it('a finished batch gets 0 kg and the reason', async () => {
      const farm = await aPondOfEightGrams();
      await ended(app, farm.batch.id);
      const { recommendation, daily_schedule } = await recommended(farm);
      expect(recommendation).toMatchObject({
        recommended_feed_kg: 0,
        feeding_frequency: 0,
        adjustment_reason: 'Batch not active',
        next_meal_kg: null,
      });
      expect(daily_schedule).toEqual([]);
    });

    it('a batch in which nothing lives gets 0 kg', async () => {
      const farm = await aPondOfEightGrams();
      await survivalSet(app, farm.batch.id, 0);
      const { recommendation, factors } = await recommended(farm);
      expect(recommendation.recommended_feed_kg).toBe(0);
      expect(factors.current_biomass_kg).toBe(0);
    });
  });

  it('a batch in two ponds is fed in each by its own water', async () => {
    const farm = await aPondOfEightGrams();
    const at = new Date(app.clock.now()).toISOString();
    await app.kernel.commit({
      actor: null,
      changes: [
        insert(transfer, {
          id: app.kernel.newId(),
          numeric_id: Math.floor(Math.random() * 2 ** 47),
          batch_id: farm.batch.id,
          source_pond_id: pondOf(farm, 0),
          destination_pond_id: pondOf(farm, 1),
          quantity: 61_500,
          average_weight: null,
          transfer_date: at,
          reason: null,
          notes: null,
          contested: false,
          created_by: null,
          clock_quality: 'trusted',
          created_at: at,
          updated_at: null,
        }),
      ],
    });
    await measured(app, pondOf(farm, 0), { temperature: 28, dissolved_oxygen: 6 });
    await measured(app, pondOf(farm, 1), { temperature: 28, dissolved_oxygen: 1.5 });
    const { recommendation, ponds, daily_schedule } = await recommended(farm);
    // three quarters of the animals, and none in the pond without oxygen
    expect(recommendation.recommended_feed_kg).toBe(54.6);
    expect(
      ponds.map(({ pond_cod, population, recommended_feed_kg }) => [
        pond_cod,
        population,
        recommended_feed_kg,
      ]),
    ).toEqual([
      ['V-1', 184_500, 54.6],
      ['V-2', 61_500, 0],
    ]);
    expect(ponds[1]?.adjustment_reason).toMatch(/^Feeding suspended/);
    const sum = daily_schedule.reduce((kg, meal) => kg + meal.quantity_kg, 0);
    expect(sum).toBeCloseTo(54.6, 9);
  });

  describe('100,000 postlarvae of yesterday', () => {
    const yesterday = { initial_count: 100_000, initial_avg_weight: 0.003, start_date: '2026-03-01' };
    const good = async () => {
      const farm = await aStockedFarm(app, yesterday);
      await measured(app, pondOf(farm), { temperature: 29, dissolved_oxygen: 6, measurement_date: MORNING });
      return farm;
    };
    const choose = (farm: StockedFarm, blindChart: string) =>
      app.call('PUT', `/farms/${farm.farmId}/science`, {
        token: farm.token,
        body: { feeding: { blindChart } },
      });

    it('are fed by the chart the farm chooses, named with its source, until they are weighed', async () => {
      const farm = await good();
      // a farm that chose nothing goes by what is published of Brazil, and never by grams
      expect((await recommended(farm)).recommendation).toMatchObject({
        feeding_table: 'ROCHA_MAIA_1998',
        recommended_feed_kg: 0.439,
      });
      expect((await choose(farm, 'BY_WEIGHT')).status).toBe(200);
      expect((await recommended(farm)).recommendation.feeding_table).toBe('BY_WEIGHT');
      for (const [chart, kg, source] of [
        ['VINH_PHAT_LOC', 2.6, 'Phát Lộc'],
        ['ROCHA_MAIA_1998', 0.439, 'Rocha & Maia'],
      ] as const) {
        expect((await choose(farm, chart)).status).toBe(200);
        const { recommendation, notes, ponds } = await recommended(farm);
        expect(recommendation).toMatchObject({ recommended_feed_kg: kg, feeding_table: chart });
        expect(ponds[0]?.recommended_feed_kg).toBe(kg);
        expect(recommendation.feeding_table_source).toContain(source);
        expect(notes.join(' ')).toContain(source);
        // one note of what the ration goes by, not two that contradict each other
        expect(notes.join(' ')).not.toMatch(/expected on day|peso esperado/);
      }
      await weighed(app, farm.batch.id, 0.01);
      expect((await recommended(farm)).recommendation.feeding_table).toBe('BY_WEIGHT');
      expect((await choose(farm, 'MOON')).status).toBe(422);
    });

    it('may be given what any of the charts says without being asked back', async () => {
      const farm = await good();
      const feed = async (quantity_kg: number) => {
        const made = await app.call('POST', '/feeding/', {
          token: farm.token,
          body: {
            batch_id: farm.batch.id,
            feed_type: '40 % PB',
            quantity_kg,
            cost_per_kg: 8,
            feed_date: MORNING,
          },
        });
        const { warnings = [] } = made.body as { warnings?: { code: string }[] };
        return warnings.map(({ code }) => code);
      };
      expect(await feed(0.6)).toEqual([]);
      expect(await feed(2.6)).toEqual([]);
      expect(await feed(26)).toEqual(['LARGE_QUANTITY']);
    });
  });
});
