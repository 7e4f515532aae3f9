import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import { insert } from '#core/changes.ts';
import { emptyPonds, pondCardOf, pondCardsOf } from '#features/farm/ponds/pond-cards.ts';
import type { Pond, PondContents } from '#features/farm/ponds/ports.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, aControlPoint, aStaffedFarm, created, type StaffedFarm } from '#test/staffed-farm.ts';

const aBatch = (id: string, current_biomass_kg: number | null) => ({
  id,
  batch_number: `L-${id}`,
  days_active: 30,
  current_biomass_kg,
  average_weight_g: 4.2,
  survival_rate: 85,
  weighed_at: null,
  weighed_pond_id: null,
  fca: null,
});
const nothing = { active_batches: [], water_quality: null, empty_since: null };
const aPond = (id: string): Pond => ({
  id,
  numeric_id: 1,
  farm_id: 'farm',
  cod: `V-${id}`,
  pond_type: null,
  size_m2: 900,
  depth_m: 1.2,
  lat: null,
  lng: null,
  aerator_count: 2,
  control_point_id: 'point',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
  rev: 1,
});
const cardDeps = (contents: PondContents, isOnline: boolean | null = null) => ({
  contents,
  isOnline: () => isOnline,
  queries: {
    activeAlerts: async () => [],
    controlPointCod: async () => 'PC-1',
    aeratorsOfPond: async () => [],
  },
  scienceOf: async () => SCIENCE_DEFAULTS,
});

describe('summary cards', () => {
  it('show the first batch as the active one, and sum the biomass of all', async () => {
    const contents: PondContents = {
      ...emptyPonds,
      overview: async () =>
        new Map([
          ['1', { ...nothing, active_batches: [aBatch('a', 100.25), aBatch('b', 0.5)] }],
          ['2', { ...nothing, active_batches: [aBatch('c', null)] }],
        ]),
    };
    const cards = await pondCardsOf(cardDeps(contents), [aPond('1'), aPond('2'), aPond('3')]);
    expect(cards.summary).toEqual({
      total_ponds: 3,
      active_ponds: 2,
      empty_ponds: 1,
      total_biomass_kg: 100.75,
    });
    expect(cards.ponds.map(({ active_batch, status }) => [active_batch?.id ?? null, status])).toEqual([
      ['a', 'ACTIVE'],
      ['c', 'ACTIVE'],
      [null, 'EMPTY'],
    ]);
  });

  it.each([
    [true, 'ONLINE'],
    [false, 'OFFLINE'],
    [null, 'UNKNOWN'],
  ])('a control point that is online: %s shows %s', async (isOnline, status) => {
    const card = await pondCardOf(cardDeps(emptyPonds, isOnline), aPond('1'), 'en');
    expect(card.control_point).toEqual({ id: 'point', name: 'PC-1', status });
  });
});

onBothEngines('summary cards of the interface', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  let pondId: string;
  let controlPointId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
    const point = await aControlPoint(app, {
      farm_id: place.farmId,
      owner_id: place.owner.user.id,
      cod: 'PC-01',
      device_id: 'dev-01',
    });
    controlPointId = point.id;
    const body = { farm_id: place.farmId, cod: 'V-01', size_m2: 900, control_point_id: point.id };
    pondId = await created(app.call('POST', '/ponds/', { token: place.owner.token, body }));
  });
  afterAll(() => app.close());

  const get = (path: string, token = place.owner.token) => app.call('GET', path, { token });
  const anAlert = (fields: Partial<RowOf<typeof alert>>): RowOf<typeof alert> => ({
    id: app.kernel.newId(),
    farm_id: place.farmId,
    control_point_id: null,
    pond_id: null,
    type: 'LOW_OXYGEN',
    severity: 'HIGH',
    message: 'DO 2.1 mg/L',
    parameter: null,
    value: null,
    threshold: null,
    status: 'ACTIVE',
    triggered_at: '2026-03-02T11:00:00.000Z',
    resolved_at: null,
    resolved_by: null,
    episode_id: app.kernel.newId(),
    folded_into: null,
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledge_note: null,
    silenced_until: null,
    silenced_by: null,
    silence_reason: null,
    shelved_until: null,
    shelved_by: null,
    shelve_reason: null,
    told_at: null,
    told_severity: null,
    source: 'automatic',
    clock_quality: 'trusted',
    created_at: '2026-03-02T11:00:00.000Z',
    updated_at: null,
    ...fields,
  });

  it('an empty pond has its place among the cards', async () => {
    expect((await get(`/ponds/summary-cards?farm_id=${place.farmId}`)).body).toEqual({
      ponds: [
        {
          pond_id: pondId,
          cod: 'V-01',
          pond_type: null,
          active_batch: null,
          active_batches: [],
          water_quality: null,
          status: 'EMPTY',
          empty_since: null,
        },
      ],
      summary: { total_ponds: 1, active_ponds: 0, empty_ponds: 1, total_biomass_kg: 0 },
    });
  });

  it('without a farm all ponds of the caller are shown; another farm is 404', async () => {
    expect((await get('/ponds/summary-cards', place.viewer.token)).body).toMatchObject({
      summary: { total_ponds: 1 },
    });
    expect((await get('/ponds/summary-cards', place.stranger.token)).body).toEqual({
      ponds: [],
      summary: { total_ponds: 0, active_ponds: 0, empty_ponds: 0, total_biomass_kg: 0 },
    });
    expect((await get(`/ponds/summary-cards?farm_id=${place.farmId}`, place.stranger.token)).status).toBe(
      404,
    );
    expect((await get('/ponds/summary-cards?farm_id=1')).status).toBe(400);
  });

  it('a card shows the active alerts of the pond and of its control point, newest first', async () => {
    const other = await created(
      app.call('POST', '/ponds/', { token: place.owner.token, body: { farm_id: place.farmId, cod: 'V-02' } }),
    );
    const oxygen = anAlert({ pond_id: pondId, parameter: 'dissolved_oxygen', value: 2.1, threshold: 4 });
    const offline = anAlert({
      control_point_id: controlPointId,
      type: 'DEVICE_OFFLINE',
      triggered_at: '2026-03-02T11:30:00.000Z',
    });
    await app.kernel.commit({
      actor: null,
      changes: [
        oxygen,
        offline,
        anAlert({ pond_id: other }),
        anAlert({ pond_id: other, control_point_id: controlPointId }),
        anAlert({ pond_id: pondId, status: 'RESOLVED' }),
        anAlert({ control_point_id: controlPointId, folded_into: oxygen.id }),
      ].map((row) => insert(alert, row)),
    });
    const card = await get(`/ponds/${pondId}/summary-card`, place.viewer.token);
    expect(card).toMatchObject({ status: 200 });
    expect(card.body).toEqual({
      aeration: null,
      pond_id: pondId,
      cod: 'V-01',
      pond_type: null,
      size_m2: 900,
      depth_m: null,
      aerator_count: 0,
      active_batch: null,
      active_batches: [],
      latest_biometry: null,
      latest_water_quality: null,
      feeding_today: { total_kg: 0, feeds_count: 0, last_feed: null },
      active_alerts: [offline, oxygen].map(
        ({ id, type, severity, parameter, value, threshold, message, triggered_at }) => ({
          id,
          type,
          severity,
          parameter,
          value,
          threshold,
          message,
          triggered_at,
        }),
      ),
      control_point: { id: controlPointId, name: 'PC-01', status: 'UNKNOWN' },
    });
    expect((await get(`/ponds/${other}/summary-card`)).body).toMatchObject({ control_point: null });
  });

  it('a card of somebody else is 404', async () => {
    expect((await get(`/ponds/${pondId}/summary-card`, place.stranger.token)).status).toBe(404);
    expect((await get('/ponds/nothing/summary-card')).status).toBe(404);
  });

  describe('the overview of the farm', () => {
    it('counts ponds and the troubles that last, each episode once, folded ones not', async () => {
      const episode_id = app.kernel.newId();
      await app.kernel.commit({
        actor: null,
        changes: [
          anAlert({ pond_id: pondId, type: 'LOW_PH', episode_id }),
          anAlert({ pond_id: pondId, type: 'LOW_PH', episode_id }),
        ].map((row) => insert(alert, row)),
      });
      expect((await get(`/dashboard/overview?farm_id=${place.farmId}`, place.viewer.token)).body).toEqual({
        farm_id: place.farmId,
        total_ponds: 2,
        active_batches: 0,
        total_active_alerts: 5,
        alerts_by_type: { DEVICE_OFFLINE: 1, LOW_OXYGEN: 3, LOW_PH: 1 },
      });
    });

    it('forgets alerts of a deleted pond', async () => {
      await app.call('DELETE', `/ponds/${pondId}`, { token: place.owner.token });
      expect((await get(`/dashboard/overview?farm_id=${place.farmId}`)).body).toMatchObject({
        total_ponds: 1,
        alerts_by_type: { DEVICE_OFFLINE: 1, LOW_OXYGEN: 2 },
      });
    });

    it('is zero on an empty farm, 404 for strangers, 422 without a farm', async () => {
      const mine = await get(`/dashboard/overview?farm_id=${place.strangersFarmId}`, place.stranger.token);
      expect(mine.body).toEqual({
        farm_id: place.strangersFarmId,
        total_ponds: 0,
        active_batches: 0,
        total_active_alerts: 0,
        alerts_by_type: {},
      });
      expect((await get(`/dashboard/overview?farm_id=${place.farmId}`, place.stranger.token)).status).toBe(
        404,
      );
      expect(await get('/dashboard/overview')).toMatchObject({
        status: 422,
        body: { errors: [{ path: 'farm_id' }] },
      });
      expect((await get('/dashboard/overview?farm_id=1')).status).toBe(422);
    });
  });
});
