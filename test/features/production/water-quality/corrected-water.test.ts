import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { onBothEngines } from '#test/databases.ts';
import { weighed } from '#test/recorded-rows.ts';
import { aBatchIn } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';
import { HOUR, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

// A value entered wrong and corrected stands everywhere as one that was entered right at first, and one that was deleted as
// one that was never entered: two ponds, measured at the same hours.

type Values = Partial<Record<(typeof WATER_FIELDS)[number], number>>;

const tenths = (min: number, max: number) => fc.integer({ min: min * 10, max: max * 10 }).map((n) => n / 10);
const values: fc.Arbitrary<Values> = fc
  .record(
    {
      temperature: tenths(20, 38),
      dissolved_oxygen: tenths(0, 9),
      ph: tenths(6, 10),
      salinity: tenths(0, 40),
      alkalinity: tenths(20, 150),
      ammonia: tenths(0, 3),
      nitrite: tenths(0, 9),
    },
    { requiredKeys: [] },
  )
  .filter((found) => Object.keys(found).length > 0);
const hours = fc.integer({ min: 1, max: 9 });
const story = fc.record({
  before: fc.array(fc.tuple(values, hours), { maxLength: 3 }),
  right: values,
  wrong: values,
  after: fc.array(fc.tuple(values, hours), { maxLength: 3 }),
  basis: fc.constantFrom('NH3' as const, 'TAN' as const),
});

/** All parameters, what is not measured as such: a correction says that too. */
const whole = (found: Values) =>
  Object.fromEntries(WATER_FIELDS.map((field) => [field, found[field] ?? null]));

onBothEngines('water', (_open, engine) => {
  let farm: WaterFarm;
  const runs = { numRuns: drawsOf(engine === 'sqlite' ? 8 : 2) };
  let start: number;
  beforeAll(async () => {
    farm = await startWaterFarm(engine, ['--local-plan', 'ENTERPRISE']);
    start = farm.clock.now();
  });
  afterAll(() => farm.close());

  type Pond = { pondId: string; batchId: string };
  async function aStockedPond(): Promise<Pond> {
    const pondId = await farm.pond({ size_m2: 3_000, cod: crypto.randomUUID().slice(0, 8) });
    const at = { farmId: farm.farmId, ownerId: farm.owner.user.id, pondId };
    const batch = await aBatchIn(farm, at, { initial_count: 100_000, estimated_survival_rate: 80 });
    await weighed(farm, batch.id, 10);
    return { pondId, batchId: batch.id };
  }

  async function measureBoth(ponds: readonly Pond[], found: Values, passedHours: number) {
    farm.clock.advance(passedHours * HOUR);
    for (const { pondId } of ponds) await farm.measure(pondId, found);
  }

  /** What stands of a pond: every answer about its water, its alerts and its ration, without names and marks of time. */
  async function standing({ pondId, batchId }: Pond): Promise<unknown> {
    const latest = await farm.ask('GET', `/water-quality/pond/${pondId}/latest`);
    const answers = await Promise.all([
      farm.get(`/water-quality/pond/${pondId}`),
      ...['temperature', 'dissolved_oxygen', 'ph', 'ammonia'].map((parameter) =>
        farm.get(`/water-quality/trend/${pondId}/${parameter}?days=7`),
      ),
      farm.get(`/ponds/${pondId}/summary-card`),
      farm.get(`/ponds/${pondId}/oxygen-forecast`),
      farm.get(`/feeding/batch/${batchId}/recommendation`),
      farm.get(`/batches/${batchId}/growth-curve`),
    ]);
    const { alerts } = await farm.alertsOf(pondId, '?resolved=false');
    // newest first: what stands of a type is its newest alert
    const alarms = [...Map.groupBy(alerts, ({ type }) => type).values()]
      .flatMap(([newest]) => (newest === undefined ? [] : [newest]))
      .map(({ type, parameter, value, threshold, severity, advice, triggered_at }) => ({
        type,
        parameter,
        value,
        threshold,
        severity,
        advice,
        triggered_at,
      }))
      .toSorted((a, b) => a.type.localeCompare(b.type));
    // what was raised and told stays on record as raised: `alerts_triggered`
    const left = new Set(['created_at', 'updated_at', 'alerts', 'episode_id', 'message', 'alerts_triggered']);
    // alerts of one instant stand in no order
    const inOrder = (found: unknown) =>
      Array.isArray(found)
        ? found.toSorted((a, b) => String(a?.type ?? '').localeCompare(String(b?.type ?? '')))
        : found;
    const named = JSON.stringify([alarms, latest.status, latest.body, ...answers], (key, value: unknown) => {
      if (left.has(key)) return undefined;
      return key === 'active_alerts' ? inOrder(value) : value;
    });
    return JSON.parse(
      named
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
        .replaceAll(/"(numeric_id|cod|pond_cod|batch_code|batch_number|batch_name)":("[^"]*"|\d+)/g, '"$1":0')
        .replaceAll(/[Vv]iveiro [0-9a-f]{8}/g, 'Viveiro'),
    );
  }

  async function toldAlike(
    { before, right, wrong, after, basis }: Story,
    mend: (id: string) => Promise<unknown>,
    isNeverEntered: boolean,
  ) {
    await farm.ask('PUT', `/farms/${farm.farmId}/science`, { water: { ammoniaBasis: basis } });
    // a login lasts for days, the stories together for longer
    farm.clock.set(start);
    const [mended, first] = [await aStockedPond(), await aStockedPond()];
    for (const [found, passed] of before) await measureBoth([mended, first], found, passed);
    farm.clock.advance(HOUR);
    const { id } = await farm.measure(mended.pondId, wrong);
    if (!isNeverEntered) await farm.measure(first.pondId, right);
    for (const [found, passed] of after) await measureBoth([mended, first], found, passed);
    await mend(id);
    expect(await standing(mended)).toEqual(await standing(first));
  }
  type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;

  test('that was entered wrong and corrected stands as if it had been entered right at first', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        await toldAlike(told, (id) => farm.ask('PUT', `/water-quality/${id}`, whole(told.right)), false);
      }),
      runs,
    );
  });

  test('that was deleted stands as if it had never been entered', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        await toldAlike(told, (id) => farm.ask('DELETE', `/water-quality/${id}`), true);
      }),
      runs,
    );
  });
});
