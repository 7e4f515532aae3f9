import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TrayReading } from '#contract/resources/feed-trays.ts';
import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { measured, weighed } from '#test/recorded-rows.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Feeding trays, one by one. The clock of the tests stands at 2 March, 12:00 UTC: nine in the morning at the farm, between the
// meal of 06:00 and that of 11:00.

type Told = Record<string, unknown>;
const today = (time: string) => `2026-03-02T${time}:00.000Z`;
const trays = (...left: (number | null)[]): TrayReading[] =>
  left.map((left_percent, at) => ({ tray: at + 1, left_percent, note: null }));
const AQT = 'AQT 2016, How to adjust the amount of feed in shrimp culture';

onBothEngines('feeding trays', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  /** 246,000 shrimp of 8.4 g in good water, fed at 06:00 on the farm: the meal of 11:00 is 14.56 of 72.81 kg. */
  async function aFedPond() {
    const farm = await aStockedFarm(app, {
      initial_count: 300_000,
      estimated_survival_rate: 82,
      initial_avg_weight: 0.01,
    });
    await weighed(app, farm.batch.id, 8.4);
    await measured(app, pondOf(farm), { temperature: 28, dissolved_oxygen: 6 });
    const meal = await fed(farm, today('09:00'));
    return { farm, meal };
  }
  const pondOf = (farm: StockedFarm, at = 0) => farm.ponds[at]?.id ?? '';
  const send = (token: string, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(farm: StockedFarm, method: string, path: string, sent?: unknown): Promise<Told> {
    const reply = await send(farm.token, method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const fed = (farm: StockedFarm, feed_date: string, fields: object = {}) =>
    call(farm, 'POST', '/feeding/', {
      batch_id: farm.batch.id,
      pond_id: pondOf(farm),
      feed_type: 'Pellet',
      quantity_kg: 20,
      cost_per_kg: 6,
      feed_date,
      ...fields,
    });
  const look = (farm: StockedFarm, sent: object, at = 0) =>
    call(farm, 'POST', `/ponds/${pondOf(farm, at)}/records`, { kind: 'FEED_TRAYS', ...sent });
  async function refused(farm: StockedFarm, sent: object) {
    const path = `/ponds/${pondOf(farm)}/records`;
    const reply = await send(farm.token, 'POST', path, { kind: 'FEED_TRAYS', ...sent });
    const { errors } = body(reply) as { errors?: { path: string; code: string }[] };
    return [reply.status, errors?.[0]?.path, errors?.[0]?.code];
  }
  const advice = async (farm: StockedFarm) =>
    (await call(
      farm,
      'GET',
      `/feeding/batch/${farm.batch.id}/recommendation`,
    )) as unknown as FeedingRecommendation;

  it('one look holds every tray of the pond; one that nobody looked at is not known, and not empty', async () => {
    const { farm, meal } = await aFedPond();
    const made = await look(farm, {
      trays: [{ tray: 1, left_percent: 0 }, { tray: 2, left_percent: 12.5, note: 'Muda' }, { tray: 3 }],
      feeding_id: meal['id'],
      responsible: 'Zé',
      happened_at: today('11:00'),
    });
    expect(made).toMatchObject({
      kind: 'FEED_TRAYS',
      pond_id: pondOf(farm),
      happened_at: today('11:00'),
      trays: [
        { tray: 1, left_percent: 0, note: null },
        { tray: 2, left_percent: 12.5, note: 'Muda' },
        { tray: 3, left_percent: null, note: null },
      ],
      feeding_id: meal['id'],
      responsible: 'Zé',
      signs: null,
      batches: [{ batch_code: farm.batch.batch_code }],
    });
    expect(await call(farm, 'GET', `/records/${String(made['id'])}`)).toEqual(made);
    const of = async (query: string) =>
      (await call(farm, 'GET', `/ponds/${pondOf(farm)}/records?${query}`)) as unknown as Told[];
    expect(await of('kind=FEED_TRAYS')).toEqual([made]);
    expect(await of('except=FEED_TRAYS')).toEqual([]);
  });

  it('the next meal of the pond follows their mean by the published table, which is named', async () => {
    const { farm } = await aFedPond();
    const before = await advice(farm);
    expect(before.ponds[0]?.trays).toBe(null);
    expect(before.recommendation.next_meal_kg).toBe(14.56);
    await look(farm, { trays: trays(50, 30, 10), happened_at: today('11:00') });
    const less = await advice(farm);
    expect(less.ponds[0]?.trays).toEqual({
      checked_at: today('11:00'),
      trays_seen: 3,
      trays_not_seen: 0,
      left_percent: 30,
      next_meal_change_percent: -30,
      next_meal_kg: 10.19,
      source: AQT,
    });
    expect(less.recommendation).toMatchObject({ recommended_feed_kg: 72.81, next_meal_kg: 10.19 });
    expect(less.notes[0]).toBe('30% of the feed was left on the trays: give 10.19 kg at 11:00 (−30%).');
  });

  it('all eaten raises the next meal by 5 %, but not while a tray was not looked at', async () => {
    const { farm } = await aFedPond();
    await look(farm, { trays: trays(0, 0, null), happened_at: today('11:00') });
    const partly = await advice(farm);
    expect(partly.ponds[0]?.trays).toMatchObject({
      trays_seen: 2,
      trays_not_seen: 1,
      left_percent: 0,
      next_meal_change_percent: 0,
    });
    expect(partly.recommendation.next_meal_kg).toBe(14.56);
    expect(partly.notes[0]).toMatch(/^One tray was not looked at since the last meal: .* not raised\.$/);
    // the third is looked at by somebody else
    await look(farm, { trays: [{ tray: 3, left_percent: 0 }], happened_at: today('11:20') });
    expect((await advice(farm)).recommendation.next_meal_kg).toBe(15.29);
  });

  it('a tray that was seen before the meal only is unknown after it, even where nobody names it again', async () => {
    const { farm } = await aFedPond();
    await look(farm, { trays: trays(0, 0, 0, 0), happened_at: today('08:00') });
    expect((await advice(farm)).ponds[0]?.trays).toBe(null);
    await look(farm, { trays: trays(0), happened_at: today('11:00') });
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({ trays_seen: 1, trays_not_seen: 3 });
  });

  it('what was seen before the newest meal says nothing any more, unless that meal is named', async () => {
    const { farm } = await aFedPond();
    await look(farm, { trays: trays(60), happened_at: today('11:00') });
    expect((await advice(farm)).recommendation.next_meal_kg).toBe(0);
    const later = await fed(farm, today('11:30'));
    expect((await advice(farm)).ponds[0]?.trays).toBe(null);
    expect((await advice(farm)).recommendation.next_meal_kg).toBe(14.56);
    const named = { trays: trays(20), happened_at: today('11:30'), feeding_id: later['id'] };
    await look(farm, named);
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({ left_percent: 20 });
    // its meal is gone, so it counts by its time
    await call(farm, 'DELETE', `/feeding/${String(later['id'])}`);
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({ left_percent: 20 });
  });

  it('trays go before a percentage told with the meal, which goes on where nobody looked', async () => {
    const { farm } = await aFedPond();
    await fed(farm, today('10:00'), { tray_leftover_percent: 60 });
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({
      checked_at: null,
      trays_seen: null,
      trays_not_seen: null,
      left_percent: 60,
      next_meal_change_percent: -100,
    });
    await look(farm, { trays: trays(5, 15), happened_at: today('11:30') });
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({ left_percent: 10, trays_seen: 2 });
  });

  it('each pond of a batch has its own trays; the other one is fed as planned', async () => {
    const { farm } = await aFedPond();
    await call(farm, 'POST', '/transfers/', {
      batch_id: farm.batch.id,
      source_pond_id: pondOf(farm),
      destination_pond_id: pondOf(farm, 1),
      quantity: 123_000,
      transfer_date: '2026-02-20T12:00:00Z',
    });
    await measured(app, pondOf(farm, 1), { temperature: 28, dissolved_oxygen: 6 });
    const whole = (await advice(farm)).recommendation.next_meal_kg ?? 0;
    await look(farm, { trays: trays(60), happened_at: today('11:00') }, 1);
    const { recommendation, ponds, notes } = await advice(farm);
    const of = (at: number) => ponds.find(({ pond_id }) => pond_id === pondOf(farm, at))?.trays;
    expect([of(0), of(1)]).toMatchObject([null, { next_meal_change_percent: -100, next_meal_kg: 0 }]);
    expect(recommendation.next_meal_kg).toBeCloseTo(whole / 2, 1);
    expect(notes[0]).toMatch(/^V-2: 60% of the feed was left/);
  });

  it('a farm that goes by its own table is told so, and no source', async () => {
    const { farm } = await aFedPond();
    const steps = [
      { upToPercent: 0, factor: 1.1 },
      { upToPercent: 100, factor: 0.5 },
    ];
    await call(farm, 'PUT', `/farms/${farm.farmId}/science`, { feeding: { trayLeftovers: steps } });
    await look(farm, { trays: trays(0), happened_at: today('11:00') });
    expect((await advice(farm)).ponds[0]?.trays).toMatchObject({
      next_meal_change_percent: 10,
      source: null,
    });
  });

  it('what cannot be is refused, with the field that is wrong', async () => {
    const { farm, meal } = await aFedPond();
    const other = await aFedPond();
    expect((await refused(farm, {})).slice(0, 2)).toEqual([422, 'trays']);
    expect((await refused(farm, { trays: [] }))[1]).toBe('trays');
    expect(await refused(farm, { trays: trays(null, null) })).toEqual([422, 'trays', 'NO_TRAY_SEEN']);
    expect((await refused(farm, { trays: trays(101) }))[1]).toBe('trays.0.left_percent');
    expect((await refused(farm, { trays: trays(-1) }))[1]).toBe('trays.0.left_percent');
    expect((await refused(farm, { trays: [{ tray: 0, left_percent: 1 }] }))[1]).toBe('trays.0.tray');
    const twice = [...trays(10), ...trays(20)];
    expect((await refused(farm, { trays: twice })).slice(0, 2)).toEqual([422, 'trays']);
    const foreign = { trays: trays(0), feeding_id: other.meal['id'] };
    expect((await refused(farm, foreign)).slice(0, 2)).toEqual([422, 'feeding_id']);
    const early = { trays: trays(0), feeding_id: meal['id'], happened_at: today('08:59') };
    expect((await refused(farm, early)).slice(0, 2)).toEqual([422, 'happened_at']);
    const ahead = { trays: trays(0), happened_at: '2026-03-05T12:00:00Z' };
    expect((await refused(farm, ahead)).slice(0, 2)).toEqual([422, 'happened_at']);
    expect((await advice(farm)).ponds[0]?.trays).toBe(null);
  });

  it('an operator writes them down and corrects his own; a viewer reads them', async () => {
    const { farm } = await aFedPond();
    const at = { token: farm.token, farmId: farm.farmId };
    const [operator, viewer] = [await app.signUp({ role: 'VIEWER' }), await app.signUp({ role: 'VIEWER' })];
    await joinFarm(app, at, operator, 'OPERATOR');
    await joinFarm(app, at, viewer, 'VIEWER');
    const sent = { kind: 'FEED_TRAYS', trays: trays(0, 50), happened_at: today('11:00') };
    const post = (token: string) => send(token, 'POST', `/ponds/${pondOf(farm)}/records`, sent);
    expect((await post(viewer.token)).status).toBe(403);
    const made = await post(operator.token);
    expect(made.status).toBe(201);
    const path = `/records/${String(body(made)['id'])}`;
    const put = await send(operator.token, 'PUT', path, { trays: trays(0, 10) });
    expect([put.status, body(put)['trays']]).toEqual([200, trays(0, 10)]);
    expect((await send(operator.token, 'PUT', path, { trays: trays(null) })).status).toBe(422);
    expect((await send(operator.token, 'PUT', path, { signs: ['LETHARGY'] })).status).toBe(422);
    expect((await send(viewer.token, 'PUT', path, { trays: trays(0) })).status).toBe(403);
    expect(body(await send(viewer.token, 'GET', path))['trays']).toEqual(trays(0, 10));
    const audited = (await call(farm, 'GET', `/logs/ponds/${pondOf(farm)}`)) as unknown as Told[];
    expect(JSON.stringify(audited)).toContain('Feeding trays of V-1, 2026-03-02');
  });

  it('the file of the farm has a line for each look, tray by tray', async () => {
    const { farm } = await aFedPond();
    const seen = [...trays(0, 12.5, null), { tray: 4, left_percent: 25, note: 'Muda' }];
    await look(farm, { trays: seen, happened_at: today('11:00') });
    const file = await send(
      farm.token,
      'GET',
      `/exports/records/csv?farm_id=${farm.farmId}&kind=FEED_TRAYS&start_date=2026-03-02&end_date=2026-03-02`,
    );
    const [header, line] = String(file.body).trim().split('\r\n');
    expect(header).toMatch(/,report_number,trays,step,ended_on,meter,meter_factor,meter_change$/);
    expect(line).toMatch(/^2026-03-02,08:00:00,FEED_TRAYS,V-1,.*,1=0 2=12\.5 3=\? 4=25 \(Muda\),,,,,$/);
  });
});
