import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import type { ScienceSettingsAnswer } from '#contract/resources/science.ts';
import { insert } from '#core/changes.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type App, startApp } from '#test/app.ts';
import { controlPointRow } from '#test/farm-rows.ts';
import { measured, weighed } from '#test/recorded-rows.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { isInTurn } from '#test/turn.ts';

// A setting that changes no answer is a promise that is not kept. Each is set in turn on a farm where much was recorded, and
// answers are asked for until one differs. It is 23:00 of 2 March on the farm.

/** What the loop that airs ponds goes by: of it the interface shows orders alone (test/features/control/aeration/oxygen-loop.test.ts). */
const OF_THE_LOOP =
  /^aeration\.(emergencyReleaseMgL|releaseAboveOnMgL|minimumRunMinutes|silentAfterMinutes|believedAheadMinutes|lastKnownHours|stream\..*)$/;

/**
 * What shows only for a batch or water at the very edge it draws: facts of test/science. Here it is seen that the science reads
 * it at all.
 */
const AT_AN_EDGE = [
  'growth.observedRateBounds.least',
  'growth.temperatureFillDays',
  'growth.postlarvaBelowG',
  'feeding.mealPlans[].fromWeightG',
  'growthTrend.linearFromG',
  'growthTrend.previousIntervals',
  'growthTrend.leastChange',
  'growthTrend.assumedSampleSize',
  'water.alerts.LOW_PH.highFrom',
  'water.deadBand.temperatureC',
  'water.worstPlausible.temperatureC',
  'water.worstPlausible.ph',
  'water.worstPlausible.salinityPpt',
  'trends.significance',
  'aeration.kgPerHorsepower.risky',
  'economics.assumedSampleSize',
  'energy.kwhPerTonne.high',
];

type Rule = ScienceSettingsAnswer['rules'][number];
type Table = Record<string, unknown>;
const HOUR_MS = 3_600_000;

let app: App;
let farm: StockedFarm;
const batches: Record<string, string> = {};
const asks: (() => Promise<unknown>)[] = [];
const pond = (n: number) => farm.ponds[n]?.id ?? '';
const ago = (hours: number) => new Date(app.clock.now() - hours * HOUR_MS).toISOString();
const get = async (path: string) => (await app.call('GET', path, { token: farm.token })).body;
const post = async (path: string, sent: unknown) =>
  (await app.call('POST', path, { token: farm.token, body: sent })).body as Table;
const put = (sent: unknown) =>
  app.call('PUT', `/farms/${farm.farmId}/science`, { token: farm.token, body: sent });
const NEW_EACH_TIME = /(^|_)id$|^ids?$|_at$|time_since|^cod$|batch_code|numeric_id|version/;
/** Without what is new each time; alerts of one instant stand in no order. */
const plain = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => {
    if (NEW_EACH_TIME.test(key)) return undefined;
    return key === 'alerts' && Array.isArray(value) ? value.map(plain).sort() : value;
  });

beforeAll(async () => {
  app = await startApp('sqlite');
  // the evening, when the oxygen of the dawn is forecast
  app.clock.advance(14 * HOUR_MS);
  farm = await aStockedFarm(app, {
    ponds: 12,
    initial_count: 100_000,
    estimated_survival_rate: 80,
    initial_avg_weight: 0.01,
    start_date: '2025-12-22',
    expected_harvest_date: null,
  });
  const stock = async (n: number, code: string, fields: Table) => {
    const { id } = await aBatchIn(
      app,
      { farmId: farm.farmId, ownerId: farm.userId, pondId: pond(n) },
      {
        batch_code: code,
        initial_count: 100_000,
        estimated_survival_rate: 80,
        expected_harvest_date: null,
        ...fields,
      },
    );
    batches[code] = id;
    return id;
  };
  batches['fattening'] = farm.batch.id;
  await stock(1, 'postlarvae', { initial_avg_weight: 0.003, start_date: '2026-02-20' });
  await stock(2, 'monodon', {
    species: 'Penaeus monodon',
    initial_avg_weight: 0.02,
    start_date: '2025-12-22',
  });
  await stock(3, 'small', { initial_avg_weight: 0.6, start_date: '2026-02-24' });
  await stock(4, 'middle', { initial_avg_weight: 1.2, start_date: '2026-02-20' });
  await stock(5, 'old', { initial_avg_weight: 0.01, start_date: '2025-10-01' });
  await stock(6, 'unmeasured', { initial_avg_weight: 0.01, start_date: '2026-01-20' });
  for (const [days, weightG, sample] of [
    [35, 3.4, 60],
    [28, 4.6, 60],
    [21, 6.2, 60],
    [14, 7.6, 60],
    [7, 9.0, 60],
  ] as const)
    await weighed(app, farm.batch.id, weightG, {
      measurement_date: ago(days * 24),
      sample_size: sample,
      total_weight_g: weightG * sample,
      weight_sd_g: weightG * 0.24,
    });
  await weighed(app, batches['monodon'] ?? '', 12, { measurement_date: ago(7 * 24) });
  await weighed(app, batches['small'] ?? '', 1.05, { measurement_date: ago(24), weight_sd_g: 1.05 * 0.26 });
  await weighed(app, batches['middle'] ?? '', 1.9, { measurement_date: ago(24) });
  await weighed(app, batches['old'] ?? '', 22, { measurement_date: ago(30 * 24) });
  await weighed(app, batches['old'] ?? '', 26, { measurement_date: ago(12 * 24) });
  for (let day = 70; day >= 0; day -= 1)
    await measured(app, pond(0), {
      measurement_date: ago(day * 24 + 2),
      temperature: 27 + (day % 3) * 0.4,
      ...(day > 20
        ? {}
        : {
            dissolved_oxygen: 5 + (day % 4) * 0.3,
            ph: 8,
            salinity: 20,
            alkalinity: 110,
            ammonia: 0.05,
            nitrite: 0.4,
            nitrate: 10,
            transparency: 35,
          }),
    });
  await measured(app, pond(1), {
    measurement_date: ago(1),
    temperature: 22.5,
    dissolved_oxygen: 3.4,
    ammonia: 0.2,
  });
  await measured(app, pond(3), { measurement_date: ago(17.5), temperature: 23, dissolved_oxygen: 2.5 });
  await measured(app, pond(3), { measurement_date: ago(1), temperature: 23, dissolved_oxygen: 6 });
  await measured(app, pond(4), { measurement_date: ago(60), temperature: 33.5, dissolved_oxygen: 5 });
  for (const [n, slope, noise] of [
    [7, 1, 0],
    [8, 0, 1],
  ] as const)
    for (let day = 12; day >= 0; day -= 1) {
      const of = (base: number, change: number, scatter: number) =>
        base + (slope * change * (12 - day)) / 12 + noise * scatter * (day % 2 === 0 ? 1 : -1);
      await measured(app, pond(n), {
        measurement_date: ago(day * 24 + 3),
        temperature: of(28, 1.2, 1.6),
        dissolved_oxygen: of(5, 0.6, 1.1),
        ph: of(8, 0.24, 0.33),
        salinity: of(20, 2.4, 3.3),
        alkalinity: of(110, 12, 22),
        ammonia: of(0.3, 0.06, 0.09),
        nitrite: of(0.5, 0.06, 0.17),
        nitrate: of(15, 3.6, 6.6),
        transparency: of(35, 6, 9),
      });
    }
  for (const [n, depth] of [
    [0, 1.2],
    [1, 1],
    [5, 1.2],
  ] as const)
    await app.call('PUT', `/ponds/${pond(n)}`, { token: farm.token, body: { depth_m: depth } });
  for (const [hoursAgo, oxygen] of [
    [7, 7.5],
    [5.8, 7.2],
    [4.6, 6.9],
    [3.9, 6.6],
    [3.2, 6.1],
    [2.3, 5.4],
    [0.6, 4.4],
  ] as const)
    await measured(app, pond(10), { measurement_date: ago(hoursAgo), dissolved_oxygen: oxygen });
  await measured(app, pond(11), { measurement_date: ago(1.9), dissolved_oxygen: 5.4 });
  await measured(app, pond(11), { measurement_date: ago(0.8), dissolved_oxygen: 4.9 });
  const point = app.kernel.newId();
  await app.kernel.commit({
    actor: null,
    changes: [
      insert(controlPoint, {
        ...controlPointRow(point, farm.farmId, farm.userId),
        current_status: 'ON',
        current_since: '2025-12-01T00:00:00.000Z',
      }),
    ],
  });
  await app.call('PUT', `/ponds/${pond(0)}`, { token: farm.token, body: { control_point_id: point } });
  await app.call('PUT', `/ponds/${pond(1)}`, { token: farm.token, body: { pond_type: 'NURSERY' } });
  await post('/feeding/', {
    batch_id: farm.batch.id,
    feed_type: 'x',
    quantity_kg: 5,
    cost_per_kg: 5,
    feed_date: ago(3),
    tray_leftover_percent: 9.5,
  });
  await post('/aerators/', { pond_id: pond(0), name: 'A', device_id: 'a-1', power_kw: 1.5 });
  await post('/aerators/', { pond_id: pond(1), name: 'B', device_id: 'b-1', power_kw: 1.5 });

  const ofBatch = (path: (id: string) => string) => {
    for (const id of Object.values(batches)) asks.push(() => get(path(id)));
  };
  ofBatch((id) => `/feeding/batch/${id}/recommendation`);
  ofBatch((id) => `/biometries/batch/${id}/summary`);
  ofBatch((id) => `/batches/${id}/growth-analysis`);
  ofBatch((id) => `/financial/optimal-harvest/${id}?market_price_per_kg=20&daily_operational_cost=90`);
  asks.push(
    () => get('/dashboard/growth-rates'),
    () => get('/dashboard/survival-rates'),
    () => get(`/farms/${farm.farmId}/energy?start_date=2026-02-01`),
    () => get(`/farms/${farm.farmId}/energy/meters?start_date=2026-02-01`),
    () => get(`/farms/${farm.farmId}/feed-stock`),
  );
  for (const n of [0, 1, 5]) asks.push(() => get(`/ponds/${pond(n)}/summary-card`));
  for (const n of [10, 11]) asks.push(() => get(`/ponds/${pond(n)}/oxygen-forecast`));
  for (const condition of ['SYNCHRONOUS_MOLT', 'PARTIAL_MOLT', 'HEAVY_RAIN', 'BLOOM_CRASH', 'TREATMENT'])
    for (const days of [0, 1, 2, 3])
      asks.push(() =>
        get(
          `/feeding/batch/${farm.batch.id}/recommendation?condition=${condition}&condition_days_ago=${days}`,
        ),
      );
  for (const parameter of Object.keys(SCIENCE_DEFAULTS.trends.leastChange))
    for (const n of [7, 8, 0]) asks.push(() => get(`/water-quality/trend/${pond(n)}/${parameter}?days=30`));
  asks.push(waterJudged, sampleJudged);
});
afterAll(() => app.close());

/** Of a pond of its own each time: what bad, better and good water raise, warn of and end. */
async function waterJudged(): Promise<unknown> {
  const { id } = await post('/ponds/', { farm_id: farm.farmId, cod: 'judged', size_m2: 1_000, depth_m: 1 });
  let minutesAgo = 40;
  const measure = (fields: Table) => {
    minutesAgo -= 2;
    return post('/water-quality/', { pond_id: id, measurement_date: ago(minutesAgo / 60), ...fields });
  };
  const answers = [
    await measure({ nitrite: 0.4 }),
    await measure({
      dissolved_oxygen: 1.9,
      temperature: 23,
      ph: 7.1,
      alkalinity: 55,
      salinity: 18,
      nitrite: 5,
      nitrate: 60,
    }),
    await measure({
      dissolved_oxygen: 3.3,
      temperature: 33.2,
      ph: 9.1,
      salinity: 7,
      ammonia: 0.3,
      nitrite: 1.2,
      nitrate: 45,
    }),
    await measure({
      dissolved_oxygen: 4.25,
      temperature: 31.6,
      ph: 8.43,
      alkalinity: 83,
      ammonia: 0.096,
      nitrite: 0.096,
      nitrate: 19.2,
    }),
    await measure({ dissolved_oxygen: 27, temperature: 46, ph: 2.9, salinity: 61 }),
    await measure({ dissolved_oxygen: 23, temperature: 30, salinity: 20, ph: 11.2, ammonia: 1.5 }),
    await measure({ ammonia: 0.7 }),
    await measure({ nitrite: 0.45, nitrate: 41, salinity: 4 }),
    await measure({ temperature: 26.4, ph: 7.58 }),
    await measure({ ph: 7.2, temperature: 25 }),
    await measure({ temperature: 4, ammonia: 3, nitrite: 0.5 }),
    await get(`/water-quality/pond/${String(id)}/alerts`),
    await get(`/water-quality/pond/${String(id)}/latest`),
  ];
  await app.call('DELETE', `/ponds/${String(id)}`, { token: farm.token });
  return answers;
}

/** Of a batch of its own each time: samples that are small, uneven, or do not add up. */
async function sampleJudged(): Promise<unknown> {
  const { id } = await aBatchIn(
    app,
    { farmId: farm.farmId, ownerId: farm.userId, pondId: pond(9) },
    { batch_code: crypto.randomUUID(), start_date: '2026-02-01', initial_avg_weight: 0.01 },
  );
  const weigh = (fields: Table) =>
    post('/biometries/', { batch_id: id, measurement_date: ago(1), ...fields });
  const answers = [
    await weigh({ sample_size: 29, total_weight_g: 60 }),
    await weigh({ sample_size: 3, total_weight_g: 9.07, individual_weights_g: [3, 3, 3] }),
    await weigh({
      sample_size: 66,
      total_weight_g: 660,
      subsamples: [22, 22, 22].map((count, i) => ({ count, weight_g: 210 + 10 * i })),
    }),
    await weigh({ sample_size: 100, total_weight_g: 9_500 }),
  ];
  await app.call('DELETE', `/batches/${id}?force=true`, { token: farm.token });
  return answers;
}

/** Other values of a figure that its rule allows, the likeliest to show first. */
function others(value: unknown, rule: Rule): unknown[] {
  if (rule.words !== undefined) return rule.words.filter((word) => word !== value);
  if (typeof value !== 'number')
    return typeof value === 'string' ? [`${value.slice(0, 3)}${value.endsWith('45') ? '15' : '45'}`] : [];
  const { min = 0, max = 1 } = rule;
  return [
    value * 1.3,
    value * 0.7,
    value * 1.03,
    value * 0.97,
    value + (max - value) / 2,
    min + (value - min) / 2,
    max,
    min,
  ].filter((other) => other >= min && other <= max && other !== value);
}

/** What to send so that a figure differs, or that figure in every line of its list. */
function overridesOf(path: string, rule: Rule): unknown[] {
  const [before = '', ...inLines] = path.split('[].');
  const names = before.split('.');
  const at = names.reduce<unknown>((table, name) => (table as Table)[name], SCIENCE_DEFAULTS);
  const wrapped = (value: unknown) => names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  if (inLines.length === 0) return others(at, rule).map(wrapped);
  if (path.startsWith('energy.discountWindows'))
    return [wrapped([{ from: '01:00', to: '05:00', discountPercent: 50 }])];
  return [1.07, 0.93, 1.3].map((scale) => wrapped(scaled(at as Table[], inLines, scale)));
}

function scaled(lines: readonly Table[], [first = '', ...rest]: string[], scale: number): Table[] {
  const isShare = first === 'percent';
  return lines.map((line, i) => {
    const value = line[first];
    if (rest.length > 0) return { ...line, [first]: scaled(value as Table[], rest, scale) };
    if (typeof value === 'string') return { ...line, [first]: `${value.slice(0, 3)}15` };
    // the meals of a plan are the whole ration
    if (isShare && first === 'percent' && 'time' in line)
      return { ...line, percent: Number(value) + (i === 0 ? -5 : i === lines.length - 1 ? 5 : 0) };
    const pointNames = first.split('.');
    return pointNames.length > 1 ? line : { ...line, [first]: Number(value) * scale };
  });
}

it('every setting of a farm changes some answer', async () => {
  const { rules } = (await get(`/farms/${farm.farmId}/science`)) as ScienceSettingsAnswer;
  const allNow = async () => {
    const answers: string[] = [];
    for (const ask of asks) answers.push(plain(await ask()));
    return answers;
  };
  const before = await allNow();
  // what is asked leaves nothing behind: what differs then is the setting's doing
  expect(await allNow()).toEqual(before);
  const order = [...asks.keys()];
  const unkept: string[] = [];
  // neighbours together: what shows one shows the next
  for (const rule of rules.filter((_rule, index) => isInTurn(Math.floor(index / 10), 5))) {
    if (OF_THE_LOOP.test(rule.path) || AT_AN_EDGE.includes(rule.path)) continue;
    let isKept = false;
    const section = rule.path.split('.')[0] ?? '';
    for (const sent of overridesOf(rule.path, rule)) {
      if ((await put(sent)).status !== 200) continue;
      for (const i of order) {
        isKept = plain(await asks[i]?.()) !== before[i];
        if (!isKept) continue;
        // what showed one setting shows its neighbours
        order.splice(order.indexOf(i), 1);
        order.unshift(i);
        break;
      }
      await put({ [section]: null });
      if (isKept) break;
    }
    if (!isKept) unkept.push(rule.path);
  }
  expect(unkept).toEqual([]);
}, 600_000);

it('what shows at an edge alone is a setting, and the science reads it', () => {
  const science = globSync('gateway/science/**/*.ts')
    .filter((file) => !/constants?(-rules)?\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const words = new Set(science.match(/\w+/g));
  expect(AT_AN_EDGE.filter((path) => !words.has(path.split('.').at(-1) ?? ''))).toEqual([]);
});
