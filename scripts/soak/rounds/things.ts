import type { Chance } from '../../../test/sync/sim/chance.ts';
import type { Side } from '../../../test/sync/sim/things.ts';

// What people do on a farm through the interface, on either side. `n` is new with every call: a value tells who wrote it.

/** A row somebody was answered for; `below`: the row its path names. */
export type KnownThing = { thing: string; id: string; below: string; isGone: boolean };

export type Scene = {
  n: number;
  farmId: string;
  chance: Chance;
  /** Some row of that kind that nobody deleted. */
  one(thing: string): KnownThing | null;
};

type Body = Record<string, unknown>;
export type Edit = { field: string; value: (n: number) => string | number };

export type Thing = {
  /** Table of its rows. */
  table: string;
  /** A request that makes one of the id given; null: what it needs is not there. */
  make: (scene: Scene, id: string) => { path: string; below: string; body: Body } | null;
  /** Where one is read, changed and deleted. */
  at: (known: KnownThing) => string;
  edits: readonly Edit[];
  method?: 'PUT' | 'PATCH';
  isDeleted?: boolean;
  /** Both, unless it is said. */
  madeOn?: Side;
  weight: number;
};

const DAY_MS = 86_400_000;
const words: Edit['value'] = (n) => `w${n}`;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
/** Since the batch was stocked. */
const someDay = (n: number): string => daysAgo(n % 40);
const notes: Edit = { field: 'notes', value: words };

/** A child of `thing`: nothing is made where there is none. */
const below =
  (thing: string, made: (parent: string, n: number, scene: Scene) => { path: string; body: Body }) =>
  (scene: Scene, id: string) => {
    const parent = scene.one(thing)?.id;
    if (parent === undefined) return null;
    const { path, body } = made(parent, scene.n, scene);
    return { path, below: parent, body: { id, ...body } };
  };

export const THINGS: Readonly<Record<string, Thing>> = {
  farm: {
    table: 'farms',
    make: () => null,
    at: ({ id }) => `/farms/${id}`,
    edits: [
      { field: 'name', value: words },
      { field: 'description', value: words },
    ],
    weight: 1,
  },
  pond: {
    table: 'ponds',
    make: ({ n, farmId }, id) => ({
      path: '/ponds/',
      below: farmId,
      body: { id, farm_id: farmId, cod: `V-${n}`, size_m2: 1_000 },
    }),
    at: ({ id }) => `/ponds/${id}`,
    edits: [
      { field: 'cod', value: (n) => `V-${n}` },
      { field: 'depth_m', value: (n) => 0.5 + n / 100_000 },
    ],
    isDeleted: true,
    weight: 2,
  },
  point: {
    table: 'control_points',
    // few codes, so that both sides come upon the same ones
    make: ({ n, farmId, chance }, id) => ({
      path: '/control-points/',
      below: farmId,
      body: {
        id,
        farm_id: farmId,
        cod: chance.of(0.3) ? `CP-${chance.between(1, 6)}` : `CP-${n}`,
        target_status: 'OFF',
        device_id: `dev-${chance.of(0.3) ? chance.between(1, 6) : n}`,
      },
    }),
    at: ({ id }) => `/control-points/${id}`,
    edits: [{ field: 'cod', value: (n) => `CP-${n}` }],
    isDeleted: true,
    weight: 1.5,
  },
  schedule: {
    table: 'schedules',
    make: below('point', (point, n) => ({
      path: `/control-points/${point}/schedules`,
      body: {
        action: n % 2 === 0 ? 'ON' : 'OFF',
        start_time: new Date(Date.now() + (n % 900) * 60_000).toISOString(),
        end_time: new Date(Date.now() + (n % 900) * 60_000 + 1_800_000).toISOString(),
        repeat_pattern: 'DAILY',
        description: `w${n}`,
      },
    })),
    at: ({ id }) => `/schedules/${id}`,
    method: 'PATCH',
    edits: [{ field: 'description', value: words }],
    isDeleted: true,
    weight: 2,
  },
  batch: {
    table: 'batches',
    make: below('pond', (pond, n) => ({
      path: '/batches/',
      body: {
        pond_id: pond,
        batch_code: `L-${n}`,
        species: 'Litopenaeus vannamei',
        lineage: 'SPF',
        larva_origin: 'Aquatec',
        start_date: daysAgo(45).slice(0, 10),
        initial_count: 100_000,
        initial_avg_weight: 0.01,
        initial_density: 100,
      },
    })),
    at: ({ id }) => `/batches/${id}`,
    edits: [notes],
    isDeleted: true,
    weight: 1,
  },
  weighing: {
    table: 'biometries',
    make: below('batch', (batch, n) => ({
      path: '/biometries/',
      body: {
        batch_id: batch,
        measurement_date: someDay(n),
        sample_size: 20,
        total_weight_g: 80,
        notes: `w${n}`,
      },
    })),
    at: ({ id }) => `/biometries/${id}`,
    edits: [notes, { field: 'total_weight_g', value: (n) => 80 + n / 1_000 }],
    isDeleted: true,
    weight: 1.5,
  },
  feeding: {
    table: 'feeding_records',
    make: below('batch', (batch, n) => ({
      path: '/feeding/',
      body: {
        batch_id: batch,
        feed_type: '35%',
        quantity_kg: 1 + n / 1_000,
        cost_per_kg: 5,
        feed_date: someDay(n),
      },
    })),
    at: ({ id }) => `/feeding/${id}`,
    edits: [notes, { field: 'quantity_kg', value: (n) => 1 + n / 1_000 }],
    isDeleted: true,
    weight: 1.5,
  },
  expense: {
    table: 'expenses',
    make: below('batch', (batch, n) => ({
      path: '/financial/expenses',
      body: { batch_id: batch, category: 'LABOR', amount: n, description: `w${n}`, expense_date: someDay(n) },
    })),
    at: ({ id }) => `/financial/expenses/${id}`,
    edits: [
      { field: 'description', value: words },
      { field: 'amount', value: (n) => n },
    ],
    isDeleted: true,
    weight: 1,
  },
  harvest: {
    table: 'harvests',
    make: below('batch', (batch, n) => ({
      path: `/batches/${batch}/harvests`,
      body: { quantity: 10, weight_kg: 0.1, price_per_kg: 20, notes: `w${n}` },
    })),
    at: ({ id, below: batch }) => `/batches/${batch}/harvests/${id}`,
    edits: [notes],
    isDeleted: true,
    weight: 0.7,
  },
  harvestLot: {
    table: 'harvest_lots',
    make: (scene, id) => {
      const harvest = scene.one('harvest');
      if (harvest === null) return null;
      const body = { id, harvest_id: harvest.id, weight_kg: 0.001, buyer: 'Porto', notes: `w${scene.n}` };
      return { path: `/batches/${harvest.below}/harvest-lots`, below: harvest.id, body };
    },
    at: ({ id }) => `/harvest-lots/${id}`,
    edits: [notes],
    isDeleted: true,
    weight: 0.5,
  },
  transfer: {
    table: 'transfers',
    make: (scene, id) => {
      const [batch, to] = [scene.one('batch'), scene.one('pond')];
      if (batch === null || to === null || batch.below === to.id) return null;
      const body = {
        id,
        batch_id: batch.id,
        source_pond_id: batch.below,
        destination_pond_id: to.id,
        quantity: 10,
      };
      return { path: '/transfers/', below: batch.id, body: { ...body, notes: `w${scene.n}` } };
    },
    at: ({ id }) => `/transfers/${id}`,
    edits: [notes],
    isDeleted: true,
    weight: 0.7,
  },
  loss: {
    table: 'survival_changes',
    make: below('batch', (batch, n) => ({
      path: `/batches/${batch}/adjust-survival`,
      body: { event_description: `w${n}`, dead_count: 1 + (n % 50) },
    })),
    at: ({ id, below: batch }) => `/batches/${batch}/losses/${id}`,
    edits: [],
    weight: 0.7,
  },
  measurement: {
    table: 'measurements',
    // some of them are of now, and too low: alerts begin, and end
    make: below('pond', (pond, n, { chance }) => ({
      path: '/water-quality/',
      body: {
        pond_id: pond,
        ...(chance.of(0.6) ? {} : { measurement_date: someDay(n) }),
        dissolved_oxygen: chance.of(0.5) ? 1.2 : 6.5,
        temperature: chance.of(0.3) ? 35 : 28,
        notes: `w${n}`,
      },
    })),
    at: ({ id }) => `/water-quality/${id}`,
    edits: [notes, { field: 'salinity', value: (n) => 10 + n / 10_000 }],
    isDeleted: true,
    weight: 4,
  },
  record: {
    table: 'farm_records',
    make: below('pond', (pond, n) => ({
      path: `/ponds/${pond}/records`,
      body:
        n % 2 === 0
          ? { kind: 'NOTE', text: `w${n}` }
          : { kind: 'TREATMENT', product: 'Cal', product_kind: 'LIME', amount: 2, unit: 'kg', text: `w${n}` },
    })),
    at: ({ id }) => `/records/${id}`,
    edits: [{ field: 'text', value: words }],
    isDeleted: true,
    weight: 1.5,
  },
  feedStock: {
    table: 'feed_stock',
    make: below('farm', (farm, n) => ({
      path: `/farms/${farm}/feed-stock/entries`,
      body:
        n % 3 === 0
          ? { kind: 'COUNT', product: 'Ração 35', quantity_kg: n % 900, notes: `w${n}` }
          : { kind: 'DELIVERY', product: 'Ração 35', bags: 20, bag_kg: 25, notes: `w${n}` },
    })),
    at: ({ id }) => `/feed-stock/${id}`,
    edits: [notes],
    isDeleted: true,
    weight: 0.7,
  },
  photo: {
    table: 'photos',
    make: below('pond', (pond, n) => ({
      path: `/ponds/${pond}/photos`,
      body: {
        sha256: String(n).padStart(64, '0'),
        bytes: 1_000 + n,
        width: 640,
        height: 480,
        type: 'image/jpeg',
        note: `f${n}`,
      },
    })),
    at: ({ id }) => `/photos/${id}`,
    edits: [{ field: 'note', value: words }],
    isDeleted: true,
    weight: 0.7,
  },
  task: {
    table: 'tasks',
    make: below('farm', (farm, n) => ({
      path: `/farms/${farm}/tasks`,
      body: {
        text: `w${n}`,
        ...(n % 2 === 0 ? {} : { repeat: 'DAYS', every_days: 1 + (n % 6) }),
        ...(n % 3 === 0 ? { items: [`i${n}`, 'j'], remind_at: '06:00' } : {}),
      },
    })),
    at: ({ id }) => `/tasks/${id}`,
    edits: [notes, { field: 'text', value: words }],
    isDeleted: true,
    weight: 0.7,
  },
  aerator: {
    table: 'aerators',
    make: below('pond', (pond, n, { chance }) => ({
      path: '/aerators/',
      body: {
        pond_id: pond,
        name: `w${n}`,
        device_id: chance.of(0.2) ? `aer-${chance.between(1, 6)}` : `aer-${n}`,
        power_kw: 1.5,
      },
    })),
    at: ({ id }) => `/aerators/${id}`,
    edits: [{ field: 'name', value: words }],
    isDeleted: true,
    weight: 0.7,
  },
  alert: {
    table: 'alerts',
    make: below('point', (point, n) => ({
      path: `/alerts/${point}/alerts`,
      body: { type: n % 2 === 0 ? 'HIGH_TEMPERATURE' : 'LOW_OXYGEN', message: `w${n}` },
    })),
    at: ({ id }) => `/alerts/${id}`,
    edits: [],
    weight: 0.7,
  },
};

/** What else is done, of which only the traces in the tables are compared. */
export const DEEDS: Readonly<
  Record<string, (scene: Scene) => { method: string; path: string; body: Body } | null>
> = {
  order: ({ n, one }) =>
    pathOf(one('point'), 'POST', (id) => `/control-points/${id}/turn-${n % 2 === 0 ? 'on' : 'off'}`),
  acknowledge: ({ n, one }) =>
    pathOf(one('alert'), 'POST', (id) => `/alerts/${id}/acknowledge`, { note: `w${n}` }),
  resolve: ({ one }) => pathOf(one('alert'), 'PUT', (id) => `/alerts/${id}/resolve`),
  silence: ({ n, one }) =>
    pathOf(one('alert'), 'POST', (id) => `/alerts/${id}/silence`, { minutes: 10, reason: `w${n}` }),
  console: ({ n, farmId }) => ({
    method: 'PUT',
    path: `/farms/${farmId}/console`,
    body: { alarm_responses: { [n % 2 === 0 ? 'LOW_OXYGEN' : 'LOW_PH']: `w${n}` } },
  }),
  settings: ({ n, one }) =>
    pathOf(one('point'), 'PUT', (id) => `/control-points/${id}/settings`, {
      min_on_s: n % 600,
      min_off_s: n % 300,
    }),
  read: () => ({ method: 'POST', path: '/notifications/mark-all-read', body: {} }),
};

const pathOf = (known: KnownThing | null, method: string, path: (id: string) => string, body: Body = {}) =>
  known === null ? null : { method, path: path(known.id), body };
