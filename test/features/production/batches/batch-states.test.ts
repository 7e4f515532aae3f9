import { randomUUID } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { insert } from '#core/changes.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { ended, survivalSet, weighed } from '#test/recorded-rows.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

const untouched = {
  notes: null,
  created_by: null,
  clock_quality: 'trusted',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
} as const;

onBothEngines('how batches stand', (_open, engine) => {
  let app: App;
  let states: BatchStates;
  let statements = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const db = app.database.read.withPlugin(counting);
    states = batchStates({
      now: app.clock.now,
      clockQuality: () => 'trusted',
      queries: batchFactQueries(db),
    });
  });
  afterAll(() => app.close());

  const pondOf = (farm: StockedFarm, n: number) => farm.ponds[n]?.id ?? '';
  const stateOf = async (id: string) => {
    const state = (await states.byIds([id])).get(id);
    if (state === undefined) throw new Error('no such batch');
    return state;
  };
  const move = (
    farm: StockedFarm,
    quantity: number,
    fields: { from?: number; to?: number; at?: string } = {},
  ) =>
    app.kernel.commit({
      actor: null,
      changes: [
        insert(transfer, {
          ...untouched,
          id: app.kernel.newId(),
          numeric_id: 1,
          batch_id: farm.batch.id,
          source_pond_id: pondOf(farm, fields.from ?? 0),
          destination_pond_id: pondOf(farm, fields.to ?? 1),
          quantity,
          average_weight: null,
          transfer_date: fields.at ?? '2026-03-01T12:00:00.000Z',
          reason: null,
          contested: false,
        }),
      ],
    });
  const fed = (batchId: string, feed_date: string, quantity_kg = 10) =>
    app.kernel.commit({
      actor: null,
      changes: [
        insert(feedingRecord, {
          ...untouched,
          id: app.kernel.newId(),
          batch_id: batchId,
          pond_id: null,
          feed_type: 'x',
          quantity_kg,
          cost_per_kg: 2,
          feed_date,
          tray_leftover_percent: null,
        }),
      ],
    });

  const STOCKED = { initial_count: 10_000, estimated_survival_rate: 80 };

  describe('over several ponds', () => {
    it('animals moved at 80 % die alike in both ponds when survival falls to 40 %', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await move(farm, 2_000);
      expect([...(await stateOf(farm.batch.id)).populationByPond]).toEqual([
        [pondOf(farm, 0), 6_000],
        [pondOf(farm, 1), 2_000],
      ]);
      await survivalSet(app, farm.batch.id, 40);
      const state = await stateOf(farm.batch.id);
      expect([...state.populationByPond.values()]).toEqual([3_000, 1_000]);
      expect(state.population).toBe(4_000);
    });

    it('a batch is found in every pond that holds some of it, the one with more animals first', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await move(farm, 2_000);
      const other = await aBatchIn(
        app,
        { farmId: farm.farmId, ownerId: farm.userId, pondId: pondOf(farm, 1) },
        { ...STOCKED, batch_code: 'other' },
      );
      const inPonds = await states.activeInPonds(farm.ponds.map(({ id }) => id));
      const idsIn = (n: number) => inPonds.get(pondOf(farm, n))?.map(({ batch }) => batch.id);
      expect(idsIn(0)).toEqual([farm.batch.id]);
      expect(idsIn(1)).toEqual([other.id, farm.batch.id]);
    });

    it('a pond all animals were moved out of is empty, but the batch would go with it', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await move(farm, 8_000);
      const inPonds = await states.activeInPonds(farm.ponds.map(({ id }) => id));
      expect([...inPonds.keys()]).toEqual([pondOf(farm, 1)]);
      for (const n of [0, 1])
        expect((await states.activeTiedTo(pondOf(farm, n))).map(({ batch }) => batch.id)).toEqual([
          farm.batch.id,
        ]);
    });

    it('a batch that lost every animal lies in its first pond until somebody ends it', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await survivalSet(app, farm.batch.id, 0);
      expect((await states.activeInPonds([pondOf(farm, 0)])).get(pondOf(farm, 0))).toMatchObject([
        { population: 0, biomassKg: 0 },
      ]);
      await ended(app, farm.batch.id);
      expect((await states.activeInPonds([pondOf(farm, 0)])).size).toBe(0);
    });
  });

  it('a pond is empty since its last animals were moved on, or harvested where some had stayed', async () => {
    const farm = await aStockedFarm(app, { ...STOCKED, ponds: 4 });
    const nursery = pondOf(farm, 0);
    const asked = async () => {
      statements = 0;
      const left = await states.lastLeft(farm.ponds.map(({ id }) => id));
      return { left, statements };
    };
    expect((await asked()).left).toEqual(new Map());
    // all that was in the nursery goes on in two steps; of the pond between them a tenth stays until the harvest
    await move(farm, 3_000, { at: '2026-02-10T12:00:00.000Z' });
    await move(farm, 5_000, { at: '2026-02-12T12:00:00.000Z' });
    await move(farm, 7_000, { from: 1, to: 2, at: '2026-02-20T12:00:00.000Z' });
    expect((await asked()).left.get(nursery)).toBe('2026-02-12T12:00:00.000Z');
    const actual_harvest_date = '2026-03-01T12:00:00.000Z';
    await ended(app, farm.batch.id, { actual_harvest_date });
    const { left, statements: ofOne } = await asked();
    expect(farm.ponds.map(({ id }) => left.get(id) ?? null)).toEqual([
      '2026-02-12T12:00:00.000Z',
      actual_harvest_date,
      actual_harvest_date,
      null,
    ]);
    // an older batch changes nothing, a later one does; more of them cost no more statements
    const at = { farmId: farm.farmId, ownerId: farm.userId, pondId: nursery };
    for (const harvested of ['2026-01-05T12:00:00.000Z', '2026-02-28T12:00:00.000Z'])
      await aBatchIn(app, at, {
        ...STOCKED,
        batch_code: harvested,
        status: 'FINISHED',
        actual_harvest_date: harvested,
      });
    const later = await asked();
    expect(later.left.get(nursery)).toBe('2026-02-28T12:00:00.000Z');
    expect(later.statements).toBe(ofOne);
  });

  it('its course: stock before and after a weighing and a change of survival', async () => {
    const farm = await aStockedFarm(app, { ...STOCKED, initial_avg_weight: 0.5, start_date: '2026-02-20' });
    await weighed(app, farm.batch.id, 1, { measurement_date: '2026-02-27T12:00:00.000Z' });
    await weighed(app, farm.batch.id, 2, { measurement_date: '2026-03-01T12:00:00.000Z' });
    await survivalSet(app, farm.batch.id, 50);
    const history = await states.historyOf(farm.batch.id);
    expect(history?.weighings.map(({ measurementDay }) => measurementDay)).toEqual([7, 9]);
    const at = (instant: string) => {
      const { population, weightG, biomassKg, survivalRate } = history?.stockAt(instant) ?? {};
      return [survivalRate, population, weightG, biomassKg];
    };
    expect(at('2026-02-21T00:00:00.000Z')).toEqual([80, 8_000, 0.5, 4]);
    expect(at('2026-02-27T12:00:00.000Z')).toEqual([80, 8_000, 1, 8]);
    expect(at('2026-03-02T12:00:00.000Z')).toEqual([50, 5_000, 2, 10]);
  });

  it('feedings are summed, and their days counted on the farm’s clock', async () => {
    const farm = await aStockedFarm(app, STOCKED);
    // 22:00 on the first and 08:00 on the second of March there
    for (const at of ['2026-03-02T01:00:00.000Z', '2026-03-02T11:00:00.000Z', '2026-03-01T11:00:00.000Z'])
      await fed(farm.batch.id, at);
    const history = await states.historyOf(farm.batch.id);
    expect(history?.feedDays).toBe(2);
    expect(history?.state).toMatchObject({ totalFeedKg: 30, totalFeedCost: 60, feedingCount: 3 });
  });

  it('deleted and unknown batches are left out', async () => {
    const farm = await aStockedFarm(app, STOCKED);
    await app.call('DELETE', `/batches/${farm.batch.id}?force=true`, { token: farm.token });
    expect((await states.byIds([farm.batch.id, randomUUID()])).size).toBe(0);
    expect(await states.historyOf(farm.batch.id)).toBeNull();
    expect(await states.ofFarms([farm.farmId], null)).toEqual([]);
  });

  it('a farm’s batches come oldest first, and cost no more statements when there are sixty', async () => {
    const farm = await aStockedFarm(app, STOCKED);
    const asked = async () => {
      statements = 0;
      const found = await states.ofFarms([farm.farmId], 'ACTIVE');
      return { statements, found: found.length };
    };
    const one = await asked();
    for (let n = 0; n < 59; n += 1) {
      const at = { farmId: farm.farmId, ownerId: farm.userId, pondId: pondOf(farm, 0) };
      await aBatchIn(app, at, {
        ...STOCKED,
        batch_code: `more-${n}`,
        created_at: `2026-03-02T00:00:${String(n).padStart(2, '0')}.000Z`,
      });
    }
    const sixty = await asked();
    expect(sixty).toEqual({ statements: one.statements, found: 60 });
    const order = (await states.ofFarms([farm.farmId], null)).map(({ batch }) => batch.created_at);
    expect(order).toEqual([...order].sort());
  });
});
