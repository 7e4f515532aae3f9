import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Reply, type SignedUp, startApp } from '#test/app.ts';

// What a client sends in whatever order, SQLite and PostgreSQL answer alike, and lists are paged as the contract says.
// FUZZ_SEED repeats a run that failed; FUZZ_RUNS gives it longer.
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_129);
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 6);

type Json = Record<string, unknown>;
/** Ids that a body or path names, by what they are of; the first of each kind stands from the start. */
type Known = Record<'farm' | 'pond' | 'point' | 'batch', string[]>;

const HOSTILE = [
  null,
  '',
  '   ',
  ' Açude ñ 🦐 ',
  'x'.repeat(256),
  'e\u0301',
  'd\'água "5"; --',
  '5',
  '1,5',
  0,
  -0,
  -1,
  1.5,
  1e-9,
  1e308,
  2 ** 31,
  2 ** 53,
  true,
  [],
  {},
  '2026-02-30',
  '2026-02-28',
  '2026-02-28T23:59:59.9999-03',
  '2026-02-28 20:00:00+0530',
  '1999-12-31T23:59:59Z',
] as const;

/** How things are made, in words that are always right; a run spoils some of them. */
const MAKES: Readonly<Record<string, { path: string; body: (known: Known, n: number) => Json }>> = {
  address: {
    path: '/addresses/',
    body: (_, n) => ({ street: 'Rua A', number: n, city: 'Aracati', state: 'CE', zip_code: '62800000' }),
  },
  farm: { path: '/farms/', body: (_, n) => ({ name: `Fazenda ${n}`, lat: '-4.5', lng: '-37.7' }) },
  pond: {
    path: '/ponds/',
    body: ({ farm }, n) => ({ farm_id: farm[0], cod: `V-${n}`, size_m2: 3000, depth_m: 1.5 }),
  },
  aerator: {
    path: '/aerators/',
    body: ({ pond }, n) => ({ pond_id: pond[0], name: `A${n}`, device_id: `aer-${n}`, power_kw: 1.5 }),
  },
  point: {
    path: '/control-points/',
    body: ({ farm }, n) => ({ farm_id: farm[0], cod: `C-${n}`, device_id: `dev-${n}`, target_status: 'OFF' }),
  },
  biometry: {
    path: '/biometries/',
    body: ({ batch }, n) => ({
      batch_id: batch[0],
      measurement_date: `2026-02-${10 + (n % 15)}T10:00:00Z`,
      sample_size: 30,
      total_weight_g: 90 + n,
    }),
  },
  feeding: {
    path: '/feeding/',
    body: ({ batch }, n) => ({
      batch_id: batch[0],
      feed_type: '35 % PB',
      quantity_kg: n,
      cost_per_kg: 7.35,
      feed_date: `2026-02-${10 + (n % 15)}`,
    }),
  },
  measurement: {
    path: '/water-quality/',
    body: ({ pond }, n) => ({ pond_id: pond[0], temperature: 20 + n, dissolved_oxygen: 0.5 * n, ph: 8 }),
  },
  transfer: {
    path: '/transfers/',
    body: ({ batch, pond }, n) => ({
      batch_id: batch[0],
      source_pond_id: pond[0],
      destination_pond_id: pond[1],
      quantity: 10 * n,
    }),
  },
  expense: {
    path: '/financial/expenses',
    body: ({ batch }, n) => ({ batch_id: batch[0], category: 'LABOR', amount: n * 0.1, description: 'x' }),
  },
};

/** Lists, and under which name the answer holds their rows (null: it is the list). */
const LISTS: readonly [path: (known: Known) => string, rows: string | null][] = [
  [() => '/addresses/', null],
  [() => '/farms/', null],
  [() => '/ponds/', null],
  [() => '/aerators/', null],
  [() => '/control-points/', null],
  [() => '/batches/', null],
  [() => '/alerts/', null],
  [({ batch }) => `/biometries/batch/${batch[0]}`, 'biometries'],
  [({ batch }) => `/feeding/batch/${batch[0]}`, 'feeding_records'],
  [({ pond }) => `/water-quality/pond/${pond[0]}`, 'measurements'],
  [({ pond }) => `/water-quality/pond/${pond[0]}/alerts`, 'alerts'],
  [({ batch }) => `/transfers/batch/${batch[0]}`, 'items'],
  [({ batch }) => `/financial/expenses?batch_id=${batch[0]}`, null],
  [() => '/notifications/', 'notifications'],
  [({ farm }) => `/logs/farm/${farm[0]}/control-points`, null],
];

const READS: readonly ((known: Known) => string)[] = [
  ({ pond }) => `/ponds/${pond[0]}/summary-card`,
  () => '/ponds/summary-cards',
  ({ pond }) => `/water-quality/pond/${pond[0]}/latest`,
  ({ pond }) => `/water-quality/trend/${pond[0]}/temperature`,
  ({ batch }) => `/batches/${batch[0]}/stats`,
  ({ batch }) => `/batches/${batch[0]}/growth-analysis`,
  ({ batch }) => `/biometries/batch/${batch[0]}/summary`,
  ({ batch }) => `/feeding/batch/${batch[0]}/summary`,
  ({ batch }) => `/feeding/batch/${batch[0]}/recommendation`,
  ({ batch }) => `/transfers/batch/${batch[0]}/history`,
  ({ batch }) => `/financial/cost-per-kg/${batch[0]}`,
  ({ farm }) => `/dashboard/overview?farm_id=${farm[0]}`,
  () => '/dashboard/ponds',
  ({ batch }) => `/exports/batch/${batch[0]}/summary`,
  () => '/subscriptions/me/limits',
];

const PAGES = ['', '0', '-1', '1', '2', '3', '100', '10000', '10001', '1.5', 'x', '1,5', '10000001', 'NaN'];

const kind = fc.constantFrom(...Object.keys(MAKES));
const spoilt = fc.array(fc.tuple(fc.nat(), fc.constantFrom(undefined, ...HOSTILE)), { maxLength: 2 });
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('make' as const), kind, spoilt }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      kind,
      which: fc.nat(),
      spoilt: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...HOSTILE)), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), kind, which: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('page' as const),
      which: fc.nat(),
      skip: fc.constantFrom(undefined, ...PAGES),
      limit: fc.constantFrom(undefined, ...PAGES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), which: fc.nat() }) },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

describe('what is sent in whatever order', () => {
  const apps: App[] = [];
  beforeAll(async () => {
    apps.push(await startApp('sqlite'), await startApp('postgres'));
  });
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  test('SQLite and PostgreSQL answer alike, and a page is that part of the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 25, maxLength: 25 }), async (acts) => {
        runsSoFar += 1;
        const run = runsSoFar;
        const sides = await Promise.all(apps.map((app) => aSide(app, idsOfRun(run))));
        for (const [n, one] of acts.entries()) {
          const [here, there] = await Promise.all(sides.map((side) => side.perform(one, n + 1)));
          expect(there, `${n}: ${JSON.stringify(one)}`).toEqual(here);
        }
        const [here, there] = await Promise.all(sides.map((side) => side.everything()));
        expect(there).toEqual(here);
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
  }, 600_000);
});

/** Own ids are the same on both sides: what is derived from them, and the order of what came at once, is too. */
let runsSoFar = 0;
const idsOfRun = (run: number) => (n: number) =>
  `00000000-0000-4000-8000-${(run * 1_000 + n).toString(16).padStart(12, '0')}`;

/** A person with a stocked farm on one instance, who does what the other does; ids are told by when they were first seen. */
async function aSide(app: App, idOf: (n: number) => string) {
  const owner: SignedUp = await app.signUp({ plan: 'ENTERPRISE' });
  const known: Known = { farm: [], pond: [], point: [], batch: [] };
  const made: Record<string, string[]> = {};
  const seen = new Map<string, string>();
  const shown = (reply: Reply) => {
    const text = JSON.stringify({ status: reply.status, body: reply.body })
      .replaceAll(owner.user.email, 'the owner')
      .replaceAll(/"epoch":"\w+"/g, '"epoch":"drawn"')
      .replaceAll(
        /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"(\w*_)?(id|numeric_id|created_by)":\d+/g,
        (id) => {
          const name = /":/.test(id) ? id.replace(/\d+$/, '') : '';
          if (!seen.has(id))
            seen.set(id, `${name}${name === '' ? '#' : '"#'}${seen.size}${name === '' ? '' : '"'}`);
          return seen.get(id) ?? '';
        },
      );
    if (reply.status >= 500) throw new Error(text);
    return JSON.parse(text) as unknown;
  };
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const create = async (path: string, body: Json) => {
    const reply = await call('POST', path, body);
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return String((reply.body as Json)['id']);
  };
  known.farm.push(await create('/farms/', { name: 'Sul', timezone: 'America/Fortaleza' }));
  for (const cod of ['P-1', 'P-2'])
    known.pond.push(await create('/ponds/', { farm_id: known.farm[0], cod, size_m2: 2000 }));
  known.batch.push(
    await create('/batches/', {
      pond_id: known.pond[0],
      batch_code: 'L-1',
      species: 'Litopenaeus vannamei',
      lineage: 'SPF',
      larva_origin: 'Lab',
      start_date: '2026-02-01',
      initial_count: 100_000,
      initial_avg_weight: 1,
      initial_density: 50,
    }),
  );

  const spoil = (body: Json, spoils: readonly (readonly [number, unknown])[], skipIds: boolean) => {
    const fields = Object.keys(body).filter((field) => !skipIds || !field.endsWith('_id'));
    const after = { ...body };
    for (const [which, value] of spoils) {
      const field = fields[which % fields.length];
      if (field !== undefined) after[field] = value;
    }
    return after;
  };
  const pathOf = (one: { kind: string; which: number }) => {
    const ids = made[one.kind] ?? [];
    const id = ids[one.which % Math.max(1, ids.length)] ?? '01900000-0000-7000-8000-00000000dead';
    return `${(MAKES[one.kind]?.path ?? '').replace(/\/$/, '')}/${id}`;
  };

  async function page(one: Extract<Act, { do: 'page' }>) {
    const [pathTo, name] = LISTS[one.which % LISTS.length] ?? [() => '', null];
    const path = pathTo(known);
    const query = Object.entries({ skip: one.skip, limit: one.limit }).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
    );
    const reply = await call('GET', `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`);
    const rowsIn = ({ body }: Reply) => (name === null ? body : (body as Json)[name]) as unknown[];
    const [skip, limit] = [Number(one.skip ?? 0), Number(one.limit ?? 10_000)];
    const isValid =
      one.skip !== '' &&
      one.limit !== '' &&
      Number.isInteger(skip) &&
      Number.isInteger(limit) &&
      skip >= 0 &&
      skip <= 10_000_000 &&
      limit >= 1 &&
      limit <= 10_000;
    const invalid = /^\/(ponds|control-points|aerators)\//.test(path) ? 400 : 422;
    expect([path, query, reply.status]).toEqual([path, query, isValid ? 200 : invalid]);
    if (isValid) {
      const most = name === 'notifications' && one.limit === undefined ? 20 : limit;
      const whole = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=10000`);
      expect(rowsIn(reply)).toEqual(rowsIn(whole).slice(skip, skip + most));
    }
    return inAnyOrder(path) ? reply.status : shown(reply);
  }

  return {
    async perform(one: Act, n: number): Promise<unknown> {
      // no two of them at the same moment
      app.clock.advance(1_000);
      switch (one.do) {
        case 'make': {
          const make = MAKES[one.kind];
          if (make === undefined) return null;
          const reply = await call('POST', make.path, {
            ...spoil(make.body(known, n), one.spoilt, false),
            id: idOf(n),
          });
          if (reply.status === 201) (made[one.kind] ??= []).push(String((reply.body as Json)['id']));
          return shown(reply);
        }
        case 'change': {
          const body = spoil(MAKES[one.kind]?.body(known, n) ?? {}, one.spoilt, true);
          return shown(await call('PUT', pathOf(one), body));
        }
        case 'delete':
          return shown(await call('DELETE', pathOf(one)));
        case 'page':
          return page(one);
        case 'read':
          return shown(await call('GET', (READS[one.which % READS.length] ?? (() => ''))(known)));
      }
    },
    async everything(): Promise<unknown[]> {
      const paths = [...LISTS.map(([path]) => path(known)), ...READS.map((path) => path(known))];
      const all: unknown[] = [];
      for (const path of paths) {
        const reply = await call('GET', path);
        all.push([path.split('/')[1], inAnyOrder(path) ? wordsIn(reply) : shown(reply)]);
      }
      return all;
    },
  };
}

/** Ids of these are of the person or drawn at random, and some of them come in one moment. */
const inAnyOrder = (path: string) => /^\/(notifications|logs)\//.test(path);

function wordsIn({ body }: Reply): string[] {
  const rows = (Array.isArray(body) ? body : (body as Json)['notifications']) as Json[];
  return rows
    .map((row) => `${String(row['title'] ?? row['action'])} ${String(row['created_at'] ?? row['timestamp'])}`)
    .toSorted();
}
