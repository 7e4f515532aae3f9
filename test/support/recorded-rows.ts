import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert, update } from '#core/changes.ts';
import type { App } from './app.ts';

const untouched = {
  notes: null,
  created_by: null,
  clock_quality: 'trusted',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
} as const;

/** A weighing of 100 shrimp straight in the database. */
export async function weighed(
  app: App,
  batchId: string,
  averageWeightG: number,
  fields: Partial<RowOf<typeof biometry>> = {},
): Promise<void> {
  const row: RowOf<typeof biometry> = {
    ...untouched,
    id: app.kernel.newId(),
    batch_id: batchId,
    measurement_date: new Date(app.clock.now()).toISOString(),
    sample_size: 100,
    total_weight_g: averageWeightG * 100,
    weight_sd_g: null,
    individual_weights_g: null,
    pond_id: null,
    ...fields,
  };
  await app.kernel.commit({ actor: null, changes: [insert(biometry, row)] });
}

/** Measurements straight in the database: no alert, only the values. */
export async function measured(
  app: App,
  pondId: string,
  ...each: Partial<RowOf<typeof measurement>>[]
): Promise<void> {
  const changes = each.map((fields) => insert(measurement, measurementRow(app, pondId, fields)));
  await app.kernel.commit({ actor: null, changes });
}

function measurementRow(
  app: App,
  pondId: string,
  fields: Partial<RowOf<typeof measurement>>,
): RowOf<typeof measurement> {
  return {
    ...untouched,
    id: app.kernel.newId(),
    pond_id: pondId,
    measurement_date: new Date(app.clock.now()).toISOString(),
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
    ...fields,
  };
}

/** Sets the survival of a batch, percent, from now on. */
export async function survivalSet(app: App, batchId: string, value: number): Promise<void> {
  const at = new Date(app.clock.now()).toISOString();
  const row: RowOf<typeof survivalChange> = {
    id: app.kernel.newId(),
    batch_id: batchId,
    kind: 'ABSOLUTE',
    value,
    pond_id: null,
    animals: null,
    weight_kg: null,
    pond_share: null,
    corrects: null,
    cause: null,
    changed_at: at,
    description: null,
    created_by: null,
    clock_quality: 'trusted',
    created_at: at,
  };
  await app.kernel.commit({ actor: null, changes: [insert(survivalChange, row)] });
}

/** Ends a batch the way its feature does: guarded, so that what is recorded under it at that moment looks again. */
export async function ended(
  app: App,
  batchId: string,
  fields: Partial<Omit<RowOf<typeof batch>, 'id'>> = {},
): Promise<void> {
  const guard = await app.kernel.guard('batch', batchId);
  const actual_harvest_date = new Date(app.clock.now()).toISOString();
  await app.kernel.commit({
    actor: null,
    changes: [update(batch, batchId, { status: 'FINISHED', actual_harvest_date, ...fields })],
    guards: [guard],
  });
}
