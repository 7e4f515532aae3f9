import { randomUUID } from 'node:crypto';
import type { RowOf } from '#contract/resource.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { alert } from '#contract/resources/alerts.ts';
import { batch, harvest, survivalChange } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farmRecord } from '#contract/resources/farm-records.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { feedStockEntry } from '#contract/resources/feed-stock.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { expense } from '#contract/resources/finance.ts';
import { harvestLot } from '#contract/resources/harvest-lots.ts';
import { importRecord } from '#contract/resources/import-records.ts';
import { invitation } from '#contract/resources/invitations.ts';
import { photo } from '#contract/resources/photos.ts';
import { pond } from '#contract/resources/ponds.ts';
import { probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { task, taskMark } from '#contract/resources/tasks.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import type { MemberRole } from '#contract/words.ts';
import { type Change, insert, put } from '#core/changes.ts';
import type { Owned } from '#core/route.ts';
import { type PerformDeps, perform } from '#core/use-case.ts';

const AT = '2026-03-01T12:00:00.000Z';
const number = () => Math.floor(Math.random() * 2 ** 47);

/**
 * A farm of one pond with everything on it that a request can name, straight into the database: tests of rights and
 * of the stream need it without depending on the routes they test.
 */
export async function aFarm(
  deps: PerformDeps,
  ownerId: string,
  members: Readonly<Partial<Record<MemberRole, string>>> = {},
): Promise<Record<Owned, string>> {
  const ids = {
    farm: randomUUID(),
    pond: randomUUID(),
    aerator: randomUUID(),
    control_point: randomUUID(),
    schedule: randomUUID(),
    alert: randomUUID(),
    batch: randomUUID(),
    harvest: randomUUID(),
    loss: randomUUID(),
    biometry: randomUUID(),
    feeding_record: randomUUID(),
    expense: randomUUID(),
    transfer: randomUUID(),
    measurement: randomUUID(),
    farm_record: randomUUID(),
    feed_stock: randomUUID(),
    harvest_lot: randomUUID(),
    task: randomUUID(),
    photo: randomUUID(),
    probe: randomUUID(),
    probe_bus: randomUUID(),
    probe_profile: randomUUID(),
    import: randomUUID(),
  } satisfies Record<Owned, string>;
  await stored(deps, [
    insert(farm, farmRow(ids.farm, ownerId)),
    ...Object.entries(members).map(([role, userId]) =>
      insert(farmMember, {
        id: randomUUID(),
        farm_id: ids.farm,
        user_id: userId,
        role: role as MemberRole,
        created_at: AT,
        updated_at: null,
      }),
    ),
    insert(controlPoint, controlPointRow(ids.control_point, ids.farm, ownerId)),
    insert(pond, pondRow(ids)),
    insert(aerator, aeratorRow(ids)),
    insert(schedule, scheduleRow(ids)),
    insert(alert, alertRow({ id: ids.alert, farm_id: ids.farm, control_point_id: ids.control_point })),
    ...production(ids, ownerId),
    ...probesOf(ids),
    put(importRecord, importRow(ids, ownerId)),
  ]);
  return ids;
}

/** A probe on a bus that nobody is at. */
function probesOf(ids: Record<Owned, string>): Change[] {
  const made = { farm_id: ids.farm, is_enabled: true, created_at: AT, updated_at: null };
  return [
    insert(probeBus, {
      ...made,
      id: ids.probe_bus,
      name: 'Barramento 1',
      kind: 'tcp',
      device: null,
      baud: 9600,
      parity: 'none',
      stop_bits: 1,
      host: '127.0.0.1',
      port: 9,
    }),
    insert(probeProfile, {
      id: ids.probe_profile,
      farm_id: ids.farm,
      name: 'Sonda da fazenda',
      notes: null,
      registers: [{ parameter: 'dissolved_oxygen', address: 0 }],
      created_at: AT,
      updated_at: null,
    }),
    insert(probe, {
      ...made,
      id: ids.probe,
      probe_bus_id: ids.probe_bus,
      pond_id: ids.pond,
      name: 'Sonda 1',
      unit_id: 1,
      probe_profile_id: ids.probe_profile,
      poll_s: 10,
      calibrated_at: null,
      calibration_days: null,
    }),
  ];
}

function importRow(ids: Record<Owned, string>, ownerId: string): RowOf<typeof importRecord> {
  return {
    id: ids.import,
    farm_id: ids.farm,
    kind: 'measurements',
    file_name: 'agua.csv',
    sheet: null,
    state: 'DONE',
    rows_total: 0,
    rows_done: 0,
    imported: 0,
    undone: 0,
    kept: 0,
    fault_code: null,
    fault: null,
    batch_codes: [],
    created_by: ownerId,
    created_at: AT,
    touched_at: AT,
    ended_at: AT,
    cancel_asked_at: null,
    undone_by: null,
    undone_at: null,
  };
}

function farmRow(id: string, owner_id: string): RowOf<typeof farm> {
  return {
    id,
    name: 'Fazenda Aurora',
    description: null,
    owner_id,
    address_id: null,
    lat: null,
    lng: null,
    timezone: 'America/Fortaleza',
    created_at: AT,
    updated_at: null,
  };
}

/** As a use case does it: what something else writes at this moment makes nothing fail. */
const stored = (deps: PerformDeps, changes: readonly Change[]) =>
  perform(deps, null, async () => ({ answer: undefined, changes }));

/** An open invitation to a farm; answers its id. Its code is nobody's. */
export async function anInvitation(
  deps: PerformDeps,
  { farm, owner }: { farm: string; owner: string },
): Promise<string> {
  const id = randomUUID();
  const row: RowOf<typeof invitation> = {
    id,
    farm_id: farm,
    kind: 'MEMBER',
    role: 'VIEWER',
    email_key: null,
    code_hash: `no hash ${id}`,
    created_by: owner,
    expires_at: '2027-03-01T12:00:00.000Z',
    state: 'OPEN',
    answered_by: null,
    answered_at: null,
    created_at: AT,
    updated_at: null,
  };
  await stored(deps, [insert(invitation, row)]);
  return id;
}

/** Name of the controller of a control point made here. */
export const deviceIdOf = (controlPointId: string): string => `dev-${controlPointId.slice(0, 12)}`;

export function controlPointRow(id: string, farm_id: string, owner_id: string): RowOf<typeof controlPoint> {
  return {
    id,
    farm_id,
    owner_id,
    cod: `CP-${id.slice(0, 8)}`,
    device_id: deviceIdOf(id),
    target_status: 'OFF',
    version: 1,
    epoch: 'epoch-1',
    target_origin: 'LOCAL',
    current_status: 'OFF',
    current_since: AT,
    last_command_at: null,
    base_target: 'OFF',
    base_at: AT,
    fail_safe: 'HOLD',
    min_on_s: 60,
    min_off_s: 60,
    start_group: null,
    start_order: null,
    do_on: null,
    do_off: null,
    do_emergency: null,
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    config_rev: 1,
    schedule_rev: 1,
    is_siren: false,
    is_simulated: false,
    allow_unkeyed: null,
    created_at: AT,
    updated_at: null,
  };
}

function pondRow(ids: Record<Owned, string>): RowOf<typeof pond> {
  return {
    id: ids.pond,
    numeric_id: number(),
    farm_id: ids.farm,
    cod: 'V-01',
    pond_type: 'FATTENING',
    size_m2: 3000,
    depth_m: 1.5,
    lat: null,
    lng: null,
    aerator_count: 1,
    control_point_id: ids.control_point,
    created_at: AT,
    updated_at: null,
  };
}

function aeratorRow(ids: Record<Owned, string>): RowOf<typeof aerator> {
  return {
    id: ids.aerator,
    pond_id: ids.pond,
    name: 'Aerador 1',
    device_id: `aer-${ids.aerator.slice(0, 12)}`,
    power_kw: 1.5,
    status: 'OFF',
    last_command_at: null,
    created_at: AT,
    updated_at: null,
  };
}

function scheduleRow(ids: Record<Owned, string>): RowOf<typeof schedule> {
  return {
    id: ids.schedule,
    control_point_id: ids.control_point,
    action: 'ON',
    start_time: '2026-03-01T21:00:00.000Z',
    end_time: null,
    repeat_pattern: 'DAILY',
    days_of_week: null,
    is_active: true,
    description: null,
    effective_from: AT,
    created_at: AT,
    updated_at: null,
  };
}

export function alertRow(
  of: Pick<RowOf<typeof alert>, 'id' | 'farm_id' | 'control_point_id'>,
): RowOf<typeof alert> {
  return {
    ...of,
    pond_id: null,
    type: 'DEVICE_OFFLINE',
    severity: 'HIGH',
    message: 'CP-01 is silent for 10 minutes',
    parameter: null,
    value: null,
    threshold: null,
    status: 'ACTIVE',
    triggered_at: AT,
    resolved_at: null,
    resolved_by: null,
    episode_id: of.id,
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
    created_at: AT,
    updated_at: null,
  };
}

const UNTOUCHED = { created_by: null, clock_quality: 'trusted', created_at: AT, updated_at: null } as const;

/** One of each thing that is recorded of a production cycle. */
function production(ids: Record<Owned, string>, ownerId: string): Change[] {
  const ofBatch = { ...UNTOUCHED, batch_id: ids.batch, notes: null };
  return [
    insert(batch, batchRow(ids, ownerId)),
    insert(harvest, {
      ...ofBatch,
      id: ids.harvest,
      pond_id: ids.pond,
      harvest_date: AT,
      quantity: 1_000,
      weight_kg: 9,
      price_per_kg: null,
    }),
    insert(survivalChange, {
      id: ids.loss,
      batch_id: ids.batch,
      kind: 'FACTOR',
      value: 0.001,
      pond_id: ids.pond,
      animals: 100,
      weight_kg: null,
      pond_share: null,
      corrects: null,
      cause: null,
      changed_at: AT,
      description: 'Mortalidade',
      created_by: UNTOUCHED.created_by,
      clock_quality: UNTOUCHED.clock_quality,
      created_at: UNTOUCHED.created_at,
    }),
    insert(biometry, {
      ...ofBatch,
      id: ids.biometry,
      measurement_date: AT,
      sample_size: 100,
      total_weight_g: 900,
      weight_sd_g: null,
      individual_weights_g: null,
      pond_id: null,
    }),
    insert(feedingRecord, {
      ...ofBatch,
      id: ids.feeding_record,
      pond_id: null,
      feed_type: '35 %',
      quantity_kg: 20,
      cost_per_kg: 6,
      feed_date: AT,
      tray_leftover_percent: null,
    }),
    insert(expense, {
      ...UNTOUCHED,
      id: ids.expense,
      batch_id: ids.batch,
      category: 'ENERGY',
      amount: 120,
      description: 'Energia',
      expense_date: AT,
    }),
    insert(transfer, {
      ...ofBatch,
      id: ids.transfer,
      numeric_id: number(),
      source_pond_id: ids.pond,
      destination_pond_id: ids.pond,
      quantity: 1,
      average_weight: null,
      transfer_date: AT,
      reason: null,
      contested: false,
    }),
    insert(measurement, {
      ...UNTOUCHED,
      id: ids.measurement,
      pond_id: ids.pond,
      measurement_date: AT,
      temperature: 28,
      dissolved_oxygen: 5.2,
      ph: 8,
      salinity: null,
      alkalinity: null,
      ammonia: null,
      nitrite: null,
      nitrate: null,
      transparency: null,
      notes: null,
      source: 'manual',
    }),
    insert(farmRecord, {
      ...UNTOUCHED,
      id: ids.farm_record,
      farm_id: ids.farm,
      kind: 'TREATMENT',
      pond_id: ids.pond,
      batch_id: null,
      control_point_id: null,
      happened_at: AT,
      text: 'Fundo escuro',
      product: 'Probiótico',
      product_kind: 'PROBIOTIC',
      product_lot: null,
      amount: 2,
      unit: 'L',
      responsible: null,
      withdrawal_days: 0,
      source: null,
      signs: null,
      affected_percent: null,
      severity: null,
      disease: null,
      disease_name: null,
      sample: null,
      method: null,
      result: null,
      result_on: null,
      report_number: null,
      trays: null,
      feeding_id: null,
      step: null,
      ended_on: null,
      meter: null,
      meter_factor: null,
      meter_change: null,
    }),
    insert(feedStockEntry, {
      ...UNTOUCHED,
      id: ids.feed_stock,
      farm_id: ids.farm,
      kind: 'DELIVERY',
      happened_at: AT,
      product: 'Ração 35',
      lot: 'L-1',
      quantity_kg: 500,
      bags: 20,
      bag_kg: 25,
      protein_percent: 35,
      pellet_mm: 1.6,
      price_per_kg: 6,
      supplier: 'Rações do Norte',
      expires_on: '2026-08-01',
      notes: null,
    }),
    insert(harvestLot, {
      ...UNTOUCHED,
      id: ids.harvest_lot,
      farm_id: ids.farm,
      batch_id: ids.batch,
      harvest_id: null,
      pond_id: ids.pond,
      lot_code: `LD-${ids.harvest_lot.slice(0, 8)}`,
      harvested_at: AT,
      weight_kg: 1,
      count: null,
      average_weight_g: null,
      classes: [{ pieces_min: 80, pieces_max: 100, weight_kg: 0.9, price_per_kg: 20 }],
      buyer: 'Frigorífico do Porto',
      buyer_tax_id: '12.345.678/0001-90',
      transport_document: 'GTA 1',
      vehicle: 'ABC1D23',
      driver: 'João',
      loading_temperature_c: 2,
      notes: null,
    }),
    ...taskRows(ids),
    insert(photo, photoRow(ids)),
  ];
}

/** A photo of a pond, announced and without its picture. */
function photoRow(ids: Pick<Record<Owned, string>, 'photo' | 'farm' | 'pond'>): RowOf<typeof photo> {
  return {
    ...UNTOUCHED,
    id: ids.photo,
    farm_id: ids.farm,
    pond_id: ids.pond,
    batch_id: null,
    control_point_id: null,
    loss_id: null,
    taken_at: AT,
    note: 'Espuma na borda',
    sha256: 'ab'.repeat(32),
    bytes: 240_000,
    width: 1_600,
    height: 1_200,
    type: 'image/jpeg',
  };
}

/** A task of every second day, done on its first. */
function taskRows(ids: Record<Owned, string>): Change[] {
  return [
    insert(task, {
      ...UNTOUCHED,
      id: ids.task,
      farm_id: ids.farm,
      pond_id: ids.pond,
      text: 'Limpar os filtros',
      notes: 'Com escova',
      items: ['Filtro de entrada', 'Filtro de saída'],
      repeat: 'DAYS',
      every_days: 2,
      days_of_week: null,
      first_day: '2026-02-20',
      ended_on: null,
      remind_at: null,
      assignee_id: null,
    }),
    insert(taskMark, {
      // named as its task: who asks for the rows of this farm knows no other id
      id: ids.task,
      farm_id: ids.farm,
      task_id: ids.task,
      due_on: '2026-02-20',
      state: 'DONE',
      done_at: AT,
      done_by: null,
      note: null,
      ticked: ['Filtro de entrada'],
      clock_quality: 'trusted',
      created_at: AT,
      updated_at: null,
    }),
  ];
}

export function batchRow(
  ids: Pick<Record<Owned, string>, 'batch' | 'farm' | 'pond'>,
  ownerId: string,
): RowOf<typeof batch> {
  return {
    ...UNTOUCHED,
    id: ids.batch,
    numeric_id: number(),
    owner_id: ownerId,
    farm_id: ids.farm,
    pond_id: ids.pond,
    batch_code: `L-${ids.batch.slice(0, 8)}`,
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aracati',
    start_date: '2026-01-01',
    expected_harvest_date: null,
    actual_harvest_date: null,
    initial_count: 100_000,
    initial_avg_weight: 0.003,
    initial_density: 33,
    estimated_survival_rate: 85,
    status: 'ACTIVE',
    final_weight_kg: null,
    final_price_per_kg: null,
    end_reason: null,
    notes: null,
  };
}
