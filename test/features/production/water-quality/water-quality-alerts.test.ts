import { afterAll, beforeAll, expect, test } from 'vitest';
import { farmScience } from '#contract/resources/science.ts';
import { insert } from '#core/changes.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { onBothEngines } from '#test/databases.ts';
import { HOUR, MINUTE, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

onBothEngines('what a measurement raises', (_open, engine) => {
  let farm: WaterFarm;
  beforeAll(async () => {
    farm = await startWaterFarm(engine);
  });
  afterAll(() => farm.close());

  const raisedBy = async (values: object) => {
    const { alerts_triggered } = await farm.measure(await farm.pond(), values);
    return alerts_triggered.map(({ type, severity }) => `${type} ${severity}`);
  };

  test.each([
    [{ temperature: 26, dissolved_oxygen: 4, ph: 7.5, alkalinity: 80 }],
    [{ temperature: 32, ph: 8.5, ammonia: 0.1, nitrite: 0.1, nitrate: 20 }],
    [{ salinity: 0, transparency: 0 }],
    [{ salinity: 60, transparency: 500, alkalinity: 1000, dissolved_oxygen: 14 }],
  ])('a value equal to its limit, or without one, raises nothing: %j', async (values) => {
    expect(await raisedBy(values)).toEqual([]);
  });

  test.each([
    [{ dissolved_oxygen: 3.99 }, 'LOW_OXYGEN LOW'],
    [{ dissolved_oxygen: 3.51 }, 'LOW_OXYGEN LOW'],
    [{ dissolved_oxygen: 3.5 }, 'LOW_OXYGEN MEDIUM'],
    [{ dissolved_oxygen: 3.01 }, 'LOW_OXYGEN MEDIUM'],
    [{ dissolved_oxygen: 3 }, 'LOW_OXYGEN HIGH'],
    [{ dissolved_oxygen: 0 }, 'LOW_OXYGEN HIGH'],
    [{ temperature: 25.9 }, 'LOW_TEMPERATURE LOW'],
    [{ temperature: 24 }, 'LOW_TEMPERATURE MEDIUM'],
    [{ temperature: 22 }, 'LOW_TEMPERATURE HIGH'],
    [{ temperature: 32.1 }, 'HIGH_TEMPERATURE LOW'],
    [{ temperature: 33 }, 'HIGH_TEMPERATURE MEDIUM'],
    [{ temperature: 34 }, 'HIGH_TEMPERATURE HIGH'],
    [{ ph: 7.4 }, 'LOW_PH LOW'],
    [{ ph: 7 }, 'LOW_PH MEDIUM'],
    [{ ph: 6.5 }, 'LOW_PH HIGH'],
    [{ ph: 8.6 }, 'HIGH_PH LOW'],
    [{ ph: 9 }, 'HIGH_PH MEDIUM'],
    [{ ph: 9.5 }, 'HIGH_PH HIGH'],
    [{ alkalinity: 79 }, 'LOW_ALKALINITY LOW'],
    [{ alkalinity: 60 }, 'LOW_ALKALINITY MEDIUM'],
    [{ alkalinity: 40 }, 'LOW_ALKALINITY HIGH'],
    [{ ammonia: 0.11 }, 'HIGH_AMMONIA LOW'],
    [{ ammonia: 0.25 }, 'HIGH_AMMONIA MEDIUM'],
    [{ ammonia: 0.4 }, 'HIGH_AMMONIA HIGH'],
    // nitrite and nitrate are graded by what chloride protects from
    [{ nitrite: 0.35, salinity: 2 }, 'HIGH_NITRITE LOW'],
    [{ nitrite: 0.37, salinity: 2 }, 'HIGH_NITRITE MEDIUM'],
    [{ nitrite: 0.63, salinity: 2 }, 'HIGH_NITRITE HIGH'],
    // where nobody knows the salinity as in the freshest water
    [{ nitrite: 0.18 }, 'HIGH_NITRITE LOW'],
    [{ nitrite: 0.2 }, 'HIGH_NITRITE MEDIUM'],
    [{ nitrite: 0.28 }, 'HIGH_NITRITE HIGH'],
    [{ nitrite: 0.63, salinity: 25 }, 'HIGH_NITRITE LOW'],
    [{ nitrite: 15.2, salinity: 25 }, 'HIGH_NITRITE HIGH'],
    [{ nitrate: 60 }, 'HIGH_NITRATE HIGH'],
    [{ nitrate: 60, salinity: 10 }, 'HIGH_NITRATE LOW'],
    [{ nitrate: 127, salinity: 10 }, 'HIGH_NITRATE HIGH'],
  ])('%j raises %s', async (values, alert) => {
    expect(await raisedBy(values)).toEqual([alert]);
  });

  test('every violated parameter raises its own, with what was compared', async () => {
    const pond = await farm.pond();
    const { alerts_triggered, pond_id } = await farm.measure(
      pond,
      { temperature: 33, dissolved_oxygen: 2, ph: 9.2 },
      { 'Accept-Language': 'en' },
    );
    expect(pond_id).toBe(pond);
    expect(alerts_triggered.map(({ id: _id, message: _message, advice: _advice, ...rest }) => rest)).toEqual([
      {
        type: 'LOW_OXYGEN',
        parameter: 'dissolved_oxygen',
        value: 2,
        threshold: 4,
        severity: 'HIGH',
        resolved: false,
      },
      {
        type: 'HIGH_TEMPERATURE',
        parameter: 'temperature',
        value: 33,
        threshold: 32,
        severity: 'MEDIUM',
        resolved: false,
      },
      { type: 'HIGH_PH', parameter: 'ph', value: 9.2, threshold: 8.5, severity: 'MEDIUM', resolved: false },
    ]);
    expect(alerts_triggered[0]?.message).toMatch(
      /Oxygen 2\.0 mg\/L in pond V-\d+, below 4\.0 mg\/L \(CRITICAL\)/,
    );
    const { alerts, summary } = await farm.alertsOf(pond);
    expect(alerts.map(({ id }) => id).toSorted()).toEqual(alerts_triggered.map(({ id }) => id).toSorted());
    expect(alerts[0]?.message).toMatch(/viveiro/);
    expect(summary).toEqual({
      total_alerts: 3,
      unresolved: 3,
      high_severity: 1,
      medium_severity: 2,
      low_severity: 0,
    });
  });

  test('nitrite is graded by the salinity the pond had last, not by one of last year', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { salinity: 25, measurement_date: farm.now(-2 * HOUR) });
    expect((await farm.measure(pond, { nitrite: 0.7 })).alerts_triggered[0]?.severity).toBe('LOW');
    const other = await farm.pond();
    await farm.measure(other, { salinity: 25, measurement_date: farm.now(-365 * 24 * HOUR) });
    expect((await farm.measure(other, { nitrite: 0.7 })).alerts_triggered[0]?.severity).toBe('HIGH');
  });

  test('100 bad readings are 100 alerts of one episode, and their people are told once', async () => {
    const control_point_id = await farm.controlPoint();
    const pond = await farm.pond({ control_point_id });
    for (let n = 0; n < 20; n++) {
      await Promise.all(
        Array.from({ length: 5 }, () => farm.measure(pond, { dissolved_oxygen: 3.2, source: 'probe' })),
      );
      farm.clock.advance(10_000);
    }
    const { alerts, summary } = await farm.alertsOf(pond);
    expect([alerts.length, summary.unresolved]).toEqual([100, 100]);
    expect(new Set(alerts.map(({ episode_id }) => episode_id)).size).toBe(1);
    const told = await farm.told(pond);
    expect(
      told.map(({ data }) => [data['parameter'], data['value'], data['threshold'], data['pond_cod']]),
    ).toEqual([['dissolved_oxygen', 3.2, 4, expect.stringMatching(/^V-/)]]);
    expect(told[0]?.data).toMatchObject({ control_point_id });
    const listed = await farm.get<{ pond_id: string; control_point_id: string }[]>('/alerts/');
    expect(listed.filter(({ pond_id }) => pond_id === pond)).toMatchObject([
      { control_point_id, type: 'LOW_OXYGEN' },
    ]);
    expect((await farm.logged(pond)).filter((action) => action === 'alert_created')).toHaveLength(100);
  });

  test('many at the same moment begin one episode and tell once', async () => {
    const pond = await farm.pond();
    await Promise.all(Array.from({ length: 40 }, () => farm.measure(pond, { dissolved_oxygen: 3.2 })));
    const { alerts } = await farm.alertsOf(pond);
    expect([alerts.length, new Set(alerts.map(({ episode_id }) => episode_id)).size]).toEqual([40, 1]);
    expect(await farm.told(pond)).toHaveLength(1);
    farm.clock.advance(31 * MINUTE);
    await Promise.all(Array.from({ length: 20 }, () => farm.measure(pond, { dissolved_oxygen: 3.2 })));
    expect(await farm.told(pond)).toHaveLength(2);
  });

  test('people are told again when it gets worse, and after half an hour', async () => {
    const pond = await farm.pond();
    const told: number[] = [];
    for (const [minutes, dissolved_oxygen] of [
      [0, 3.9],
      [5, 3.8],
      [5, 3.4],
      [5, 3.9],
      [5, 2.9],
      [29, 2.9],
      [1, 3.9],
    ] as const) {
      farm.clock.advance(minutes * MINUTE);
      await farm.measure(pond, { dissolved_oxygen });
      told.push((await farm.told(pond)).length);
    }
    expect(told).toEqual([1, 1, 2, 2, 3, 3, 4]);
  });

  test('readings of a night that are handed in at once tell once', async () => {
    const pond = await farm.pond();
    for (let n = 40; n > 0; n--) {
      await farm.measure(pond, {
        dissolved_oxygen: 3.2,
        measurement_date: farm.now(-n * 15 * MINUTE),
        source: 'probe',
      });
    }
    expect(await farm.told(pond)).toHaveLength(1);
  });

  test.each([
    ['dissolved_oxygen', 3.5, 4.3, 4.31],
    ['temperature', 33, 31.5, 31.49],
    ['temperature', 25, 26.5, 26.51],
    ['ph', 7, 7.6, 7.61],
    ['ph', 9, 8.4, 8.39],
    ['alkalinity', 60, 84, 84.1],
    ['ammonia', 0.3, 0.0951, 0.0949],
    ['nitrite', 0.3, 0.0951, 0.0949],
    ['nitrate', 30, 19.01, 18.99],
  ])(
    '%s: %f is ended by a value inside the limit by more than the dead band',
    async (field, bad, near, good) => {
      const pond = await farm.pond();
      const steps: number[] = [];
      for (const value of [bad, near, good]) {
        farm.clock.advance(MINUTE);
        await farm.measure(pond, { [field]: value });
        steps.push((await farm.alertsOf(pond, '?resolved=false')).alerts.length);
      }
      expect(steps).toEqual([1, 1, 0]);
      const { alerts } = await farm.alertsOf(pond);
      expect(alerts).toMatchObject([{ resolved: true, resolved_at: farm.now() }]);
      expect(await farm.logged(pond)).toContain('alert_resolved');
    },
  );

  test('a good value of another parameter ends nothing', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { dissolved_oxygen: 3.2 });
    await farm.measure(pond, { temperature: 29, ph: 8 });
    expect((await farm.alertsOf(pond)).summary.unresolved).toBe(1);
  });

  test.each([
    [{ dissolved_oxygen: 2 }, { dissolved_oxygen: 48 }],
    [
      { dissolved_oxygen: 2, temperature: 28 },
      { dissolved_oxygen: 24.5, temperature: 28 },
    ],
    [{ ph: 9.6 }, { ph: 0 }],
    [{ temperature: 22 }, { temperature: 60 }],
  ])('after %j a value of a probe that is out of order, %j, ends nothing', async (bad, broken) => {
    const pond = await farm.pond();
    const [first] = (await farm.measure(pond, bad)).alerts_triggered;
    farm.clock.advance(MINUTE);
    const { warnings } = await farm.measure(pond, broken);
    expect(warnings).toHaveLength(1);
    const { alerts } = await farm.alertsOf(pond, '?resolved=false');
    expect(alerts.map(({ id }) => id)).toContain(first?.id);
  });

  test('after a good value the next bad one begins another episode, told half an hour after the last', async () => {
    const pond = await farm.pond();
    const told: number[] = [];
    for (const dissolved_oxygen of [3.2, 6, 3.2, 6]) {
      farm.clock.advance(MINUTE);
      await farm.measure(pond, { dissolved_oxygen });
      told.push((await farm.told(pond)).length);
    }
    const { alerts } = await farm.alertsOf(pond);
    expect(new Set(alerts.map(({ episode_id }) => episode_id)).size).toBe(2);
    farm.clock.advance(30 * MINUTE);
    await farm.measure(pond, { dissolved_oxygen: 3.2 });
    expect([told, (await farm.told(pond)).length]).toEqual([[1, 1, 1, 1], 2]);
  });

  test('an old good value entered late does not end the episode of tonight', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { dissolved_oxygen: 3.2 });
    await farm.measure(pond, { dissolved_oxygen: 7, measurement_date: farm.now(-HOUR) });
    expect((await farm.alertsOf(pond)).summary.unresolved).toBe(1);
  });

  test('an old bad value entered late is an alert that is over, and wakes nobody', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { dissolved_oxygen: 6 });
    const late = await farm.measure(pond, { dissolved_oxygen: 2, measurement_date: farm.now(-HOUR) });
    expect(late.alerts_triggered).toMatchObject([{ type: 'LOW_OXYGEN', severity: 'HIGH', resolved: true }]);
    expect((await farm.alertsOf(pond)).alerts).toMatchObject([
      { resolved: true, triggered_at: farm.now(-HOUR), id: late.alerts_triggered[0]?.id },
    ]);
    expect(await farm.told(pond)).toEqual([]);
    expect((await farm.latest(pond)).status).toBe('NORMAL');
  });

  test('a laboratory result of yesterday is news where nothing newer was measured', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { dissolved_oxygen: 6 });
    const lab = await farm.measure(pond, { nitrite: 3, measurement_date: farm.now(-20 * HOUR) });
    expect(lab.alerts_triggered).toMatchObject([{ type: 'HIGH_NITRITE', resolved: false }]);
    expect(await farm.told(pond)).toHaveLength(1);
    const older = await farm.measure(pond, { nitrate: 90, measurement_date: farm.now(-8 * 24 * HOUR) });
    expect(older.alerts_triggered).toMatchObject([{ type: 'HIGH_NITRATE', resolved: true }]);
    expect(await farm.told(pond)).toHaveLength(1);
  });

  test('what is imported stores alerts and wakes nobody', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { dissolved_oxygen: 2, source: 'import' });
    expect((await farm.alertsOf(pond)).summary.unresolved).toBe(1);
    expect(await farm.told(pond)).toEqual([]);
    await farm.measure(pond, { dissolved_oxygen: 2 });
    expect(await farm.told(pond)).toHaveLength(1);
  });

  test('the alert of a measurement has the same id on every instance', async () => {
    const { id, alerts_triggered } = await farm.measure(await farm.pond(), { dissolved_oxygen: 2 });
    expect(alerts_triggered[0]?.id).toBe(farm.kernel.idOf(`water:${id}:LOW_OXYGEN`));
  });

  test('two instances that judge the same measurement store its alert once', async () => {
    const pond = await farm.pond();
    const { id } = await farm.measure(pond, { dissolved_oxygen: 2 });
    const cause = {
      farm_id: farm.farmId,
      control_point_id: null,
      pond_id: pond,
      type: 'LOW_OXYGEN' as const,
      severity: 'HIGH' as const,
      message: 'again',
      cause: `water:${id}:LOW_OXYGEN`,
    };
    expect(await farm.alerting.raise(cause)).toEqual([]);
    expect((await farm.alertsOf(pond)).summary.total_alerts).toBe(1);
  });

  test('a farm that measures total ammonia is warned of what is poisonous in it', async () => {
    const tan = await startWaterFarm(engine);
    try {
      await setBasis(tan, 'TAN');
      const raised = async (values: object) =>
        (await tan.measure(await tan.pond(), values)).alerts_triggered.map(({ type, severity }) => [
          type,
          severity,
        ]);
      // 1 mg/L of TAN at pH 8 holds 0.067 mg/L NH3-N, at pH 9 0.42
      expect(await raised({ ammonia: 1, ph: 8, temperature: 30, salinity: 20 })).toEqual([]);
      expect(await raised({ ammonia: 1, ph: 8.4, temperature: 30, salinity: 20 })).toEqual([
        ['HIGH_AMMONIA', 'LOW'],
      ]);
      // salt leaves less of it poisonous: 1.5 mg/L would not end it in fresh water
      const pond = await tan.pond();
      for (const values of [{ salinity: 35 }, { ammonia: 5 }, { ammonia: 1.5 }]) {
        tan.clock.advance(MINUTE);
        await tan.measure(pond, { temperature: 28, ph: 8, ...values });
      }
      expect((await tan.alertsOf(pond)).summary).toMatchObject({ total_alerts: 1, unresolved: 0 });
      // without a pH the worst counts: a missing value must neither hide an alert nor make it milder
      expect(await raised({ ammonia: 1 })).toEqual([['HIGH_AMMONIA', 'HIGH']]);
      // beyond the published tables the same equation goes on: no cliff at 36 ppt or 35 °C
      for (const values of [
        { ammonia: 20, temperature: 32, ph: 9, salinity: 40 },
        { ammonia: 3, temperature: 30, ph: 8.6, salinity: 37 },
        { ammonia: 3, temperature: 35.5, ph: 8.6, salinity: 36 },
      ])
        expect(await raised(values), JSON.stringify(values)).toContainEqual(['HIGH_AMMONIA', 'HIGH']);
    } finally {
      await tan.close();
    }
  });
});

onBothEngines('ammonia is told on both bases', (_open, engine) => {
  test('a total with the un-ionised part of it, or the worst and what is missing', async () => {
    const farm = await startWaterFarm(engine);
    try {
      const pond = await farm.pond();
      const typed = await farm.measure(pond, { ammonia: 0.12, ph: 8, temperature: 28, salinity: 20 });
      expect(typed.ammonia_as).toEqual({
        basis: 'NH3',
        nh3_n: 0.12,
        tan: 2.05,
        certainty: 'KNOWN',
        gaps: [],
      });
      const bare = await farm.measure(await farm.pond(), { ammonia: 0.05 });
      expect(bare.ammonia_as).toMatchObject({ nh3_n: 0.05, tan: null, gaps: { length: 3 } });
      await setBasis(farm, 'TAN');
      const total = { ammonia: 3, ph: 8.6, temperature: 30 };
      // the salinity of the pond is known from before, and counts here as it does for the alert
      const seen = await farm.measure(pond, total);
      expect(seen.ammonia_as).toEqual({ basis: 'TAN', nh3_n: 0.67, tan: 3, certainty: 'KNOWN', gaps: [] });
      expect(seen.alerts_triggered).toContainEqual(
        expect.objectContaining({
          type: 'HIGH_AMMONIA',
          message: expect.stringContaining('3,00 mg/L TAN = 0,67 mg/L NH₃-N') as unknown,
          // the words of the table, whoever tells them; nobody entered a batch, and it may be full
          advice: alertAdvice({ type: 'HIGH_AMMONIA', severity: 'HIGH', value: 0.67 }, 'pt-BR', {
            ...SCIENCE_DEFAULTS.water,
            isPondEmpty: false,
          }),
        }),
      );
      const hot = await farm.measure(await farm.pond(), { ...total, temperature: 36, salinity: 40 });
      expect(hot.ammonia_as).toMatchObject({ certainty: 'EXTRAPOLATED' });
      const blind = await farm.measure(await farm.pond(), { ammonia: 3 });
      expect(blind.ammonia_as).toMatchObject({
        certainty: 'WORST_CASE',
        gaps: ['TEMPERATURE_MISSING', 'PH_MISSING', 'SALINITY_MISSING'],
      });
      expect(blind.ammonia_as?.nh3_n).toBeGreaterThan(2);
      const oxygen = await farm.measure(await farm.pond(), { dissolved_oxygen: 6 });
      expect(oxygen.ammonia_as).toBeNull();
    } finally {
      await farm.close();
    }
  });
});

async function setBasis(farm: WaterFarm, ammoniaBasis: string): Promise<void> {
  const row = {
    id: farm.kernel.newId(),
    farm_id: farm.farmId,
    overrides: { water: { ammoniaBasis } },
    updated_by: null,
    created_at: farm.now(),
    updated_at: null,
  };
  await farm.kernel.commit({ changes: [insert(farmScience, row)], actor: null });
}
