import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasurementJournal, WaterTrend } from '#contract/resources/water-quality.ts';
import { onBothEngines } from '#test/databases.ts';
import { outcomeOf, refused } from '#test/staffed-farm.ts';
import { DAY, HOUR, MINUTE, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

onBothEngines('water quality over HTTP', (_open, engine) => {
  let farm: WaterFarm;
  beforeAll(async () => {
    farm = await startWaterFarm(engine);
  });
  afterAll(() => farm.close());

  const journal = (pond: string, query = '') =>
    farm.get<MeasurementJournal>(`/water-quality/pond/${pond}${query}`);
  const post = (body: object, token = farm.token) => farm.call('POST', '/water-quality/', { token, body });

  test('a measurement comes back as it was stored', async () => {
    const pond = await farm.pond();
    const made = await farm.measure(pond, { temperature: 29, notes: '  clear ' });
    const { alerts_triggered, warnings, ...row } = made;
    expect(made).toEqual({
      id: made.id,
      pond_id: pond,
      measurement_date: farm.now(),
      temperature: 29,
      dissolved_oxygen: null,
      ph: null,
      salinity: null,
      alkalinity: null,
      ammonia: null,
      ammonia_as: null,
      oxygen_saturation_percent: null,
      nitrite: null,
      nitrate: null,
      transparency: null,
      notes: 'clear',
      source: 'manual',
      created_by: farm.owner.user.id,
      clock_quality: 'trusted',
      created_at: farm.now(),
      updated_at: null,
      alerts_triggered: [],
      warnings: [],
    });
    expect(await farm.get(`/water-quality/${made.id}`)).toEqual(row);
    expect([alerts_triggered, warnings]).toEqual([[], []]);
  });

  test('a pond may be named by its number, and a measurement by an id of the caller’s own, once', async () => {
    const pond = await farm.pond();
    const { numeric_id } = await farm.get<{ numeric_id: number }>(`/ponds/${pond}`);
    const id = randomUUID();
    const reply = await post({ pond_id: numeric_id, id, ph: 8 });
    expect([reply.status, reply.body]).toEqual([201, expect.objectContaining({ id, pond_id: pond })]);
    expect((await outcomeOf(farm, () => post({ pond_id: pond, id, ph: 8 }))).status).toBe(409);
    expect((await journal(String(numeric_id))).pond_id).toBe(pond);
  });

  test('a request that is repeated by its key is one measurement', async () => {
    const pond = await farm.pond();
    const send = () =>
      farm.ask(
        'POST',
        '/water-quality/',
        { pond_id: pond, dissolved_oxygen: 2 },
        { 'Idempotency-Key': pond },
      );
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect((await journal(pond)).statistics.total_measurements).toBe(1);
    expect((await farm.alertsOf(pond)).summary.total_alerts).toBe(1);
  });

  test.each([
    [{}, 'temperature'],
    [{ notes: 'nothing measured' }, 'temperature'],
    [{ temperature: null, ph: null }, 'temperature'],
    [{ temperature: -5.1 }, 'temperature'],
    [{ temperature: 60.1 }, 'temperature'],
    [{ temperature: '29' }, 'temperature'],
    [{ dissolved_oxygen: -0.1 }, 'dissolved_oxygen'],
    [{ dissolved_oxygen: 50.1 }, 'dissolved_oxygen'],
    [{ ph: -0.1 }, 'ph'],
    [{ ph: 14.1 }, 'ph'],
    [{ salinity: 100.1 }, 'salinity'],
    [{ alkalinity: 1000.1 }, 'alkalinity'],
    [{ ammonia: 100.1 }, 'ammonia'],
    [{ nitrite: 100.1 }, 'nitrite'],
    [{ nitrate: 1000.1 }, 'nitrate'],
    [{ transparency: 500.1 }, 'transparency'],
    [{ ph: 8, source: 'guess' }, 'source'],
    [{ ph: 8, measurement_date: 'yesterday' }, 'measurement_date'],
    [{ ph: 8, measurement_date: '2026-03-02T12:10:01Z' }, 'measurement_date'],
    [{ ph: 8, measurement_date: '1999-12-31' }, 'measurement_date'],
  ])('%j is told the field, and nothing is stored', async (values, field) => {
    const pond = await farm.pond();
    const at = farm.clock.now();
    farm.clock.set(Date.UTC(2026, 2, 2, 12));
    expect(await outcomeOf(farm, () => post({ pond_id: pond, ...values }))).toEqual(refused(422, field));
    farm.clock.set(at);
  });

  test.each([
    [{ temperature: -5, dissolved_oxygen: 50, ph: 0, salinity: 100, alkalinity: 1000 }],
    [
      {
        temperature: 60,
        dissolved_oxygen: 0,
        ph: 14,
        ammonia: 100,
        nitrite: 100,
        nitrate: 1000,
        transparency: 500,
      },
    ],
  ])('the ends of what can be measured are stored: %j', async (values) => {
    expect(await farm.measure(await farm.pond(), values)).toMatchObject(values);
  });

  test('a value that is hard to believe is stored with a warning in the reader’s language', async () => {
    const pond = await farm.pond();
    const made = await farm.measure(
      pond,
      { dissolved_oxygen: 30, temperature: 29 },
      { 'Accept-Language': 'en' },
    );
    expect(made.warnings).toEqual([
      { code: 'OXYGEN_ABOVE_ANY_POND', message: expect.stringMatching(/calibrate the probe/) },
    ]);
    expect((await farm.measure(pond, { ph: 2 })).warnings[0]?.message).toMatch(/pH 2,0 é incomum/);
  });

  test('ten minutes ahead are believed', async () => {
    const measurement_date = farm.now(10 * MINUTE);
    expect((await farm.measure(await farm.pond(), { ph: 8, measurement_date })).measurement_date).toBe(
      measurement_date,
    );
  });

  test('a bare date is the start of that day on the farm', async () => {
    // America/Sao_Paulo, three hours behind UTC
    const made = await farm.measure(await farm.pond(), { ph: 8, measurement_date: '2026-02-10' });
    expect(made.measurement_date).toBe('2026-02-10T03:00:00.000Z');
  });

  test('owner and manager record and correct; technician and viewer read; a stranger sees nothing', async () => {
    const pond = await farm.pond();
    const { id } = await farm.measure(pond, { ph: 8 });
    const statuses = async (token: string) => [
      (await post({ pond_id: pond, ph: 8 }, token)).status,
      (await farm.call('PUT', `/water-quality/${id}`, { token, body: {} })).status,
      (await farm.call('GET', `/water-quality/${id}`, { token })).status,
      (await farm.call('GET', `/water-quality/pond/${pond}`, { token })).status,
      (await farm.call('GET', `/water-quality/pond/${pond}/latest`, { token })).status,
      (await farm.call('GET', `/water-quality/pond/${pond}/alerts`, { token })).status,
      (await farm.call('GET', `/water-quality/trend/${pond}/ph`, { token })).status,
      (await farm.call('GET', `/water-quality/latest?pond_id=${pond}`, { token })).status,
    ];
    const all = [200, 200, 200, 200, 200, 200];
    expect(await statuses(farm.owner.token)).toEqual([201, 200, ...all]);
    expect(await statuses(farm.manager.token)).toEqual([201, 200, ...all]);
    expect(await statuses(farm.technician.token)).toEqual([403, 403, ...all]);
    expect(await statuses(farm.viewer.token)).toEqual([403, 403, ...all]);
    expect(await statuses(farm.stranger.token)).toEqual([404, 404, 404, 404, 404, 404, 404, 404]);
  });

  test('the journal is newest first, with the averages of the whole period', async () => {
    const pond = await farm.pond();
    for (const [day, values] of [
      ['2026-02-01T12:00:00Z', { temperature: 28, dissolved_oxygen: 5, ph: 8 }],
      ['2026-02-02T12:00:00Z', { temperature: 29.5, salinity: 20 }],
      ['2026-02-03T12:00:00Z', { temperature: 30, dissolved_oxygen: 6.0005 }],
    ] as const) {
      await farm.measure(pond, { measurement_date: day, ...values });
    }
    const { measurements, statistics, pond_cod } = await journal(pond);
    expect(measurements.map(({ temperature }) => temperature)).toEqual([30, 29.5, 28]);
    expect(pond_cod).toMatch(/^V-/);
    expect(statistics).toEqual({
      total_measurements: 3,
      date_range: { start: '2026-02-01', end: '2026-02-03' },
      averages: { temperature: 29.167, dissolved_oxygen: 5.5, ph: 8, salinity: 20 },
    });
    const page = await journal(pond, '?skip=1&limit=1');
    expect(page.measurements.map(({ temperature }) => temperature)).toEqual([29.5]);
    expect(page.statistics.total_measurements).toBe(3);
  });

  test('days of the journal are days of the farm, the last one included', async () => {
    const pond = await farm.pond();
    // 02:59 UTC is still the evening before on the farm
    for (const at of [
      '2026-02-02T02:59:00Z',
      '2026-02-02T03:00:00Z',
      '2026-02-03T02:59:59Z',
      '2026-02-03T03:00:00Z',
    ]) {
      await farm.measure(pond, { ph: 8, measurement_date: at });
    }
    const { measurements, statistics } = await journal(pond, '?start_date=2026-02-02&end_date=2026-02-02');
    expect(measurements.map(({ measurement_date }) => measurement_date)).toEqual([
      '2026-02-03T02:59:59.000Z',
      '2026-02-02T03:00:00.000Z',
    ]);
    expect(statistics).toMatchObject({
      total_measurements: 2,
      date_range: { start: '2026-02-02', end: '2026-02-02' },
    });
    const instants = await journal(pond, '?start_date=2026-02-02T02:59:00Z&end_date=2026-02-02T03:00:00Z');
    expect(instants.measurements).toHaveLength(2);
  });

  test('days that end before they begin are refused, in place of a pond that seems never measured', async () => {
    const pond = await farm.pond();
    await farm.measure(pond, { ph: 8 });
    for (const path of [
      `/water-quality/pond/${pond}?`,
      `/water-quality/pond/${pond}/alerts?`,
      '/water-quality/alerts?',
    ])
      for (const [start, end] of [
        ['2026-02-03', '2026-02-02'],
        ['2026-02-02T03:00:01Z', '2026-02-02T03:00:00Z'],
      ])
        expect(
          await farm.ask('GET', `${path}pond_id=${pond}&start_date=${start}&end_date=${end}`),
        ).toMatchObject({ status: 422, body: { detail: 'end_date: must not be before start_date' } });
    expect(
      (await journal(pond, '?start_date=2026-02-02T03:00:00Z&end_date=2026-02-02T03:00:00Z')).measurements,
    ).toEqual([]);
  });

  test('a pond that was never measured has an empty journal and nothing latest', async () => {
    const pond = await farm.pond();
    expect((await journal(pond)).statistics).toEqual({
      total_measurements: 0,
      date_range: { start: null, end: null },
      averages: { temperature: null, dissolved_oxygen: null, ph: null, salinity: null },
    });
    expect(await farm.ask('GET', `/water-quality/pond/${pond}/latest`)).toMatchObject({
      status: 404,
      body: { code: 'NO_MEASUREMENT' },
    });
  });

  test.each([
    [0, 'agora mesmo', 'just now'],
    [5 * MINUTE, 'há 5 minutos', '5 minutes ago'],
    [HOUR, 'há 1 hora', '1 hour ago'],
    [2 * DAY + HOUR, 'há 2 dias', '2 days ago'],
  ])('%d ms after it the latest measurement is %s, %s', async (passedMs, portuguese, english) => {
    const pond = await farm.pond();
    const { id } = await farm.measure(pond, { ph: 8, measurement_date: farm.now(-passedMs) });
    expect(await farm.latest(pond)).toMatchObject({
      id,
      time_since_measurement: portuguese,
      status: 'NORMAL',
      alerts: [],
      pond_cod: expect.stringMatching(/^V-/),
    });
    const asked = await farm.latest(pond, { 'Accept-Language': 'en' });
    expect(asked.time_since_measurement).toBe(english);
  });

  test.each([
    [{ dissolved_oxygen: 3.9 }, 'WARNING'],
    [{ dissolved_oxygen: 3.4 }, 'WARNING'],
    [{ dissolved_oxygen: 3 }, 'CRITICAL'],
  ])('%j makes the water %s, until a good value', async (values, status) => {
    const pond = await farm.pond();
    const { alerts_triggered } = await farm.measure(pond, values);
    const latest = await farm.latest(pond);
    expect([latest.status, latest.alerts.map(({ id }) => id)]).toEqual([
      status,
      alerts_triggered.map(({ id }) => id),
    ]);
    farm.clock.advance(MINUTE);
    await farm.measure(pond, { ph: 8 });
    expect((await farm.latest(pond)).status).toBe(status);
    farm.clock.advance(MINUTE);
    await farm.measure(pond, { dissolved_oxygen: 6 });
    expect(await farm.latest(pond)).toMatchObject({ status: 'NORMAL', alerts: [] });
  });

  test('the alerts of a pond are newest first, by day and by whether they are over', async () => {
    const pond = await farm.pond();
    for (const [at, dissolved_oxygen] of [
      ['2026-02-28T12:00:00Z', 2],
      ['2026-03-01T12:00:00Z', 6],
      ['2026-03-02T11:00:00Z', 3.8],
    ] as const) {
      await farm.measure(pond, { measurement_date: at, dissolved_oxygen });
    }
    const values = async (query: string) =>
      (await farm.alertsOf(pond, query)).alerts.map(({ value }) => value);
    expect(await values('')).toEqual([3.8, 2]);
    expect(await values('?resolved=true')).toEqual([2]);
    expect(await values('?resolved=false')).toEqual([3.8]);
    expect(await values('?start_date=2026-03-01')).toEqual([3.8]);
    expect(await values('?end_date=2026-02-28')).toEqual([2]);
    expect(await values('?limit=1&skip=1')).toEqual([2]);
    expect((await farm.alertsOf(pond)).summary).toEqual({
      total_alerts: 2,
      unresolved: 1,
      high_severity: 1,
      medium_severity: 0,
      low_severity: 1,
    });
    expect((await farm.ask('GET', `/water-quality/pond/${pond}/alerts?resolved=maybe`)).status).toBe(422);
  });

  test('the old paths answer one pond, or every pond of the caller', async () => {
    const pond = await farm.pond();
    // more than a hundred: the alerts of all ponds end where those of one do
    for (let n = 0; n < 101; n += 1) await farm.measure(pond, { dissolved_oxygen: 3 });
    expect(await farm.get(`/water-quality/latest?pond_id=${pond}`)).toEqual(await farm.latest(pond));
    expect(await farm.get(`/water-quality/alerts?pond_id=${pond}`)).toEqual(await farm.alertsOf(pond));
    const latest = await farm.get<{ pond_id: string }[]>('/water-quality/latest');
    expect(latest.filter(({ pond_id }) => pond_id === pond)).toEqual([await farm.latest(pond)]);
    const alerts = await farm.get<{ pond_id: string }[]>('/water-quality/alerts');
    expect(alerts.filter(({ pond_id }) => pond_id === pond)).toEqual([await farm.alertsOf(pond)]);
    const { token } = farm.stranger;
    expect((await farm.call('GET', '/water-quality/latest', { token })).body).toEqual([]);
  });

  test('a trend has the averages of the days of the farm and says what to do', async () => {
    const at = farm.clock.now();
    farm.clock.set(Date.UTC(2026, 2, 20, 12));
    const pond = await farm.pond();
    for (let day = 0; day < 10; day++) {
      // the second one is at 23:30 on the farm, on the next day in UTC
      for (const [hour, value] of [
        [12, 29 - day * 0.4],
        [26.5, 29.2 - day * 0.4],
      ] as const) {
        const measurement_date = new Date(Date.UTC(2026, 2, 10 + day) + hour * HOUR).toISOString();
        await farm.measure(pond, { temperature: value, measurement_date });
      }
    }
    const trend = await farm.get<WaterTrend>(`/water-quality/trend/${pond}/temperature?days=5`, {
      'Accept-Language': 'en',
    });
    expect(trend).toMatchObject({
      pond_id: pond,
      parameter: 'temperature',
      unit: '°C',
      optimal_range: { min: 26, max: 32 },
    });
    expect(trend.trend_data.period_days).toBe(5);
    expect(trend.trend_data.data_points).toEqual([
      { date: '2026-03-16', avg: 26.7, min: 26.6, max: 26.8 },
      { date: '2026-03-17', avg: 26.3, min: 26.2, max: 26.4 },
      { date: '2026-03-18', avg: 25.9, min: 25.8, max: 26 },
      { date: '2026-03-19', avg: 25.5, min: 25.4, max: 25.6 },
    ]);
    const whole = await farm.get<WaterTrend>(`/water-quality/trend/${pond}/temperature`);
    expect(whole.trend_data.statistics).toEqual({
      overall_avg: 27.3,
      overall_min: 25.4,
      overall_max: 29.2,
      std_deviation: 1.183,
      trend_direction: 'DECREASING',
      alerts_triggered: 3,
    });
    expect(trend.recommendations.join(' ')).toMatch(/temperature falls/);
    expect(whole.recommendations.join(' ')).toMatch(/temperatura cai/);
    farm.clock.set(at);
  });

  test('for a drawing a trend tells its readings in equal stretches, each with its extremes', async () => {
    const at = farm.clock.now();
    farm.clock.set(Date.UTC(2026, 2, 20, 12));
    const pond = await farm.pond();
    for (const [minute, value] of [
      [0, 28],
      [29, 26],
      [30, 27],
      // stretches of half an hour begin at full and half hours
      [59.5, 27.5],
      [600, 31],
    ] as const) {
      const measurement_date = new Date(Date.UTC(2026, 2, 10, 3) + minute * 60_000).toISOString();
      await farm.measure(pond, { temperature: value, measurement_date });
    }
    const path = `/water-quality/trend/${pond}/temperature`;
    const { trend_data } = await farm.get<WaterTrend>(`${path}?points=2000`);
    expect(trend_data.readings).toEqual([
      { at: '2026-03-10T03:00:00.000Z', avg: 27, min: 26, max: 28 },
      { at: '2026-03-10T03:30:00.000Z', avg: 27.25, min: 27, max: 27.5 },
      { at: '2026-03-10T13:00:00.000Z', avg: 31, min: 31, max: 31 },
    ]);
    const few = await farm.get<WaterTrend>(`${path}?points=400&days=366`);
    expect(few.trend_data.readings).toEqual([
      { at: '2026-03-10T03:00:00.000Z', avg: 27.9, min: 26, max: 31 },
    ]);
    expect((await farm.get<WaterTrend>(path)).trend_data).not.toHaveProperty('readings');

    // who looks into an hour gets its minutes, and the days stay those of the month
    const part = '&start_date=2026-03-10T03:00:00Z&end_date=2026-03-10T04:00:00Z';
    const hour = await farm.get<WaterTrend>(`${path}?points=400${part}`);
    expect(hour.trend_data.readings?.map(({ at: first, avg }) => [first.slice(11, 19), avg])).toEqual([
      ['03:00:00', 28],
      ['03:29:00', 26],
      ['03:30:00', 27],
      ['03:59:30', 27.5],
    ]);
    expect(hour.trend_data.data_points).toEqual(trend_data.data_points);
    expect(hour.trend_data.statistics).toEqual(trend_data.statistics);
    // never beyond the days that were asked for, so that an answer stays short
    const years = await farm.get<WaterTrend>(`${path}?points=400&days=2&start_date=2019-01-01`);
    expect(years.trend_data.readings).toEqual([]);
    farm.clock.set(at);
  });

  test('a trend without measurements is STABLE, without figures', async () => {
    const trend = await farm.get<WaterTrend>(`/water-quality/trend/${await farm.pond()}/dissolved_oxygen`);
    expect(trend.trend_data).toEqual({
      period_days: 30,
      data_points: [],
      statistics: {
        overall_avg: null,
        overall_min: null,
        overall_max: null,
        std_deviation: null,
        trend_direction: 'STABLE',
        alerts_triggered: 0,
      },
    });
    expect(trend.optimal_range).toEqual({ min: 4, max: null });
  });

  test.each([
    ['turbidity', ''],
    ['ph', '?days=0'],
    ['ph', '?days=367'],
    ['ph', '?days=1.5'],
    ['ph', '?points=399'],
    ['ph', '?points=2001'],
    ['ph', '?points=400&start_date=2026-03-10&end_date=2026-03-09'],
    ['ph', '?points=400&start_date=yesterday'],
  ])('a trend of %s%s is refused', async (parameter, query) => {
    const path = `/water-quality/trend/${await farm.pond()}/${parameter}${query}`;
    expect((await farm.ask('GET', path)).status).toBe(422);
  });

  test('measurements go with their pond', async () => {
    const pond = await farm.pond();
    const { id } = await farm.measure(pond, { dissolved_oxygen: 2 });
    await farm.ask('DELETE', `/ponds/${pond}`);
    const gone = await Promise.all(
      [`/water-quality/${id}`, `/water-quality/pond/${pond}`].map((path) => farm.ask('GET', path)),
    );
    expect(gone.map(({ status }) => status)).toEqual([404, 404]);
    expect((await post({ pond_id: pond, ph: 8 })).status).toBe(404);
  });

  test('who watches the farm hears of it, and strangers do not', async () => {
    const pond = await farm.pond();
    const heard = { owner: '', stranger: '' };
    const listen = async (who: 'owner' | 'stranger') => {
      const watching = new AbortController();
      const reply = await fetch(`${farm.base}/api/v1/events`, {
        headers: { Authorization: `Bearer ${farm[who].token}` },
        signal: watching.signal,
      });
      const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
      const follow = async () => {
        for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
          heard[who] += read.value;
      };
      return { stop: () => watching.abort(), followed: follow().catch(() => undefined) };
    };
    const streams = await Promise.all([listen('owner'), listen('stranger')]);
    const { id } = await farm.measure(pond, { dissolved_oxygen: 2 });
    for (const told of ['event: measurement', `"farm_id":"${farm.farmId}"`, id, 'event: alert'])
      await expect.poll(() => heard.owner).toContain(told);
    expect(heard.stranger).not.toContain(id);
    for (const { stop } of streams) stop();
    await Promise.all(streams.map(({ followed }) => followed));
  });

  test('the trend of ammonia has each day and the newest value on both bases; other parameters have neither', async () => {
    const pond = await farm.pond();
    await farm.ask('PUT', `/farms/${farm.farmId}/science`, { water: { ammoniaBasis: 'TAN' } });
    const water = { temperature: 28, salinity: 20 };
    // at pH 9 the same total is six times as poisonous as at pH 8: the mean of the day is that of its values
    const at = [
      await farm.measure(pond, { ...water, ammonia: 1, ph: 8, measurement_date: farm.now(-2 * HOUR) }),
      await farm.measure(pond, { ...water, ammonia: 1, ph: 9, measurement_date: farm.now(-HOUR) }),
    ].map(({ ammonia_as }) => ammonia_as);
    type Trend = {
      latest_ammonia_as?: object | null;
      trend_data: { data_points: { ammonia_as?: { basis: string; nh3_n: number; tan: number } }[] };
    };
    const trend = await farm.get<Trend>(`/water-quality/trend/${pond}/ammonia?days=2`);
    expect(trend.latest_ammonia_as).toEqual(at[1]);
    const mean = ((at[0]?.nh3_n ?? 0) + (at[1]?.nh3_n ?? 0)) / 2;
    const [day] = trend.trend_data.data_points.map(({ ammonia_as }) => ammonia_as);
    expect(day).toMatchObject({ basis: 'TAN', tan: 1, certainty: 'KNOWN', gaps: [] });
    expect(day?.nh3_n).toBeCloseTo(mean, 2);

    await farm.measure(pond, { ammonia: 1 });
    const unsure = await farm.get<Trend>(`/water-quality/trend/${pond}/ammonia?days=2`);
    expect(unsure.latest_ammonia_as).toMatchObject({ certainty: 'WORST_CASE' });
    expect(unsure.trend_data.data_points.at(-1)?.ammonia_as).toMatchObject({ certainty: 'WORST_CASE' });

    const ph = await farm.get<Trend>(`/water-quality/trend/${pond}/ph?days=2`);
    expect('latest_ammonia_as' in ph).toBe(false);
    expect(JSON.stringify(ph)).not.toContain('ammonia_as');
    await farm.ask('PUT', `/farms/${farm.farmId}/science`, { water: { ammoniaBasis: null } });
  });
});
