import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

// Whatever a keeper writes down of a farm and mends later leaves nothing behind in any answer: a farm that was mended is the farm
// where it was entered right at first, or never. The clock of the tests stands at 2 March, noon UTC.

type Sent = Record<string, unknown>;
type Kind = keyof typeof ENTRIES;
/** What was entered of one kind, wrong and right; `pond` and `at` are added to both. */
type Entry = { kind: Kind; wrong: Sent; right: Sent; deletes: boolean };

const amount = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((n) => n / 100);
const pond = fc.constantFrom('POND-0', 'POND-1');
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 3 });
const word = fc.constantFrom('A', 'B');

const ENTRIES = {
  treatment: {
    path: (_: StockedFarm, { pond_id }: Sent) => `/ponds/${String(pond_id)}/records`,
    one: '/records',
    date: 'happened_at',
    fixed: { kind: 'TREATMENT' },
    sent: fc.record({
      pond_id: pond,
      product: fc.constantFrom('Oxitetraciclina', 'Florfenicol', 'Calcário'),
      product_kind: fc.constantFrom('MEDICATION', 'PROBIOTIC', 'LIME'),
      product_lot: maybe(word),
      amount: amount(0.1, 3_000),
      unit: fc.constantFrom('kg', 'ppm'),
      withdrawal_days: maybe(fc.integer({ min: 0, max: 40 })),
    }),
  },
  exchange: {
    path: (_: StockedFarm, { pond_id }: Sent) => `/ponds/${String(pond_id)}/records`,
    one: '/records',
    date: 'happened_at',
    fixed: { kind: 'WATER_EXCHANGE' },
    sent: fc.record({
      pond_id: pond,
      amount: amount(1, 90),
      unit: fc.constantFrom('percent', 'cm', 'm3'),
      source: maybe(word),
    }),
  },
  trays: {
    path: (_: StockedFarm, { pond_id }: Sent) => `/ponds/${String(pond_id)}/records`,
    one: '/records',
    date: 'happened_at',
    fixed: { kind: 'FEED_TRAYS' },
    sent: fc.record({
      pond_id: pond,
      trays: fc.array(
        fc.record({
          tray: fc.constantFrom('1', '2'),
          left_percent: fc.integer({ min: 0, max: 100 }),
        }),
        { minLength: 1, maxLength: 1 },
      ),
    }),
  },
  meter: {
    path: ({ farmId }: StockedFarm) => `/farms/${farmId}/records`,
    one: '/records',
    date: 'happened_at',
    fixed: { kind: 'METER' },
    sent: fc.record({
      meter: fc.constantFrom('Casa de bombas', 'Escritório'),
      amount: amount(0, 9_000),
      meter_factor: maybe(fc.constantFrom(1, 40)),
      meter_change: maybe(fc.constantFrom('NEW_METER', 'ROLLED_OVER')),
    }),
  },
  loss: {
    path: ({ batch }: StockedFarm) => `/batches/${batch.id}/adjust-survival`,
    one: (farm: StockedFarm) => `/batches/${farm.batch.id}/losses`,
    date: 'lost_at',
    fixed: { event_description: 'Mortalidade' },
    sent: fc.oneof(
      fc.record({ pond_id: fc.constantFrom(null, 'POND-0'), dead_count: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ pond_id: fc.constantFrom(null, 'POND-0'), severity: amount(0, 0.2) }),
      // one told by weight is reckoned by what was weighed until then: below
    ),
  },
  harvest: {
    path: ({ batch }: StockedFarm) => `/batches/${batch.id}/harvests`,
    one: (farm: StockedFarm) => `/batches/${farm.batch.id}/harvests`,
    date: 'harvest_date',
    fixed: {},
    sent: fc.record({
      pond_id: fc.constantFrom(null, 'POND-0', 'POND-1'),
      quantity: fc.integer({ min: 1, max: 900 }),
      weight_kg: amount(30, 90),
      price_per_kg: maybe(amount(0, 40)),
    }),
  },
  lot: {
    path: ({ batch }: StockedFarm) => `/batches/${batch.id}/harvest-lots`,
    one: '/harvest-lots',
    date: 'harvested_at',
    fixed: { harvest_id: 'HARVEST' },
    sent: fc.record({
      pond_id: fc.constantFrom(null, 'POND-0', 'POND-1'),
      lot_code: fc.constant('X'),
      weight_kg: amount(5, 9),
      count: maybe(fc.integer({ min: 1, max: 900 })),
      classes: fc.array(fc.record({ weight_kg: amount(0.1, 2), price_per_kg: maybe(amount(0, 40)) }), {
        maxLength: 2,
      }),
      buyer: maybe(word),
    }),
  },
  stock: {
    path: ({ farmId }: StockedFarm) => `/farms/${farmId}/feed-stock/entries`,
    one: '/feed-stock',
    date: 'happened_at',
    fixed: { kind: 'DELIVERY' },
    sent: fc.record({
      product: fc.constantFrom('35 % PB', '40 % PB'),
      lot: maybe(word),
      quantity_kg: amount(10, 900),
      price_per_kg: maybe(amount(0, 9)),
      expires_on: maybe(fc.constantFrom('2026-02-15', '2026-02-25', '2026-08-01')),
    }),
  },
  count: {
    path: ({ farmId }: StockedFarm) => `/farms/${farmId}/feed-stock/entries`,
    one: '/feed-stock',
    date: 'happened_at',
    fixed: { kind: 'COUNT' },
    sent: fc.record({
      product: fc.constantFrom('35 % PB', '40 % PB'),
      lot: maybe(word),
      quantity_kg: amount(0, 900),
    }),
  },
  meal: {
    path: () => '/feeding/',
    one: '/feeding',
    date: 'feed_date',
    fixed: { batch_id: 'BATCH' },
    sent: fc.record({
      feed_type: fc.constantFrom('35 % PB', '40 % PB', 'outra'),
      quantity_kg: amount(0.1, 90),
      cost_per_kg: amount(0, 12),
    }),
  },
  weighing: {
    path: () => '/biometries/',
    one: '/biometries',
    date: 'measurement_date',
    fixed: { batch_id: 'BATCH' },
    sent: fc.record({
      pond_id: fc.constantFrom(null, 'POND-0'),
      sample_size: fc.integer({ min: 30, max: 300 }),
      total_weight_g: amount(100, 4_000),
    }),
  },
} as const;
const KINDS = Object.keys(ENTRIES) as Kind[];

/** A day and hour of its own for each: of one instant the ids decide, which differ. */
const entries = fc
  .uniqueArray(fc.integer({ min: 24 * 10, max: 24 * 28 }), { minLength: 16, maxLength: 16 })
  .chain((hours) =>
    fc
      .array(
        fc.constantFrom(...KINDS).chain((kind) =>
          fc.record({
            kind: fc.constant(kind),
            wrong: ENTRIES[kind].sent as fc.Arbitrary<Sent>,
            right: ENTRIES[kind].sent as fc.Arbitrary<Sent>,
            deletes: fc.boolean(),
          }),
        ),
        { minLength: 2, maxLength: 8 },
      )
      .map((all): Entry[] =>
        all.map((entry, n) => {
          const at = (hour: number | undefined) =>
            new Date(Date.UTC(2026, 1, 1) + (hour ?? 0) * 3_600_000).toISOString();
          const { date } = ENTRIES[entry.kind];
          return {
            ...entry,
            wrong: { ...entry.wrong, [date]: at(hours[2 * n]) },
            right: { ...entry.right, [date]: at(hours[2 * n + 1]) },
          };
        }),
      ),
  );

const READ = (farm: StockedFarm, lots: readonly string[]) => {
  const id = farm.batch.id;
  return [
    `/batches/${id}`,
    `/batches/${id}/withdrawal?day=2026-03-02`,
    `/batches/${id}/withdrawal?day=2026-02-20`,
    `/batches/${id}/stats`,
    `/batches/${id}/growth-curve`,
    `/batches/${id}/growth-analysis`,
    `/batches/${id}/harvests`,
    `/batches/${id}/harvest-lots`,
    `/batches/${id}/losses`,
    `/batches/${id}/mortality`,
    `/batch-transfers/batch/${id}`,
    `/batches/${id}/records`,
    `/biometries/batch/${id}/summary`,
    `/feeding/batch/${id}`,
    `/feeding/batch/${id}/summary`,
    `/feeding/batch/${id}/recommendation`,
    `/financial/cost-per-kg/${id}`,
    `/financial/profitability/${id}?selling_price_per_kg=20`,
    `/financial/optimal-harvest/${id}?market_price_per_kg=20&daily_operational_cost=50`,
    `/exports/batch/${id}/summary`,
    ...farm.ponds.map((each) => `/ponds/${each.id}/summary-card`),
    ...farm.ponds.map((each) => `/ponds/${each.id}/records`),
    `/dashboard/overview?farm_id=${farm.farmId}`,
    `/dashboard/ponds?farm_id=${farm.farmId}`,
    `/dashboard/biomass-trend?batch_id=${id}`,
    `/dashboard/survival-rates?farm_id=${farm.farmId}`,
    `/dashboard/feed-efficiency?farm_id=${farm.farmId}`,
    `/farms/${farm.farmId}/records`,
    `/farms/${farm.farmId}/products`,
    `/farms/${farm.farmId}/feed-stock`,
    `/farms/${farm.farmId}/feed-stock/entries`,
    `/farms/${farm.farmId}/energy/meters?start_date=2026-02-05&end_date=2026-03-01`,
    `/farms/${farm.farmId}/tasks/due`,
    ...lots.map((lot) => `/harvest-lots/${lot}/trace`),
  ];
};

onBothEngines('what was written down of a farm', (_open, engine) => {
  let app: App;
  const runs = {
    numRuns: process.env['RUNS'] ? Number(process.env['RUNS']) : drawsOf(engine === 'sqlite' ? 24 : 4),
  };
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
  });
  afterAll(() => app.close());

  const ask = (farm: StockedFarm, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: farm.token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function told(farm: StockedFarm, method: string, path: string, sent?: unknown) {
    const reply = await ask(farm, method, path, sent);
    expect(
      reply.status,
      `${method} ${path} ${JSON.stringify(sent)} ${JSON.stringify(reply.body)}`,
    ).toBeLessThan(300);
    return body(reply);
  }

  async function aFarm() {
    const farm = await aStockedFarm(app, {
      batch_code: 'L-01',
      species: 'Litopenaeus vannamei',
      initial_count: 60_000,
      initial_avg_weight: 1,
      start_date: '2026-02-01',
      estimated_survival_rate: 80,
    });
    const at = { batch_id: farm.batch.id };
    await told(farm, 'POST', '/transfers/', {
      ...at,
      source_pond_id: farm.ponds[0]?.id,
      destination_pond_id: farm.ponds[1]?.id,
      quantity: 20_000,
      transfer_date: '2026-02-08T10:00:00Z',
      average_weight: 2,
    });
    await told(farm, 'POST', '/biometries/', {
      ...at,
      sample_size: 100,
      total_weight_g: 500,
      measurement_date: '2026-02-09T10:00:00Z',
    });
    await told(farm, 'POST', `/farms/${farm.farmId}/feed-stock/entries`, {
      kind: 'DELIVERY',
      product: '35 % PB',
      lot: 'A',
      quantity_kg: 500,
      happened_at: '2026-02-09T10:00:00Z',
    });
    const harvest = await told(farm, 'POST', `/batches/${farm.batch.id}/harvests`, {
      quantity: 5_000,
      weight_kg: 400,
      harvest_date: '2026-02-28T20:00:00Z',
    });
    const names: Record<string, string | undefined> = {
      'POND-0': farm.ponds[0]?.id,
      'POND-1': farm.ponds[1]?.id,
      BATCH: farm.batch.id,
      HARVEST: String(harvest['id']),
    };
    const named = (sent: Sent): Sent =>
      Object.fromEntries(
        Object.entries(sent).map(([key, value]) => [
          key,
          (typeof value === 'string' ? names[value] : undefined) ?? value,
        ]),
      );
    return { farm, named };
  }
  type Farm = Awaited<ReturnType<typeof aFarm>>;

  /** Its id; null: it is refused, which is asked of the other farm too. */
  async function enter({ farm, named }: Farm, kind: Kind, n: number, sent: Sent): Promise<string | null> {
    const { path, fixed } = ENTRIES[kind];
    const all = named({ ...fixed, ...sent, ...('lot_code' in sent ? { lot_code: `X-${n}` } : {}) });
    const reply = await ask(farm, 'POST', path(farm, all), all);
    expect(reply.status, `${kind} ${JSON.stringify(reply.body)}`).toBeLessThan(500);
    return reply.status < 300 ? String(body(reply)['id']) : null;
  }
  function pathOf({ farm }: Farm, kind: Kind, id: string) {
    const { one } = ENTRIES[kind];
    return `${typeof one === 'string' ? one : one(farm)}/${id}`;
  }
  async function mend(at: Farm, kind: Kind, id: string, n: number, sent: Sent) {
    const all = at.named({ ...sent, ...('lot_code' in sent ? { lot_code: `X-${n}` } : {}) });
    const reply = await ask(at.farm, 'PUT', pathOf(at, kind, id), all);
    expect(reply.status, `${kind} ${JSON.stringify(reply.body)}`).toBeLessThan(500);
    return reply.status < 300;
  }

  async function answersOf({ farm }: Farm): Promise<unknown> {
    const lots = (
      (await told(farm, 'GET', `/batches/${farm.batch.id}/harvest-lots`)) as unknown as {
        id: string;
        lot_code: string;
      }[]
    )
      .toSorted((a, b) => (a.lot_code < b.lot_code ? -1 : 1))
      .map(({ id }) => id);
    const answers: Record<string, unknown> = {};
    const paths = READ(farm, lots);
    const replies = await Promise.all(paths.map((path) => told(farm, 'GET', path)));
    const own = new Map<string, string>([
      [farm.farmId, 'farm'],
      [farm.batch.id, 'batch'],
      [farm.userId, 'user'],
      ...farm.ponds.map(({ id }, n) => [id, `pond-${n}`] as const),
    ]);
    const nameless = (text: string) =>
      text
        .replaceAll(
          /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
          (uuid) => own.get(uuid) ?? 'uuid',
        )
        .replaceAll(String(farm.batch.numeric_id), '0');
    const LEFT_OUT = new Set([
      'created_by',
      'source_pond_id',
      'destination_pond_id',
      'id',
      'numeric_id',
      'created_at',
      'updated_at',
      'survival_changed_at',
      'current_time',
      'generated_at',
    ]);
    for (const [n, path] of paths.entries())
      answers[`${n} ${nameless(path)}`] = JSON.parse(
        nameless(
          JSON.stringify(replies[n], (key, value: unknown) => (LEFT_OUT.has(key) ? undefined : value)),
        ),
      );
    return answers;
  }

  it('and corrected, or deleted, is as if it had been entered right at first, or never', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const [mended, first] = [await aFarm(), await aFarm()];
        const made: { n: number; entry: Entry; id: string }[] = [];
        for (const [n, entry] of all.entries()) {
          const id = await enter(mended, entry.kind, n, entry.wrong);
          if (id !== null) made.push({ n, entry, id });
        }
        for (const { n, entry, id } of made) {
          if (entry.deletes) await told(mended.farm, 'DELETE', pathOf(mended, entry.kind, id));
          else fc.pre(await mend(mended, entry.kind, id, n, entry.right));
        }
        for (const { n, entry } of made)
          if (!entry.deletes) fc.pre((await enter(first, entry.kind, n, entry.right)) !== null);
        expect(await answersOf(mended)).toEqual(await answersOf(first));
        compared += 1;
      }),
      { ...runs, endOnFailure: process.env['SHRINK'] === undefined },
    );
    expect(compared).toBeGreaterThan(0);
  }, 300_000);

  it('and taken over from another record follows what that is corrected to', async () => {
    const of = async (
      harvestAt: string,
      weighedG: number | null,
      right?: { harvestAt: string; weighedG: number | null },
    ) => {
      const at = await aFarm();
      const { farm, named } = at;
      const send = (method: string, path: string, sent: Sent) => told(farm, method, path, named(sent));
      const weighing =
        weighedG === null
          ? {}
          : await send('POST', '/biometries/', {
              batch_id: 'BATCH',
              sample_size: 100,
              total_weight_g: weighedG * 100,
              measurement_date: '2026-02-12T10:00:00Z',
            });
      const harvest = await send('POST', `/batches/${farm.batch.id}/harvests`, {
        quantity: 900,
        weight_kg: 9,
        harvest_date: harvestAt,
      });
      await send('POST', `/batches/${farm.batch.id}/adjust-survival`, {
        event_description: 'Mortalidade',
        dead_weight_kg: 9,
        lost_at: '2026-02-14T10:00:00Z',
      });
      await send('POST', '/transfers/', {
        batch_id: 'BATCH',
        source_pond_id: 'POND-0',
        destination_pond_id: 'POND-1',
        quantity: 10,
        transfer_date: '2026-02-15T10:00:00Z',
      });
      await send('POST', `/batches/${farm.batch.id}/harvest-lots`, {
        harvest_id: String(harvest['id']),
        weight_kg: 9,
        lot_code: 'X-1',
      });
      if (right !== undefined) {
        if (right.weighedG === null) await told(farm, 'DELETE', `/biometries/${String(weighing['id'])}`);
        else
          await told(farm, 'PUT', `/biometries/${String(weighing['id'])}`, {
            total_weight_g: right.weighedG * 100,
          });
        await told(farm, 'PUT', `/batches/${farm.batch.id}/harvests/${String(harvest['id'])}`, {
          harvest_date: right.harvestAt,
        });
      }
      return answersOf(at);
    };
    for (const weighedG of [6, null]) {
      const right = { harvestAt: '2026-02-22T10:00:00Z', weighedG };
      expect(await of('2026-02-20T10:00:00Z', 9, right)).toEqual(await of(right.harvestAt, weighedG));
    }
  });
});
