import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { onBothEngines } from '#test/databases.ts';
import { measured, weighed } from '#test/recorded-rows.ts';
import { aBatchIn } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';
import { HOUR, type Recorded, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

// Worse water is never told milder, advised milder or fed more, by what the program answers over the interface.

type Sample = Partial<Record<(typeof FIELDS)[number], number>>;
const FIELDS = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'salinity',
  'alkalinity',
  'ammonia',
  'nitrite',
  'nitrate',
] as const;

const figure = (min: number, max: number, step = 0.1) =>
  fc
    .integer({ min: Math.round(min / step), max: Math.round(max / step) })
    .map((n) => Math.round(n * step * 1000) / 1000);
/** Warm water: heat, alkaline water and fresher water make more of the ammonia poisonous, and of nitrite worse. */
const WARM = {
  temperature: [28, 41, 1],
  dissolved_oxygen: [0, 9, -1],
  ph: [7.5, 10.5, 1],
  salinity: [0, 46, -1],
  alkalinity: [10, 150, -1],
  ammonia: [0, 6, 1],
  nitrite: [0, 30, 1],
  nitrate: [0, 200, 1],
} as const;
const warm = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, figure(WARM[field][0], WARM[field][1])])) as Record<
    (typeof FIELDS)[number],
    fc.Arbitrary<number>
  >,
);
/** How far on the way to the worst end of its range each value goes: 0 as it is, 1 all the way. */
const worsening = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, fc.oneof(fc.constant(0), figure(0, 1, 0.05))])) as Record<
    (typeof FIELDS)[number],
    fc.Arbitrary<number>
  >,
);
const measuredOnly = fc.subarray([...FIELDS], { minLength: 1 });

function worseThan(sample: Record<(typeof FIELDS)[number], number>, by: Record<string, number>) {
  const found = FIELDS.map((field) => {
    const [least, most, side] = WARM[field];
    const end = side === 1 ? most : least;
    const value = sample[field] + (end - sample[field]) * (by[field] ?? 0);
    return [field, Math.round(value * 1000) / 1000] as const;
  });
  return Object.fromEntries(found) as typeof sample;
}
const only = (sample: Sample, fields: readonly string[]): Sample =>
  Object.fromEntries(Object.entries(sample).filter(([field]) => fields.includes(field)));

const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH'];
const STATUSES = ['NORMAL', 'WARNING', 'CRITICAL'];

onBothEngines('worse water', (_open, engine) => {
  let farm: WaterFarm;
  const runs = { numRuns: drawsOf(engine === 'sqlite' ? 40 : 6) };
  beforeAll(async () => {
    farm = await startWaterFarm(engine, ['--local-plan', 'ENTERPRISE']);
  });
  afterAll(() => farm.close());

  const setBasis = (ammoniaBasis: 'NH3' | 'TAN' | null) =>
    farm.ask('PUT', `/farms/${farm.farmId}/science`, { water: { ammoniaBasis } });

  type Told = {
    severities: Map<string, number>;
    advice: Map<string, string>;
    status: number;
    kg: number;
    isSuspended: boolean;
  };

  /** What is told of a pond of its own, whose batch of 100,000 weighs 10 g, once it was measured; `before`: hours ago. */
  async function toldOf(
    sample: Sample,
    before: readonly (readonly [hours: number, Sample])[] = [],
  ): Promise<Told> {
    const pondId = await farm.pond({ size_m2: 3_000 });
    const batch = await aBatchIn(
      farm,
      { farmId: farm.farmId, ownerId: farm.owner.user.id, pondId },
      { initial_count: 100_000, estimated_survival_rate: 80 },
    );
    await weighed(farm, batch.id, 10);
    for (const [hours, earlier] of before)
      await measured(farm, pondId, { ...earlier, measurement_date: farm.now(-hours * HOUR) });
    const english = { 'Accept-Language': 'en' };
    const alerts: Recorded['alerts_triggered'] =
      Object.keys(sample).length === 0 ? [] : (await farm.measure(pondId, sample, english)).alerts_triggered;
    const status = Object.keys(sample).length === 0 ? 'NORMAL' : (await farm.latest(pondId, english)).status;
    const { recommendation } = await farm.get<FeedingRecommendation>(
      `/feeding/batch/${batch.id}/recommendation`,
      english,
    );
    return {
      severities: new Map(alerts.map(({ type, severity }) => [type, SEVERITIES.indexOf(severity)])),
      advice: new Map(alerts.map(({ type, advice }) => [type, advice ?? ''])),
      status: STATUSES.indexOf(status),
      kg: recommendation.recommended_feed_kg,
      isSuspended: /suspended/i.test(recommendation.adjustment_reason),
    };
  }

  /** Minutes and hours until the next reading, no feed at all, all aerators: what grave advice has and mild advice has not. */
  function gravity(advice: string): number {
    if (/no feed|stop feeding|hold/i.test(advice)) return /call for help/.test(advice) ? 3 : 2;
    return /Run all aeration|12 hours/.test(advice) ? 1 : 0;
  }

  function expectNoMilder(worse: Told, better: Told, at: unknown): void {
    for (const [type, severity] of better.severities) {
      expect([at, type, worse.severities.get(type) ?? -1]).toSatisfy(
        ([, , found]: [unknown, string, number]) => found >= severity,
      );
      const [now, then] = [worse.advice.get(type) ?? '', better.advice.get(type) ?? ''];
      expect(gravity(now), `${type}: "${now}" after "${then}"`).toBeGreaterThanOrEqual(gravity(then));
    }
    expect(worse.status, JSON.stringify(at)).toBeGreaterThanOrEqual(better.status);
    expect(worse.kg, JSON.stringify(at)).toBeLessThanOrEqual(better.kg);
    if (better.isSuspended) expect(worse.isSuspended).toBe(true);
  }

  test.each(['NH3', 'TAN'] as const)(
    'in all its values together, on basis %s, is told no milder and fed no more',
    async (basis) => {
      await setBasis(basis);
      await fc.assert(
        fc.asyncProperty(warm, worsening, measuredOnly, async (sample, by, fields) => {
          const [better, worse] = [only(sample, fields), only(worseThan(sample, by), fields)];
          expectNoMilder(await toldOf(worse), await toldOf(better), { better, worse });
        }),
        runs,
      );
    },
  );

  test.each(FIELDS)('in %s alone is told no milder and fed no more', async (field) => {
    await setBasis('TAN');
    await fc.assert(
      fc.asyncProperty(warm, figure(0.05, 1, 0.05), measuredOnly, async (sample, share, fields) => {
        const kept = [...fields, field];
        const [better, worse] = [only(sample, kept), only(worseThan(sample, { [field]: share }), kept)];
        expectNoMilder(await toldOf(worse), await toldOf(better), { better, worse });
      }),
      { numRuns: drawsOf(engine === 'sqlite' ? 12 : 2) },
    );
  });

  test('that is colder or more acid is told no milder and fed no more', async () => {
    await setBasis('NH3');
    const cool = fc.record({ temperature: figure(14, 28), ph: figure(4, 7.5) });
    await fc.assert(
      fc.asyncProperty(cool, figure(0, 10), figure(0, 3), async (better, colder, lower) => {
        const worse = { temperature: better.temperature - colder, ph: better.ph - lower };
        expectNoMilder(await toldOf(worse), await toldOf(better), { better, worse });
      }),
      runs,
    );
  });

  test('after whatever was measured before is told no milder and fed no more', async () => {
    await setBasis('TAN');
    const earlier = fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 60 }),
        fc.tuple(warm, measuredOnly).map(([all, fields]) => only(all, fields)),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(warm, worsening, measuredOnly, earlier, async (sample, by, fields, before) => {
        const [better, worse] = [only(sample, fields), only(worseThan(sample, by), fields)];
        expectNoMilder(await toldOf(worse, before), await toldOf(better, before), { better, worse, before });
      }),
      runs,
    );
  });

  test('that nobody measured is fed no more than fair water, and good water is fed most', async () => {
    await setBasis('NH3');
    const { oxygenMgL, temperatureC } = SCIENCE_DEFAULTS.feeding.whenUnknown;
    const fair = { dissolved_oxygen: oxygenMgL, temperature: temperatureC };
    const missing = fc.subarray(['dissolved_oxygen', 'temperature'] as const);
    const rest = fc.record({
      ammonia: figure(0, 1, 0.05),
      ph: figure(7.6, 8.4),
      alkalinity: figure(40, 120),
    });
    await fc.assert(
      fc.asyncProperty(
        missing,
        rest,
        fc.subarray(['ammonia', 'ph', 'alkalinity'] as const),
        async (gone, other, kept) => {
          const beside = only(other, kept);
          const known = { ...fair, ...beside };
          const unknown = only(
            known,
            Object.keys(known).filter((field) => !gone.some((each) => each === field)),
          );
          const good = { ...beside, dissolved_oxygen: 6, temperature: 29 };
          const [told, atFair, atGood] = [await toldOf(unknown), await toldOf(known), await toldOf(good)];
          expect(told.kg).toBeLessThanOrEqual(atFair.kg);
          expect(atFair.kg).toBeLessThanOrEqual(atGood.kg);
        },
      ),
      runs,
    );
  });

  const BESIDE = { temperature: 29, ph: 8.2, salinity: 20 } as const;
  const NAMES = ['temperature', 'ph', 'salinity'] as const;
  const SAID = {
    temperature: 'temperature not measured',
    ph: 'pH not measured',
    salinity: 'salinity not measured',
  };
  const subsets = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => NAMES.filter((_name, n) => (bits & (1 << n)) !== 0));

  test.each(subsets.map((known) => ({ known })))(
    '3 mg/L of total ammonia beside $known: alarm, measurement, ration and trend say what is missing, and hold the feed where it may be deadly',
    async ({ known }) => {
      await setBasis('TAN');
      const english = { 'Accept-Language': 'en' };
      const pondId = await farm.pond({ size_m2: 3_000 });
      const batch = await aBatchIn(
        farm,
        { farmId: farm.farmId, ownerId: farm.owner.user.id, pondId },
        { initial_count: 100_000, estimated_survival_rate: 80 },
      );
      const missing = NAMES.filter((name) => !known.includes(name)).map((name) => SAID[name]);
      const told = await farm.measure(
        pondId,
        { ammonia: 3, dissolved_oxygen: 6, ...only(BESIDE, known) },
        english,
      );
      const alarm = told.alerts_triggered.find(({ type }) => type === 'HIGH_AMMONIA');
      const { recommendation } = await farm.get<FeedingRecommendation>(
        `/feeding/batch/${batch.id}/recommendation`,
        english,
      );
      const trend = await farm.get<{ recommendations: string[] }>(
        `/water-quality/trend/${pondId}/ammonia`,
        english,
      );
      expect(told.ammonia_as?.certainty).toBe(missing.length === 0 ? 'KNOWN' : 'WORST_CASE');
      for (const words of [
        alarm?.message ?? '',
        recommendation.adjustment_reason,
        trend.recommendations.join(' '),
      ])
        for (const gap of missing) expect(words).toContain(gap);
      const mayKill = (told.ammonia_as?.nh3_n ?? 0) >= 1.2;
      expect(/Hold the feed/.test(alarm?.advice ?? '')).toBe(mayKill);
      expect(recommendation.recommended_feed_kg === 0).toBe(mayKill);
      expect(recommendation.adjustment_reason.startsWith('Feeding suspended')).toBe(mayKill);
      // without pH nobody can tell: it is the worst that counts
      if (!known.includes('ph')) expect(mayKill).toBe(true);
    },
  );

  test('total ammonia of which pH, temperature or salinity are unknown is told no milder than with any that ponds have', async () => {
    await setBasis('TAN');
    const { worstPlausible } = SCIENCE_DEFAULTS.water;
    const pond = fc.record({
      ammonia: figure(0.1, 8),
      temperature: figure(26, worstPlausible.temperatureC),
      ph: figure(7, worstPlausible.ph),
      salinity: figure(0, 45),
    });
    const gone = fc.subarray(['temperature', 'ph', 'salinity'] as const, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(pond, gone, async (known, missing) => {
        const unknown = only(
          known,
          FIELDS.filter((field) => !missing.some((each) => each === field)),
        );
        const [told, other] = [await toldOf(unknown), await toldOf(known)];
        const grade = (each: Told) => each.severities.get('HIGH_AMMONIA') ?? -1;
        expect(grade(told), JSON.stringify({ known, missing })).toBeGreaterThanOrEqual(grade(other));
        const isWarmthKnown = !missing.some((each) => each === 'temperature');
        if (isWarmthKnown) expect(told.kg, JSON.stringify({ known, missing })).toBeLessThanOrEqual(other.kg);
      }),
      runs,
    );
  });
});
