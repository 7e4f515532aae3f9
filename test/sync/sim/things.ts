import type { Resource } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { batch, harvest, survivalChange } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farmConsole } from '#contract/resources/farm-console.ts';
import { farmRecord } from '#contract/resources/farm-records.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { feedStockEntry } from '#contract/resources/feed-stock.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { expense } from '#contract/resources/finance.ts';
import { harvestLot } from '#contract/resources/harvest-lots.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { notification } from '#contract/resources/notifications.ts';
import { photo } from '#contract/resources/photos.ts';
import { pond } from '#contract/resources/ponds.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { farmScience } from '#contract/resources/science.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { task, taskMark } from '#contract/resources/tasks.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { user } from '#contract/resources/users.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import type { Chance } from './chance.ts';

// What people and controllers do on a farm, as rows. `word` is new on every call: a value tells who wrote it.

export type Row = { id: string } & Record<string, unknown>;
export type Side = 'gateway' | 'hosted';
export const SIDES = ['gateway', 'hosted'] as const;

export type Scene = {
  chance: Chance;
  at: string;
  /** A visible row of that table on this instance, or null. */
  one(table: string): Row | null;
};

export type Thing = {
  resource: Resource;
  /** A new row; null: what it belongs to is not there. */
  make: ((scene: Scene, id: string, word: string) => Row | null) | null;
  /** By field group; `at`: a row it may be moved to. A group with an owner is edited on that side alone. */
  edits: Readonly<
    Record<string, (word: string, row: Row, chance: Chance, at: Row | null) => Record<string, unknown>>
  >;
  /** Sides where rows are made and deleted. */
  madeOn: readonly Side[];
  /** Both, unless it is said. */
  editedOn?: readonly Side[];
  isDeleted: boolean;
  /** How often, beside the others. */
  weight: number;
};

const BOTH = SIDES;
// the kernel treats rows as records
const any = (resource: unknown) => resource as Resource;
const numberOf = (word: string): number => Number(word.replace(/\D/g, ''));
const degrees = (word: string): string => `-4.${numberOf(word)}`;
/** What a row names lies on its own farm. */
const onFarm = (row: Row | null, farmId: unknown): string | null =>
  row !== null && row['farm_id'] === farmId ? row.id : null;
const untouched = (at: string) => ({ created_at: at, updated_at: null });
const recorded = (at: string) => ({ created_by: null, clock_quality: 'trusted', ...untouched(at) });
const uniqueNumber = (chance: Chance) => chance.between(1, 2 ** 47);
/** Few, so that both sides come upon the same ones. */
const code = (chance: Chance, prefix: string): string => `${prefix}-${chance.between(1, 6)}`;

export const THINGS: readonly Thing[] = [
  {
    resource: any(farm),
    make: ({ at, one, chance }, id, word) => {
      const owner = one('farms')?.['owner_id'];
      if (typeof owner !== 'string' || chance.of(0.9)) return null;
      return {
        id,
        name: word,
        description: null,
        owner_id: owner,
        address_id: null,
        lat: null,
        lng: null,
        timezone: 'America/Fortaleza',
        ...untouched(at),
      };
    },
    edits: {
      name: (word) => ({ name: word }),
      description: (word) => ({ description: word }),
      position: (word) => ({ lat: degrees(word), lng: degrees(word) }),
    },
    madeOn: ['gateway'],
    isDeleted: false,
    weight: 3,
  },
  {
    resource: any(user),
    make: null,
    edits: {
      name: (word) => ({ name: word }),
      language: (word) => ({ language: word }),
      email: (word) => ({ email: `${word}@fazenda.br`, email_key: `${word}@fazenda.br` }),
    },
    madeOn: [],
    // an account of the hosted instance, of which no gateway is believed
    editedOn: ['hosted'],
    isDeleted: false,
    weight: 2,
  },
  {
    resource: any(address),
    // the farm's, which alone goes over the line
    make: null,
    edits: {
      place: (word) => ({ street: word, number: numberOf(word) }),
      position: (word) => ({ lat: degrees(word), lng: degrees(word) }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(subscription),
    make: null,
    edits: { plan: (word) => ({ max_farms: numberOf(word) }) },
    madeOn: [],
    isDeleted: false,
    weight: 1,
  },
  {
    resource: any(farmMember),
    make: null,
    edits: { role: (_, row) => ({ role: row['role'] === 'VIEWER' ? 'TECHNICIAN' : 'VIEWER' }) },
    madeOn: [],
    isDeleted: true,
    weight: 0.3,
  },
  {
    resource: any(pond),
    make: ({ one, chance, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        numeric_id: uniqueNumber(chance),
        farm_id,
        cod: word,
        pond_type: 'FATTENING',
        size_m2: 3_000,
        depth_m: 1.5,
        lat: null,
        lng: null,
        aerator_count: 0,
        control_point_id: onFarm(one('control_points'), farm_id),
        ...untouched(at),
      })),
    edits: {
      cod: (word) => ({ cod: word }),
      dimensions: (word) => ({ size_m2: numberOf(word) + 0.25, depth_m: numberOf(word) / 1_000 }),
      position: (word) => ({ lat: degrees(word), lng: degrees(word) }),
      aerator_count: (word) => ({ aerator_count: numberOf(word) }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 4,
  },
  {
    resource: any(aerator),
    make: ({ one, chance, at }, id, word) =>
      withParent(one('ponds'), ({ id: pond_id }) => ({
        id,
        pond_id,
        name: word,
        device_id: chance.of(0.6) ? code(chance, 'aer') : `aer-${id}`,
        power_kw: 1.5,
        status: 'OFF',
        last_command_at: null,
        ...untouched(at),
      })),
    edits: {
      name: (word) => ({ name: word }),
      device_id: (_, __, chance) => ({ device_id: code(chance, 'aer') }),
      status: (word, row) => ({
        status: row['status'] === 'ON' ? 'OFF' : 'ON',
        last_command_at: instantOf(word),
      }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 3,
  },
  {
    resource: any(controlPoint),
    make: ({ one, chance, at }, id) =>
      withParent(one('farms'), ({ id: farm_id, owner_id }) => ({
        id,
        farm_id,
        owner_id,
        cod: code(chance, 'CP'),
        device_id: chance.of(0.5) ? code(chance, 'dev') : `dev-${id}`,
        ...STANDING(at),
      })),
    edits: {
      cod: (_, __, chance) => ({ cod: code(chance, 'CP') }),
      device_id: (_, __, chance) => ({ device_id: code(chance, 'dev') }),
      settings: (word) => ({ start_group: word, min_on_s: numberOf(word) % 3_600 }),
      shadow: (word, row) => ({
        target_status: row['target_status'] === 'ON' ? 'OFF' : 'ON',
        version: Number(row['version']) + 1,
        last_command_at: instantOf(word),
      }),
      lock_out: (word, row) => ({ locked_out: row['locked_out'] !== true, lock_out_reason: word }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 5,
  },
  {
    resource: any(schedule),
    make: ({ one, at }, id, word) =>
      withParent(one('control_points'), ({ id: control_point_id }) => ({
        id,
        control_point_id,
        action: 'ON',
        start_time: at,
        end_time: null,
        repeat_pattern: 'DAILY',
        days_of_week: null,
        is_active: true,
        description: word,
        effective_from: at,
        ...untouched(at),
      })),
    edits: {
      rule: (word, row) => ({ is_active: row['is_active'] !== true, start_time: instantOf(word) }),
      description: (word) => ({ description: word }),
      place: (_word, row, _chance, at) => ({ control_point_id: at?.id ?? row['control_point_id'] }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 3,
  },
  {
    resource: any(batch),
    make: ({ one, chance, at }, id, word) =>
      withParent(one('ponds'), (below) => {
        const owner_id = one('farms')?.['owner_id'];
        if (typeof owner_id !== 'string') return null;
        return {
          id,
          numeric_id: uniqueNumber(chance),
          owner_id,
          farm_id: below['farm_id'],
          pond_id: below.id,
          batch_code: code(chance, 'L'),
          species: 'Litopenaeus vannamei',
          lineage: 'SPF',
          larva_origin: 'Aracati',
          start_date: '2026-01-01',
          expected_harvest_date: null,
          actual_harvest_date: null,
          initial_count: 100_000,
          initial_avg_weight: 0.003,
          initial_density: 33.3,
          estimated_survival_rate: 85,
          status: 'ACTIVE',
          final_weight_kg: null,
          end_reason: null,
          notes: word,
          ...recorded(at),
        };
      }),
    edits: {
      notes: (word) => ({ notes: word }),
      state: (word) => ({ status: 'FINISHED', final_weight_kg: numberOf(word) + 0.1, end_reason: word }),
      expected_harvest_date: (word) => ({ expected_harvest_date: instantOf(word) }),
      origin: (word) => ({ species: word, lineage: word }),
      start: (word) => ({ start_date: instantOf(word).slice(0, 10) }),
      stocking: (word) => ({ initial_count: 1_000 + numberOf(word), initial_density: numberOf(word) + 0.5 }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 4,
  },
  ofBatch(survivalChange, 1, {}, (at, word) => ({
    kind: 'FACTOR',
    value: 0.01,
    changed_at: at,
    description: word,
    created_by: null,
    clock_quality: 'trusted',
    created_at: at,
  })),
  ofBatch(
    harvest,
    1,
    { taken: (word) => ({ quantity: numberOf(word), weight_kg: 9.5 }), notes: (word) => ({ notes: word }) },
    (at, word) => ({
      pond_id: null,
      harvest_date: at,
      quantity: 1_000,
      weight_kg: 9,
      price_per_kg: null,
      notes: word,
      ...recorded(at),
    }),
  ),
  ofBatch(
    biometry,
    1,
    { weights: (word) => ({ total_weight_g: numberOf(word), individual_weights_g: [numberOf(word), 1.5] }) },
    (at, word) => ({
      measurement_date: at,
      sample_size: 100,
      total_weight_g: 900.5,
      weight_sd_g: null,
      individual_weights_g: null,
      notes: word,
      ...recorded(at),
    }),
  ),
  ofBatch(
    feedingRecord,
    2,
    { fed: (word) => ({ feed_type: word }), notes: (word) => ({ notes: word }) },
    (at, word) => ({
      pond_id: null,
      feed_type: '35 %',
      quantity_kg: 20.1,
      cost_per_kg: 6,
      feed_date: at,
      tray_leftover_percent: null,
      notes: word,
      ...recorded(at),
    }),
  ),
  {
    resource: any(farmRecord),
    make: ({ one, at }, id, word) =>
      withParent(one('ponds'), (pond) => ({
        id,
        farm_id: pond['farm_id'],
        kind: 'TREATMENT',
        pond_id: pond.id,
        batch_id: null,
        control_point_id: null,
        happened_at: at,
        text: word,
        product: 'Oxitetraciclina',
        product_kind: 'MEDICATION',
        product_lot: null,
        amount: 2.5,
        unit: 'kg',
        responsible: null,
        withdrawal_days: null,
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
        ...recorded(at),
      })),
    edits: {
      done: (word) => ({ amount: numberOf(word) }),
      product: (word) => ({ product: word, withdrawal_days: numberOf(word) % 60 }),
      disease: (word) => ({ disease_name: word }),
      result: (word) => ({ report_number: word }),
      step: (word) => ({ ended_on: `2026-03-${String((numberOf(word) % 28) + 1).padStart(2, '0')}` }),
      meter: (word) => ({ meter: word }),
      trays: (word) => ({ trays: [{ tray: 1, left_percent: numberOf(word) % 100, note: word }] }),
      text: (word) => ({ text: word }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 2,
  },
  {
    resource: any(harvestLot),
    make: ({ chance, one, at }, id, word) =>
      withParent(one('batches'), ({ id: batch_id, farm_id }) => ({
        id,
        farm_id,
        batch_id,
        harvest_id: null,
        pond_id: null,
        lot_code: code(chance, 'LD'),
        harvested_at: at,
        weight_kg: 900,
        count: null,
        average_weight_g: 12,
        classes: [{ pieces_min: 80, pieces_max: 100, weight_kg: 900, price_per_kg: 20 }],
        buyer: word,
        buyer_tax_id: null,
        transport_document: null,
        vehicle: null,
        driver: null,
        loading_temperature_c: null,
        notes: word,
        ...recorded(at),
      })),
    edits: {
      taken: (word) => ({ weight_kg: 1_000 + numberOf(word) }),
      buyer: (word) => ({ buyer: word }),
      transport: (word) => ({ transport_document: word }),
      notes: (word) => ({ notes: word }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(feedStockEntry),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        kind: 'DELIVERY',
        happened_at: at,
        product: 'Ração 35',
        lot: null,
        quantity_kg: 500,
        bags: null,
        bag_kg: null,
        protein_percent: 35,
        pellet_mm: null,
        price_per_kg: null,
        supplier: null,
        expires_on: null,
        notes: word,
        ...recorded(at),
      })),
    edits: {
      stood: (word) => ({ quantity_kg: numberOf(word) }),
      supplier: (word) => ({ supplier: word }),
      notes: (word) => ({ notes: word }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(photo),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        pond_id: onFarm(one('ponds'), farm_id),
        batch_id: null,
        control_point_id: null,
        loss_id: null,
        taken_at: at,
        note: word,
        sha256: word.padEnd(64, '0'),
        bytes: 1_000,
        width: 640,
        height: 480,
        type: 'image/jpeg',
        ...recorded(at),
      })),
    edits: { note: (word) => ({ note: word }) },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(task),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        pond_id: onFarm(one('ponds'), farm_id),
        text: word,
        notes: null,
        items: [word],
        repeat: 'DAYS',
        every_days: 2,
        days_of_week: null,
        first_day: '2026-03-01',
        ended_on: null,
        remind_at: null,
        assignee_id: null,
        ...recorded(at),
      })),
    edits: {
      text: (word) => ({ text: word }),
      items: (word) => ({ items: [word] }),
      rule: (word) => ({ every_days: 1 + (numberOf(word) % 300) }),
      remind_at: (word) => ({ remind_at: `0${numberOf(word) % 10}:00` }),
    },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(taskMark),
    make: ({ one, at }, id, word) =>
      withParent(one('tasks'), ({ id: task_id, farm_id }) => ({
        id,
        farm_id,
        task_id,
        due_on: '2026-03-01',
        state: 'DONE',
        done_at: at,
        done_by: null,
        note: word,
        ticked: [],
        clock_quality: 'trusted',
        ...untouched(at),
      })),
    edits: { mark: (word) => ({ note: word, ticked: [word] }) },
    madeOn: BOTH,
    isDeleted: false,
    weight: 1,
  },
  ofBatch(expense, 1, { description: (word) => ({ description: word }) }, (at, word) => ({
    category: 'ENERGY',
    amount: 120,
    description: word,
    expense_date: at,
    ...recorded(at),
  })),
  {
    resource: any(transfer),
    make: ({ one, chance, at }, id, word) =>
      withParent(one('batches'), (moved) =>
        withParent(one('ponds'), (to) =>
          // between farms of two gateways nobody moves any
          to['farm_id'] !== moved['farm_id']
            ? null
            : {
                id,
                numeric_id: uniqueNumber(chance),
                batch_id: moved.id,
                source_pond_id: moved['pond_id'],
                destination_pond_id: to.id,
                quantity: 10,
                average_weight: null,
                transfer_date: at,
                reason: word,
                notes: null,
                contested: false,
                ...recorded(at),
              },
        ),
      ),
    edits: { words: (word) => ({ reason: word, notes: word }) },
    madeOn: BOTH,
    isDeleted: true,
    weight: 1,
  },
  {
    resource: any(measurement),
    make: ({ one, at }, id, word) =>
      withParent(one('ponds'), ({ id: pond_id }) => ({
        id,
        pond_id,
        measurement_date: at,
        temperature: 28.4,
        dissolved_oxygen: 5.2,
        ph: 8,
        salinity: null,
        alkalinity: null,
        ammonia: null,
        nitrite: null,
        nitrate: null,
        transparency: null,
        notes: word,
        source: 'manual',
        ...recorded(at),
      })),
    edits: { values: (word) => ({ temperature: numberOf(word) / 10 }), notes: (word) => ({ notes: word }) },
    madeOn: BOTH,
    isDeleted: true,
    weight: 4,
  },
  {
    resource: any(farmScience),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        overrides: { note: word },
        updated_by: null,
        ...untouched(at),
      })),
    edits: { overrides: (word) => ({ overrides: { note: word } }) },
    madeOn: BOTH,
    isDeleted: false,
    weight: 1,
  },
  {
    resource: any(farmConsole),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        wall: [],
        alarm_responses: { LOW_OXYGEN: word },
        ...untouched(at),
      })),
    edits: {
      wall: (word, { farm_id }) => ({
        wall: [{ pond_id: farm_id, column: numberOf(word) % 100, row: 0 }],
      }),
      alarm_responses: (word) => ({ alarm_responses: { LOW_OXYGEN: word } }),
    },
    madeOn: BOTH,
    isDeleted: false,
    weight: 1,
  },
  {
    resource: any(logEntry),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id }) => ({
        id,
        farm_id,
        entity_type: 'SYSTEM',
        entity_id: farm_id,
        entity_name: word,
        action: 'NOTED',
        user_id: null,
        origin: 'LOCAL',
        details: { word, ração: 1e-7 },
        timestamp: at,
        clock_quality: 'trusted',
      })),
    edits: {},
    madeOn: ['gateway'],
    isDeleted: false,
    weight: 2,
  },
  {
    resource: any(notification),
    make: ({ one, at }, id, word) =>
      withParent(one('farms'), ({ id: farm_id, owner_id }) => ({
        id,
        user_id: owner_id,
        farm_id,
        type: 'SYSTEM',
        title: word,
        message: 'ração «1»',
        data: { word },
        is_read: false,
        read_at: null,
        created_at: at,
      })),
    edits: { read: (word) => ({ is_read: true, read_at: instantOf(word) }) },
    madeOn: BOTH,
    isDeleted: false,
    weight: 1,
  },
];

function ofBatch(
  resource: unknown,
  weight: number,
  edits: Thing['edits'],
  make: (at: string, word: string) => Record<string, unknown>,
): Thing {
  return {
    resource: any(resource),
    make: ({ one, at }, id, word) =>
      withParent(one('batches'), ({ id: batch_id }) => ({ id, batch_id, ...make(at, word) })),
    edits,
    madeOn: BOTH,
    isDeleted: any(resource).sync === 'editable',
    weight,
  };
}

function withParent(parent: Row | null, make: (parent: Row) => Row | null): Row | null {
  return parent === null ? null : make(parent);
}

/** An instant that only this word has. */
function instantOf(word: string): string {
  return new Date(Date.UTC(2026, 2, 1) + numberOf(word) * 1_000).toISOString();
}

const STANDING = (at: string) => ({
  target_status: 'OFF',
  version: 1,
  epoch: 'epoch-1',
  target_origin: 'LOCAL',
  current_status: 'OFF',
  current_since: at,
  last_command_at: null,
  base_target: 'OFF',
  base_at: at,
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
  ...untouched(at),
});

type Later = Readonly<Record<string, (word: string, chance: Chance) => unknown>>;

/** Fields that came after the first version, by table: what a farm writes in them. */
const LATER: Readonly<Record<string, Later>> = {
  control_points: {
    is_siren: (_, chance) => chance.of(0.5),
    // the simulator is at the box, which makes them
    is_simulated: (word) => word.startsWith('g'),
    allow_unkeyed: (_, chance) => chance.pick([true, false, null]),
  },
  batches: { final_price_per_kg: (word) => numberOf(word) },
  survival_changes: {
    animals: (word) => numberOf(word),
    weight_kg: (word) => numberOf(word) + 0.5,
    pond_share: () => 0.25,
    cause: (_, chance) => chance.pick(['DISEASE', 'LOW_OXYGEN', 'OTHER']),
  },
};

/** The same, with the fields that came later. */
export const LATER_THINGS: readonly Thing[] = THINGS.map((thing) => {
  const { resource, make, edits } = thing;
  const later = LATER[resource.name] ?? {};
  const some = (fields: readonly string[], word: string, chance: Chance) =>
    Object.fromEntries(
      Object.entries(later).flatMap(([field, value]) =>
        fields.includes(field) && chance.of(0.5) ? [[field, value(word, chance)]] : [],
      ),
    );
  const groups = Object.entries(resource.groups).filter(([, { fields }]) =>
    fields.some((field) => field in later),
  );
  const more = groups.map(([group, { fields }]) => [
    group,
    (word: string, row: Row, chance: Chance, at: Row | null) => ({
      ...edits[group]?.(word, row, chance, at),
      ...some(fields, word, chance),
    }),
  ]);
  return {
    ...thing,
    make:
      make === null
        ? null
        : (scene, id, word) => {
            const row = make(scene, id, word);
            return row === null ? null : { ...row, ...some(Object.keys(later), word, scene.chance) };
          },
    edits: { ...edits, ...Object.fromEntries(more) },
  };
});
