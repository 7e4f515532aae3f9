import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { numericId } from '#contract/resources/local-tables.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert } from '#core/changes.ts';
import { numberOf } from '#core/numeric-id.ts';
import type { App } from '#test/app.ts';
import { batchRow } from '#test/farm-rows.ts';
import { aStaffedFarm, created, type StaffedFarm } from '#test/staffed-farm.ts';

// A farm of four ponds on 2 March 2026, nine in the morning: one pond with one batch, one that shares its batch with
// another, which also holds a batch of its own, and one empty.

export type ProducingFarm = StaffedFarm & {
  ponds: Record<'single' | 'shared' | 'crowded' | 'empty', string>;
  batches: Record<'weighed' | 'spread' | 'young' | 'finished', string>;
  numberOfWeighed: number;
};

/** The only pond whose size is not known is the crowded one. */
export async function aProducingFarm(app: App): Promise<ProducingFarm> {
  const place = await aStaffedFarm(app);
  const pond = (cod: string, fields: object) =>
    created(
      app.call('POST', '/ponds/', {
        token: place.owner.token,
        body: { farm_id: place.farmId, cod, ...fields },
      }),
    );
  const ponds = {
    single: await pond('V-01', { size_m2: 1000, pond_type: 'FATTENING' }),
    shared: await pond('B-01', { size_m2: 500, pond_type: 'NURSERY' }),
    crowded: await pond('V-02', {}),
    empty: await pond('V-03', { size_m2: 2000 }),
  };
  const batches = {
    weighed: app.kernel.newId(),
    spread: app.kernel.newId(),
    young: app.kernel.newId(),
    finished: app.kernel.newId(),
  };
  const farm: ProducingFarm = { ...place, ponds, batches, numberOfWeighed: numberOf(batches.weighed, 0) };
  await app.kernel.commit({ actor: null, changes: everythingOn(app, farm) });
  return farm;
}

const AT = '2026-02-28T12:00:00.000Z';
const RECORDED = {
  created_by: null,
  clock_quality: 'trusted',
  notes: null,
  created_at: AT,
  updated_at: null,
} as const;

function everythingOn(app: App, farm: ProducingFarm): Change[] {
  const { batches, ponds } = farm;
  return [
    aBatch(farm, 'weighed', 'single', { start_date: '2026-01-21', initial_avg_weight: 0.01 }),
    aBatch(farm, 'spread', 'shared', { start_date: '2026-01-31', estimated_survival_rate: 80 }),
    aBatch(farm, 'young', 'crowded', { start_date: '2026-02-25', initial_count: 10_000 }),
    aBatch(farm, 'finished', 'empty', {
      start_date: '2025-11-01',
      status: 'FINISHED',
      actual_harvest_date: '2026-02-10T06:00:00.000Z',
      final_weight_kg: 800,
    }),
    insert(numericId, { id: String(farm.numberOfWeighed), entity: 'batch', uuid: batches.weighed }),
    aWeighing(app, batches.weighed, '2026-02-20T11:00:00.000Z', 1.1),
    aWeighing(app, batches.weighed, '2026-03-02T11:00:00.000Z', 2),
    aWeighing(app, batches.spread, '2026-03-01T11:00:00.000Z', 0.5),
    aWeighing(app, batches.finished, '2026-02-01T11:00:00.000Z', 9),
    aFeeding(app, batches.weighed, {
      quantity_kg: 100,
      cost_per_kg: 8,
      feed_date: '2026-02-10T09:00:00.000Z',
    }),
    // a quarter to midnight of yesterday, and today at midnight and at eight
    aFeeding(app, batches.weighed, { quantity_kg: 9, cost_per_kg: 6, feed_date: '2026-03-02T02:45:00.000Z' }),
    aFeeding(app, batches.weighed, { quantity_kg: 5, cost_per_kg: 6, feed_date: '2026-03-02T03:00:00.000Z' }),
    aFeeding(app, batches.weighed, { quantity_kg: 6, cost_per_kg: 6, feed_date: '2026-03-02T11:00:00.000Z' }),
    aFeeding(app, batches.spread, { quantity_kg: 3, pond_id: ponds.crowded }),
    aFeeding(app, batches.spread, { quantity_kg: 4, pond_id: null }),
    insert(survivalChange, {
      id: app.kernel.newId(),
      batch_id: batches.weighed,
      kind: 'FACTOR',
      value: 0.1,
      pond_id: null,
      animals: null,
      weight_kg: null,
      pond_share: null,
      corrects: null,
      cause: null,
      changed_at: '2026-02-25T12:00:00.000Z',
      description: 'Mortalidade',
      created_by: null,
      clock_quality: 'trusted',
      created_at: AT,
    }),
    insert(transfer, {
      ...RECORDED,
      id: app.kernel.newId(),
      numeric_id: 1,
      batch_id: batches.spread,
      source_pond_id: ponds.shared,
      destination_pond_id: ponds.crowded,
      quantity: 60_000,
      average_weight: 0.5,
      transfer_date: '2026-03-01T12:00:00.000Z',
      reason: null,
      contested: false,
    }),
    aMeasurement(app, ponds.single, '2026-03-01T18:00:00.000Z', { temperature: 30, dissolved_oxygen: 7.5 }),
    aMeasurement(app, ponds.single, '2026-03-02T08:00:00.000Z', {
      temperature: 27.4,
      dissolved_oxygen: 3.6,
      ph: 7.9,
      ammonia: 0.02,
    }),
  ];
}

function aBatch(
  farm: ProducingFarm,
  name: keyof ProducingFarm['batches'],
  pond: keyof ProducingFarm['ponds'],
  fields: Partial<RowOf<typeof batch>>,
): Change {
  const ids = { batch: farm.batches[name], farm: farm.farmId, pond: farm.ponds[pond] };
  const created_at = `2026-02-0${Object.keys(farm.batches).indexOf(name) + 1}T12:00:00.000Z`;
  return insert(batch, {
    ...batchRow(ids, farm.owner.user.id),
    batch_code: `L-${name}`,
    initial_avg_weight: 0.003,
    created_at,
    ...fields,
  });
}

function aWeighing(app: App, batch_id: string, measurement_date: string, averageG: number): Change {
  return insert(biometry, {
    ...RECORDED,
    id: app.kernel.newId(),
    batch_id,
    measurement_date,
    sample_size: 100,
    total_weight_g: averageG * 100,
    weight_sd_g: averageG * 0.2,
    individual_weights_g: null,
    pond_id: null,
  });
}

function aFeeding(app: App, batch_id: string, fields: Partial<RowOf<typeof feedingRecord>>): Change {
  return insert(feedingRecord, {
    ...RECORDED,
    id: app.kernel.newId(),
    batch_id,
    pond_id: null,
    feed_type: '40 %',
    quantity_kg: 1,
    cost_per_kg: 7,
    feed_date: '2026-03-02T10:00:00.000Z',
    tray_leftover_percent: null,
    ...fields,
  });
}

function aMeasurement(
  app: App,
  pond_id: string,
  measurement_date: string,
  values: Partial<RowOf<typeof measurement>>,
): Change {
  return insert(measurement, {
    ...RECORDED,
    id: app.kernel.newId(),
    pond_id,
    measurement_date,
    temperature: null,
    dissolved_oxygen: null,
    ph: null,
    salinity: null,
    alkalinity: null,
    ammonia: null,
    nitrite: null,
    nitrate: null,
    transparency: null,
    source: 'manual',
    ...values,
  });
}
