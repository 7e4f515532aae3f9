import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { survivalChange } from '#contract/resources/batches.ts';
import { insert } from '#core/changes.ts';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

// A batch that was stocked wrongly by typing and put right later is the batch that was typed right at first: in every figure, or
// the correction is refused with the record that cannot then be, and nothing changed. The clock of the tests stands at 2 March,
// noon UTC.

type Stocked = { initial_count: number; start_date: string; species: string; initial_avg_weight: number };
type Act =
  | { do: 'move'; from: number; to: number; quantity: number }
  | { do: 'lose'; pond: number | null; told: Record<string, number> }
  | { do: 'weigh'; pond: number | null; sample_size: number; total_weight_g: number }
  | { do: 'feed'; quantity_kg: number; cost_per_kg: number }
  | { do: 'take'; pond: number | null; quantity: number; weight_kg: number }
  | { do: 'set'; survival_rate: number };

const amount = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((n) => n / 100);
const pond = fc.nat({ max: 2 });
const anyPond = fc.option(pond, { nil: null, freq: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant('move' as const),
    from: fc.constantFrom(0, 0, 1),
    to: pond,
    quantity: fc.integer({ min: 1, max: 20_000 }),
  }),
  fc.record({
    do: fc.constant('lose' as const),
    pond: anyPond,
    told: fc.oneof(
      fc.integer({ min: 1, max: 9_000 }).map((dead_count) => ({ dead_count })),
      amount(0, 1).map((severity) => ({ severity })),
      amount(0.01, 9).map((dead_weight_kg) => ({ dead_weight_kg })),
    ),
  }),
  fc.record({
    do: fc.constant('weigh' as const),
    pond: anyPond,
    sample_size: fc.integer({ min: 30, max: 200 }),
    total_weight_g: amount(30, 2_000),
  }),
  fc.record({ do: fc.constant('feed' as const), quantity_kg: amount(0.1, 60), cost_per_kg: amount(0, 9) }),
  fc.record({
    do: fc.constant('take' as const),
    pond: anyPond,
    quantity: fc.integer({ min: 1, max: 8_000 }),
    weight_kg: amount(1, 90),
  }),
  fc.record({ do: fc.constant('set' as const), survival_rate: amount(20, 100) }),
);
const stocked: fc.Arbitrary<Stocked> = fc.record({
  initial_count: fc.constantFrom(30_000, 45_678, 60_001, 100_000, 1_000_000),
  start_date: fc.constantFrom('2026-01-15', '2026-02-01', '2026-02-09', '2026-02-10', '2026-02-13'),
  species: fc.constantFrom('Litopenaeus vannamei', 'Penaeus monodon', 'camarão da casa'),
  initial_avg_weight: fc.constantFrom(0.003, 0.02, 1.5),
});
const ending = fc.option(
  fc.oneof(
    fc.integer({ min: 0, max: 70_000 }).map((final_count) => ({ final_count, final_weight_kg: 500 })),
    fc.constant({ final_weight_kg: 300, final_average_weight_g: 11.3, price_per_kg: 20 }),
    fc.constant({ final_weight_kg: 250 }),
    fc.constant({}),
  ),
  { nil: null },
);
const history = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 9 }),
  firstDay: fc.integer({ min: 10, max: 14 }),
  ending,
});
type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

onBothEngines('a stocking told wrongly', (_open, engine) => {
  let app: App;
  const runs = {
    numRuns: process.env['RUNS'] ? Number(process.env['RUNS']) : drawsOf(engine === 'sqlite' ? 20 : 3),
  };
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const aBatch = (fields: Partial<Stocked> = {}) =>
    aStockedFarm(app, {
      ponds: 3,
      batch_code: 'L-01',
      estimated_survival_rate: 80,
      initial_density: 12,
      expected_harvest_date: '2026-06-01T03:00:00.000Z',
      ...fields,
    });
  const ask = (farm: StockedFarm, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: farm.token, body: sent });
  const told = async (farm: StockedFarm, method: string, path: string, sent?: unknown) => {
    const reply = await ask(farm, method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  };

  function enter(farm: StockedFarm, one: Act, at: string) {
    const batch_id = farm.batch.id;
    const idOf = (n: number | null) => (n === null ? undefined : farm.ponds[n]?.id);
    switch (one.do) {
      case 'move':
        return ask(farm, 'POST', '/transfers/', {
          batch_id,
          source_pond_id: idOf(one.from),
          destination_pond_id: idOf(one.to),
          quantity: one.quantity,
          transfer_date: at,
        });
      case 'lose':
        return ask(farm, 'POST', `/batches/${batch_id}/adjust-survival`, {
          event_description: 'Mortalidade',
          pond_id: idOf(one.pond),
          lost_at: at,
          ...one.told,
        });
      case 'weigh': {
        const { do: _do, pond: where, ...weighed } = one;
        const sent = { batch_id, pond_id: idOf(where), measurement_date: at, ...weighed };
        return ask(farm, 'POST', '/biometries/', sent);
      }
      case 'feed':
        return ask(farm, 'POST', '/feeding/', {
          batch_id,
          feed_type: '35 % PB',
          feed_date: at,
          quantity_kg: one.quantity_kg,
          cost_per_kg: one.cost_per_kg,
        });
      case 'take':
        return ask(farm, 'POST', `/batches/${batch_id}/harvests`, {
          pond_id: idOf(one.pond),
          harvest_date: at,
          quantity: one.quantity,
          weight_kg: one.weight_kg,
          price_per_kg: 18,
        });
      case 'set':
        return ask(farm, 'PUT', `/batches/${batch_id}`, { survival_rate: one.survival_rate });
    }
  }

  const whenOf = (n: number, { firstDay }: History) =>
    `2026-02-${firstDay + n}T${n % 2 === 0 ? '10' : '21'}:00:00Z`;

  /** All that the interface answers of the batch and its ponds, without ids and times of entry. */
  async function everythingOf(farm: StockedFarm): Promise<unknown> {
    const { id } = farm.batch;
    const [of, at] = [`farm_id=${farm.farmId}`, `batch_id=${id}`];
    const answers = [];
    for (const path of [
      `/batches/${id}`,
      `/batches/?${of}`,
      `/batches/${id}/stats`,
      `/batches/${id}/growth-curve`,
      `/batches/${id}/growth-analysis`,
      `/batches/${id}/growth-chart`,
      `/batches/${id}/losses`,
      `/batches/${id}/harvests`,
      `/biometries/batch/${id}`,
      `/biometries/batch/${id}/summary`,
      `/feeding/batch/${id}`,
      `/feeding/batch/${id}/summary`,
      `/feeding/batch/${id}/recommendation`,
      `/transfers/batch/${id}`,
      `/transfers/batch/${id}/history`,
      `/financial/cost-per-kg/${id}`,
      `/financial/profitability/${id}?selling_price_per_kg=20`,
      `/financial/optimal-harvest/${id}?market_price_per_kg=20`,
      `/dashboard/overview?${of}`,
      `/dashboard/ponds?${of}`,
      `/dashboard/biomass-trend?${at}`,
      `/dashboard/growth-rates?${of}`,
      `/dashboard/survival-rates?${of}`,
      `/dashboard/feed-efficiency?${of}`,
      `/ponds/summary-cards?${of}`,
      ...farm.ponds.map((each) => `/ponds/${each.id}/summary-card`),
      `/exports/batch/${id}/summary`,
      `/exports/batch/${id}/report/csv`,
      `/exports/biometries/csv?${at}`,
    ]) {
      const reply = await ask(farm, 'GET', path);
      // of a batch that has ended nothing is recommended
      answers.push([path, reply.status, reply.body]);
    }
    const names = new Set(['numeric_id', 'created_at', 'updated_at', 'created_by', 'generated_at']);
    const known = new Map([
      [farm.farmId, 'farm'],
      [id, 'batch'],
      ...farm.ponds.map((each) => [each.id, each.cod] as const),
    ]);
    const text = JSON.stringify(answers, (key, value: unknown) =>
      names.has(key) || (/(^|_)id$/.test(key) && typeof value === 'number') ? undefined : value,
    ).replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      (uuid) => known.get(uuid) ?? 'uuid',
    );
    return JSON.parse(text.replaceAll(String(farm.batch.numeric_id), '0'));
  }

  it('and put right later is as if it had been told right at first, or is refused and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(stocked, stocked, history, async (wrong, right, given) => {
        const [mended, first] = [await aBatch(wrong), await aBatch(right)];
        let isPossible = true;
        for (const [n, one] of given.acts.entries()) {
          const at = whenOf(n, given);
          // what the wrong stocking refused was never written down
          if ((await enter(mended, one, at)).status >= 300) continue;
          isPossible &&= (await enter(first, one, at)).status < 300;
        }
        if (given.ending !== null) {
          await told(mended, 'POST', `/batches/${mended.batch.id}/finish`, given.ending);
          await told(first, 'POST', `/batches/${first.batch.id}/finish`, given.ending);
        }
        const before = await everythingOf(mended);
        const reply = await ask(mended, 'PUT', `/batches/${mended.batch.id}`, right);
        if (!isPossible) {
          expect(reply).toMatchObject({ status: 409, body: { record: { id: expect.any(String) } } });
          expect(await everythingOf(mended)).toEqual(before);
          return;
        }
        expect(reply.status, JSON.stringify(reply.body)).toBe(200);
        expect(await everythingOf(mended)).toEqual(await everythingOf(first));
        const undone = await ask(mended, 'PUT', `/batches/${mended.batch.id}`, wrong);
        expect(undone.status, JSON.stringify(undone.body)).toBe(200);
        expect(await everythingOf(mended)).toEqual(before);
      }),
      runs,
    );
  });

  it('dead that were weighed, and moves without a weight of their own, follow the weight at the stocking', async () => {
    const farm = await aBatch({ initial_count: 100_000, initial_avg_weight: 3 });
    await enter(farm, { do: 'lose', pond: null, told: { dead_weight_kg: 3 } }, '2026-02-15T10:00:00Z');
    await enter(farm, { do: 'move', from: 0, to: 1, quantity: 500 }, '2026-02-16T10:00:00Z');
    await told(farm, 'PUT', `/batches/${farm.batch.id}`, { initial_avg_weight: 0.3 });
    expect(await told(farm, 'GET', `/batches/${farm.batch.id}/losses`)).toMatchObject([
      { dead_count: 10_000, dead_weight_kg: 3 },
    ]);
    expect(await told(farm, 'GET', `/batches/${farm.batch.id}`)).toMatchObject({
      current_population: 70_000,
    });
    expect(await told(farm, 'GET', `/transfers/batch/${farm.batch.id}`)).toMatchObject({
      items: [{ average_weight: 0.3 }],
    });
  });

  it('moves have the weight of what was weighed before them, once an earlier stocking lets that count', async () => {
    const farm = await aBatch({ initial_avg_weight: 0.003, start_date: '2026-02-13' });
    const weighed = { do: 'weigh', pond: null, sample_size: 30, total_weight_g: 30 } as const;
    await enter(farm, weighed, '2026-02-12T10:00:00Z');
    await enter(farm, { do: 'move', from: 0, to: 1, quantity: 1 }, '2026-02-13T21:00:00Z');
    const moved = async () => {
      const { items } = body(await ask(farm, 'GET', `/transfers/batch/${farm.batch.id}`));
      return (items as { average_weight: number }[]).map(({ average_weight }) => average_weight);
    };
    expect(await moved()).toEqual([0.003]);
    await told(farm, 'PUT', `/batches/${farm.batch.id}`, { start_date: '2026-01-15' });
    expect(await moved()).toEqual([1]);
    await told(farm, 'PUT', `/batches/${farm.batch.id}`, { start_date: '2026-02-13' });
    expect(await moved()).toEqual([0.003]);
  });

  it('is refused with the earliest record that would come to lie before the stocking, and changes nothing', async () => {
    const farm = await aBatch({ initial_count: 100_000, start_date: '2026-02-01' });
    const path = `/batches/${farm.batch.id}`;
    const meal = { do: 'feed', quantity_kg: 3, cost_per_kg: 5 } as const;
    const fed = body(await enter(farm, meal, '2026-02-12T03:30:00Z'));
    const before = await everythingOf(farm);
    const put = (sent: unknown) => ask(farm, 'PUT', path, sent);
    expect(await put({ start_date: '2026-02-13', notes: 'x' })).toMatchObject({
      status: 409,
      body: {
        code: 'RECORD_BEFORE_START',
        detail: expect.stringContaining('a feeding'),
        record: { kind: 'FEEDING', id: fed['id'], at: '2026-02-12T03:30:00.000Z' },
      },
    });
    // 0:30 of that day on the farm
    await told(farm, 'PUT', path, { start_date: '2026-02-12' });
    expect(await put({ start_date: '2026-06-02' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'start_date', code: 'TOO_FAR_AHEAD' }] },
    });
    expect(await put({ expected_harvest_date: '2026-02-11' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'expected_harvest_date', code: 'BEFORE_BATCH_START' }] },
    });
    await told(farm, 'PUT', path, { start_date: '2026-02-01' });
    expect(await everythingOf(farm)).toEqual(before);
    for (const wrong of [
      { initial_count: 0 },
      { initial_count: -5 },
      { initial_count: 1.5 },
      { initial_count: null },
      { start_date: 'ontem' },
      { start_date: '1999-12-31' },
      { species: '' },
      { species: null },
      { initial_avg_weight: 0 },
    ])
      expect((await put(wrong)).status, JSON.stringify(wrong)).toBe(422);
    expect(await everythingOf(farm)).toEqual(before);
  });

  it('leaves a weighing before the stocking where it is, tells of it, and can be undone', async () => {
    const farm = await aBatch({ start_date: '2026-02-11' });
    const path = `/batches/${farm.batch.id}`;
    const weighing = { do: 'weigh', pond: null, sample_size: 30, total_weight_g: 60 } as const;
    await enter(farm, weighing, '2026-02-10T10:00:00Z');
    const before = await everythingOf(farm);
    const put = async (start_date: string) => body(await ask(farm, 'PUT', path, { start_date }))['warnings'];
    expect(await put('2026-02-01')).not.toContainEqual(
      expect.objectContaining({ code: 'WEIGHED_BEFORE_START' }),
    );
    expect(await put('2026-02-11')).toContainEqual({
      code: 'WEIGHED_BEFORE_START',
      message: expect.stringContaining('1 biometria fica antes do povoamento, em 11/02/2026'),
    });
    expect(await everythingOf(farm)).toEqual(before);
  });

  it('is refused with the first move or loss that would no longer find its animals', async () => {
    const farm = await aBatch({ initial_count: 100_000 });
    await enter(farm, { do: 'move', from: 0, to: 1, quantity: 500 }, '2026-02-15T10:00:00Z');
    const lost = body(
      await enter(farm, { do: 'lose', pond: 1, told: { dead_count: 400 } }, '2026-02-16T10:00:00Z'),
    );
    await enter(farm, { do: 'move', from: 0, to: 2, quantity: 30_000 }, '2026-02-17T10:00:00Z');
    const put = (initial_count: number) => ask(farm, 'PUT', `/batches/${farm.batch.id}`, { initial_count });
    expect(await put(20_000)).toMatchObject({
      status: 409,
      body: {
        code: 'NOT_ENOUGH_ANIMALS',
        record: { kind: 'TRANSFER', at: '2026-02-17T10:00:00.000Z', quantity: 30_000 },
      },
    });
    expect(await put(100)).toMatchObject({ body: { record: { kind: 'TRANSFER', quantity: 500 } } });
    const first = body(await ask(farm, 'GET', `/transfers/batch/${farm.batch.id}?skip=1`));
    const [{ uuid }] = first['items'] as [{ uuid: string }];
    await told(farm, 'PUT', `/transfers/${uuid}`, { quantity: 401 });
    expect(await put(100_000)).toMatchObject({ status: 200 });
    expect(lost['id']).toBeDefined();
  });

  it('and told by a program before this one as a share of the stocked keeps the count of the final harvest', async () => {
    const farm = await aBatch({ initial_count: 100_000, start_date: '2026-02-01' });
    const { commit } = app.kernel;
    const at = '2026-03-02T11:00:00.000Z';
    const row = {
      id: app.kernel.newId(),
      batch_id: farm.batch.id,
      kind: 'ABSOLUTE' as const,
      value: 9.5,
      pond_id: null,
      animals: null,
      weight_kg: null,
      pond_share: null,
      cause: null,
      corrects: null,
      changed_at: at,
      description: 'harvest',
      created_by: null,
      clock_quality: 'trusted' as const,
      created_at: at,
    };
    await told(farm, 'POST', `/batches/${farm.batch.id}/finish`, { final_weight_kg: 114 });
    await commit({ actor: null, changes: [insert(survivalChange, row)] });
    const standing = () => told(farm, 'GET', `/batches/${farm.batch.id}`);
    expect(await standing()).toMatchObject({ final_count: 9_500, survival_rate: 9.5 });
    await told(farm, 'PUT', `/batches/${farm.batch.id}`, { initial_count: 10_000 });
    expect(await standing()).toMatchObject({ final_count: 9_500, survival_rate: 95 });
    const few = await told(farm, 'PUT', `/batches/${farm.batch.id}`, { initial_count: 5_000 });
    expect(few['warnings']).toMatchObject([
      { code: 'DENSITY_DIFFERS' },
      { code: 'IMPLIED_SURVIVAL_ABOVE_100' },
    ]);
    await told(farm, 'PUT', `/batches/${farm.batch.id}`, { initial_count: 20_000 });
    expect(await standing()).toMatchObject({ final_count: 9_500, survival_rate: 47.5 });
  });

  it('is corrected by managers alone, leaves an entry of what stood before, and what was read and is sent back changes nothing', async () => {
    const farm = await aBatch({ initial_count: 100_000 });
    const path = `/batches/${farm.batch.id}`;
    for (const [role, status] of [
      ['MANAGER', 200],
      ['TECHNICIAN', 403],
      ['OPERATOR', 403],
      ['VIEWER', 403],
    ] as const) {
      const other = await app.signUp({ role: 'VIEWER' });
      await joinFarm(app, { token: farm.token, farmId: farm.farmId }, other, role);
      const sent = { species: `Penaeus ${role}` };
      expect((await app.call('PUT', path, { token: other.token, body: sent })).status, role).toBe(status);
    }
    await told(farm, 'PUT', path, { initial_count: 123_456, initial_density: 41.2 });
    const entries = await app.database.read
      .selectFrom('logs')
      .select('details')
      .where('entity_id', '=', farm.batch.id)
      .where('action', '=', 'update')
      .execute();
    expect(JSON.stringify(entries)).toMatch(/before.*100000.*after.*123456/);
    // a third of them died: the rate has more decimals than are shown
    await told(farm, 'POST', `${path}/adjust-survival`, { event_description: 'x', dead_count: 33_333 });
    const read = await ask(farm, 'GET', path);
    const again = await ask(farm, 'PUT', path, read.body);
    expect(again.body).toMatchObject({ warnings: [] });
    expect((await ask(farm, 'GET', path)).body).toEqual(read.body);
    expect(body(again)['updated_at']).toBe(body(read)['updated_at']);
  });
});
