import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPoint as controlPointTable } from '#contract/resources/control-points.ts';
import { update } from '#core/changes.ts';
import { type App, aControlPoint, aFarmWith, type MadeControlPoint, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStaffedFarm, created, outcomeOf, refused } from '#test/staffed-farm.ts';

const HOUR_MS = 3_600_000;

onBothEngines('electricity of a farm', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let controlPoint: MadeControlPoint;
  let pondId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' }));
    controlPoint = await aControlPoint(app, { token, farmId });
    pondId = await aPond('V-1', controlPoint.id);
    for (const [name, power_kw] of [
      ['A', 1.5],
      ['B', 2.5],
    ] as const)
      await anAerator(pondId, name, power_kw);
  });
  afterAll(() => app.close());

  const aPond = (cod: string, control_point_id: string | null) =>
    created(app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod, control_point_id } }));
  const anAerator = (pond_id: string, name: string, power_kw: number) =>
    created(
      app.call('POST', '/aerators/', { token, body: { pond_id, name, device_id: `a-${name}`, power_kw } }),
    );
  const reports = (current_status: 'ON' | 'OFF') =>
    app.call('POST', '/devices/heartbeat', { body: { device_id: controlPoint.device_id, current_status } });
  const energy = async (query = '') =>
    (await app.call('GET', `/farms/${farmId}/energy${query}`, { token })).body;

  it('before any report nothing is measured, and the power that is not is told', async () => {
    expect(await energy('?start_date=2026-03-02')).toEqual({
      farm_id: farmId,
      start_date: '2026-03-02',
      end_date: '2026-03-02',
      tariff_per_kwh: 0.65,
      source: 'NONE',
      unmeasured_kw: 4,
      total_kwh: 0,
      total_cost: 0,
      days: [{ date: '2026-03-02', kwh: 0, cost: 0, discounted_kwh: 0 }],
      ponds: [],
    });
  });

  describe('a night of aeration', () => {
    beforeAll(async () => {
      // off at noon UTC (9:00 at the farm), on from 21:00 to 05:00 local, on again for two hours
      await reports('OFF');
      app.clock.advance(12 * HOUR_MS);
      await reports('ON');
      app.clock.advance(8 * HOUR_MS);
      await reports('OFF');
      app.clock.advance(4 * HOUR_MS);
      await reports('ON');
      app.clock.advance(2 * HOUR_MS);
    });

    it('4 kW run 3 h before and 5 h after midnight, and 2 h until now', async () => {
      expect(await energy('?start_date=2026-03-02&end_date=2026-03-03')).toEqual({
        farm_id: farmId,
        start_date: '2026-03-02',
        end_date: '2026-03-03',
        tariff_per_kwh: 0.65,
        source: 'REPORTS',
        unmeasured_kw: 0,
        total_kwh: 40,
        total_cost: 26,
        days: [
          { date: '2026-03-02', kwh: 12, cost: 7.8, discounted_kwh: 0 },
          { date: '2026-03-03', kwh: 28, cost: 18.2, discounted_kwh: 0 },
        ],
        ponds: [{ pond_id: pondId, pond_cod: 'V-1', power_kw: 4, hours_on: 10, kwh: 40, cost: 26 }],
      });
    });

    it('a day alone takes what ran before it from the first report inside it', async () => {
      expect(await energy('?start_date=2026-03-03&end_date=2026-03-03')).toMatchObject({ total_kwh: 28 });
    });

    it('a week back from today unless asked otherwise', async () => {
      expect(await energy()).toMatchObject({
        start_date: '2026-02-25',
        end_date: '2026-03-03',
        days: { length: 7 },
        total_kwh: 40,
      });
    });

    it('an aerator without a control point is told apart, not guessed', async () => {
      await anAerator(await aPond('V-2', null), 'C', 3);
      expect(await energy()).toMatchObject({ source: 'REPORTS', unmeasured_kw: 3, total_kwh: 40 });
    });

    it('a siren that two instances made of a pond’s control point at once airs nothing: its hours are not counted', async () => {
      const mark = (is_siren: boolean) =>
        app.kernel.commit({
          changes: [update(controlPointTable, controlPoint.id, { is_siren })],
          actor: null,
        });
      await mark(true);
      expect(await energy()).toMatchObject({ source: 'NONE', unmeasured_kw: 7, total_kwh: 0 });
      await mark(false);
      expect(await energy()).toMatchObject({ total_kwh: 40 });
    });
  });

  it('a day outside 2000 to 2100 is refused', async () => {
    for (const day of ['1999-12-31', '0001-01-01', '2101-01-01', 'x']) {
      const reply = await app.call('GET', `/farms/${farmId}/energy?end_date=${day}`, { token });
      expect([day, reply.status]).toEqual([day, 422]);
    }
  });

  it('a range that ends before it begins, or is longer than a quarter, is refused', async () => {
    const ask = (query: string) => () => app.call('GET', `/farms/${farmId}/energy${query}`, { token });
    expect(await outcomeOf(app, ask('?start_date=2026-03-02&end_date=2026-03-01'))).toEqual(
      refused(422, 'end_date'),
    );
    expect(await outcomeOf(app, ask('?start_date=2026-01-01&end_date=2026-04-03'))).toEqual(
      refused(422, 'end_date'),
    );
    expect(await outcomeOf(app, ask('?start_date=yesterday'))).toEqual(refused(422, 'start_date'));
  });

  it('a viewer reads it, a technician may not, a stranger finds no farm', async () => {
    const place = await aStaffedFarm(app);
    const ask = (of: { token: string }) => () =>
      app.call('GET', `/farms/${place.farmId}/energy`, { token: of.token });
    expect((await ask(place.viewer)()).status).toBe(200);
    expect(await outcomeOf(app, ask(place.technician))).toEqual(refused(403));
    expect(await outcomeOf(app, ask(place.stranger))).toEqual(refused(404));
  });
});
