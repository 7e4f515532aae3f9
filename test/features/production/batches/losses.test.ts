import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { sendFile } from '#test/import-file.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Dead shrimp are written down on the day they died or weeks later, rightly or wrongly; the books of the batch must not tell
// the difference. The clock of the tests stands at 2 March, noon UTC.

const two = (n: number) => String(n).padStart(2, '0');
const dayAt = (day: number, hour: number) => `2026-02-${two(day)}T${two(hour)}:00:00.000Z`;

onBothEngines('losses of a batch', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  const runs = { numRuns: engine === 'sqlite' ? 12 : 4 };
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const pond = (n: number) => farm.ponds[n]?.id ?? '';
  const send = (method: string, path: string, sent?: unknown, headers?: Record<string, string>) =>
    app.call(method, path, { token: farm.token, body: sent, ...(headers === undefined ? {} : { headers }) });
  const call = async (method: string, path: string, sent?: unknown) => {
    const reply = await send(method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  };
  /** 80,000 alive since 1 February; on 10 February half of them were moved to the second pond. */
  async function aBatch() {
    const { id } = await aBatchIn(
      app,
      { farmId: farm.farmId, ownerId: farm.userId, pondId: pond(0) },
      {
        batch_code: crypto.randomUUID(),
        initial_count: 100_000,
        initial_avg_weight: 1,
        start_date: '2026-02-01',
        estimated_survival_rate: 80,
      },
    );
    await call('POST', '/transfers/', {
      batch_id: id,
      source_pond_id: pond(0),
      destination_pond_id: pond(1),
      quantity: 40_000,
      transfer_date: dayAt(10, 10),
    });
    return id;
  }
  const lose = (id: string, sent: object) =>
    call('POST', `/batches/${id}/adjust-survival`, { event_description: 'Mortalidade', ...sent });
  const listed = async (id: string) =>
    (await call('GET', `/batches/${id}/losses`)) as unknown as Record<string, unknown>[];
  async function figuresOf(id: string) {
    const detail = await call('GET', `/batches/${id}`);
    const { survival_rate, current_population, current_biomass_kg, ponds } = detail;
    const stats = await call('GET', `/batches/${id}/stats`);
    const trend = await call('GET', `/dashboard/biomass-trend?batch_id=${id}`);
    const line = ((await call('GET', '/batches/?limit=1000')) as unknown as Record<string, unknown>[]).find(
      (each) => each['id'] === id,
    );
    return [
      { survival_rate, current_population, current_biomass_kg, ponds },
      stats['survival_rate'],
      trend['data_points'],
      line?.['survival_rate'],
    ];
  }

  it('are listed with day, pond, count, kilograms and share, the newest first', async () => {
    const id = await aBatch();
    const first = await lose(id, { dead_count: 500, pond_id: pond(1), lost_at: dayAt(12, 9) });
    const second = await lose(id, { severity: 0.1, date: '2026-02-20' });
    const third = await lose(id, { dead_weight_kg: 3, event_description: 'Falta de energia' });
    expect(first).toMatchObject({ dead_count: 500, current_population: 39_500, lost_at: dayAt(12, 9) });
    expect(second).toMatchObject({ lost_at: '2026-02-20T03:00:00.000Z', dead_count: 7_950 });
    expect(await listed(id)).toMatchObject([
      { id: third['id'], told_as: 'dead_weight_kg', dead_weight_kg: 3, dead_count: 3_000, pond_id: null },
      { id: second['id'], told_as: 'severity', severity: 0.1, dead_count: 7_950, dead_weight_kg: null },
      { id: first['id'], told_as: 'dead_count', dead_count: 500, severity: 0.0125, pond_id: pond(1) },
    ]);
    const one = await send('GET', `/batches/${id}/losses/${String(third['id'])}`);
    expect(one).toMatchObject({ status: 200, body: { event_description: 'Falta de energia' } });
    expect(one.headers.get('etag')).not.toBe(null);
  });

  it('told weeks later are as those told on their day, in whatever order', async () => {
    const loss = fc
      .record({
        day: fc.integer({ min: 11, max: 26 }),
        how: fc.constantFrom('severity', 'dead_count', 'dead_weight_kg'),
        size: fc.integer({ min: 1, max: 60 }),
        place: fc.constantFrom(0, 1, null),
      })
      .map(({ day, how, size, place }) => ({
        day,
        sent: {
          ...(place === null ? {} : { pond_id: place }),
          [how]: how === 'severity' ? size / 200 : how === 'dead_count' ? size * 25 : size / 10,
        } as Record<string, unknown>,
      }));
    const losses = fc.uniqueArray(loss, { minLength: 2, maxLength: 4, selector: ({ day }) => day });
    const placed = ({ pond_id, ...sent }: Record<string, unknown>) => ({
      ...sent,
      ...(pond_id === undefined ? {} : { pond_id: pond(Number(pond_id)) }),
    });
    await fc.assert(
      fc.asyncProperty(losses, fc.infiniteStream(fc.nat(100)), async (told, keys) => {
        const inOrder = told.toSorted((a, b) => a.day - b.day);
        const shuffled = told
          .map((each) => [keys.next().value ?? 0, each] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, each]) => each);
        const [then, later] = [await aBatch(), await aBatch()];
        for (const { day, sent } of inOrder) await lose(then, { ...placed(sent), lost_at: dayAt(day, 12) });
        for (const { day, sent } of shuffled) await lose(later, { ...placed(sent), lost_at: dayAt(day, 12) });
        expect(await figuresOf(later)).toEqual(await figuresOf(then));
        const ofLosses = async (id: string) =>
          (await listed(id)).map(({ id: _id, batch_id: _batch, created_at: _at, ...rest }) => rest);
        expect(await ofLosses(later)).toEqual(await ofLosses(then));
      }),
      runs,
    );
  });

  it('told by weight, and moves without a weight, are as those told after the weighings that lie before them', async () => {
    const day = fc.integer({ min: 11, max: 26 });
    const place = fc.constantFrom(0, 1);
    const act = fc.oneof(
      fc.record({
        is: fc.constant('weighed'),
        day,
        grams: fc.integer({ min: 2, max: 20 }),
        place: fc.constant(null),
      }),
      fc.record({ is: fc.constant('weighed'), day, grams: fc.integer({ min: 2, max: 20 }), place }),
      fc.record({
        is: fc.constant('lost'),
        day,
        grams: fc.integer({ min: 100, max: 6_000 }),
        place: fc.constantFrom(0, 1, null),
      }),
      fc.record({ is: fc.constant('counted'), day, grams: fc.integer({ min: 100, max: 9_000 }), place }),
      fc.record({ is: fc.constant('moved'), day, grams: fc.constant(0), place: fc.constant(0) }),
    );
    const acts = fc.uniqueArray(act, { minLength: 2, maxLength: 6, selector: (each) => each.day });
    const enter = (
      id: string,
      { is, day: on, grams, place: n }: typeof act extends fc.Arbitrary<infer Act> ? Act : never,
    ) => {
      const pond_id = n === null ? null : pond(n);
      const at = dayAt(on, 12);
      if (is === 'lost') return lose(id, { dead_weight_kg: grams / 1000, pond_id, lost_at: at });
      if (is === 'counted') return lose(id, { dead_count: grams, pond_id, lost_at: at });
      if (is === 'weighed')
        return call('POST', '/biometries/', {
          batch_id: id,
          pond_id,
          sample_size: 100,
          total_weight_g: grams * 100,
          measurement_date: at,
        });
      return call('POST', '/transfers/', {
        batch_id: id,
        source_pond_id: pond(0),
        destination_pond_id: pond(1),
        quantity: 10,
        transfer_date: at,
      });
    };
    const weightsOf = async (id: string) => {
      const { items } = await call('GET', `/transfers/batch/${id}`);
      const moves = items as { transfer_date: string; average_weight: number }[];
      const died = (await listed(id)).map(({ lost_at, dead_count }) => [lost_at, dead_count]);
      return [died, moves.map(({ transfer_date, average_weight }) => [transfer_date, average_weight])];
    };
    await fc.assert(
      fc.asyncProperty(acts, async (told) => {
        const [then, later] = [await aBatch(), await aBatch()];
        for (const each of told.toSorted((a, b) => a.day - b.day)) await enter(then, each);
        for (const each of told) await enter(later, each);
        expect(await figuresOf(later)).toEqual(await figuresOf(then));
        expect(await weightsOf(later)).toEqual(await weightsOf(then));
      }),
      {
        ...runs,
        // the mean weight of pond 0 was 6.000000000000001 g after the loss, and the move no longer as weighed
        examples: [
          [
            [
              { is: 'moved', day: 14, grams: 0, place: 0 } as const,
              { is: 'weighed', day: 12, grams: 6, place: 1 },
              { is: 'lost', day: 13, grams: 100, place: 0 },
              { is: 'weighed', day: 11, grams: 2, place: null },
            ],
          ],
          // ponds weigh apart, and what died of one before decides what those of the batch weighed
          [
            [
              { is: 'weighed', day: 12, grams: 4, place: 0 } as const,
              { is: 'weighed', day: 13, grams: 8, place: 1 },
              { is: 'lost', day: 15, grams: 6_000, place: null },
              { is: 'counted', day: 14, grams: 9_000, place: 1 },
            ],
          ],
        ],
      },
    );
  });

  const weigh = (id: string, grams: number, sent: object = {}) => ({
    batch_id: id,
    sample_size: 100,
    total_weight_g: grams * 100,
    measurement_date: dayAt(11, 12),
    ...sent,
  });

  it('stay as they were told where a weighing entered later would have killed more than lived, and it says so', async () => {
    const id = await aBatch();
    await call('POST', '/biometries/', weigh(id, 10));
    await lose(id, { dead_weight_kg: 300, pond_id: pond(1), lost_at: dayAt(12, 9) });
    const late = await call('POST', '/biometries/', weigh(id, 2, { measurement_date: dayAt(12, 8) }));
    expect(late['warnings']).toMatchObject([{ code: 'WEIGHT_FELL_BY_HALF' }, { code: 'LOSSES_STAND' }]);
    expect(await listed(id)).toMatchObject([{ dead_weight_kg: 300, dead_count: 30_000 }]);
    const right = await call('PUT', `/biometries/${late['id']}`, { total_weight_g: 1_200 });
    expect(right['warnings']).toEqual([]);
    expect(await listed(id)).toMatchObject([{ dead_weight_kg: 300, dead_count: 25_000 }]);
  });

  it('told by weight are counted by the weighings of a file as by those entered by hand, and by none that is taken away', async () => {
    const id = await aBatch();
    const { batch_code } = await call('GET', `/batches/${id}`);
    await call('POST', '/biometries/', weigh(id, 10, { measurement_date: dayAt(11, 0) }));
    await lose(id, { dead_weight_kg: 30, pond_id: pond(1), lost_at: dayAt(14, 9) });
    const moved = { batch_id: id, source_pond_id: pond(0), destination_pond_id: pond(1), quantity: 10 };
    await call('POST', '/transfers/', { ...moved, transfer_date: dayAt(14, 10) });
    const told = async () => {
      const { items } = await call('GET', `/transfers/batch/${id}`);
      return [
        (await listed(id))[0]?.['dead_count'],
        (items as { average_weight: number }[])
          .map(({ average_weight }) => average_weight)
          .toSorted((a, b) => a - b),
      ];
    };
    expect(await told()).toEqual([3_000, [1, 10]]);
    const reply = await sendFile(app, farm, 'biometries', {
      file: `lote;data;amostra;peso_total_g\n${String(batch_code)};12/02/2026;100;1100\n${String(batch_code)};13/02/2026;100;1200\n`,
      query: '&dry_run=false&background=true',
    });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 202 });
    const path = `/imports/${(reply.body as { id: string }).id}`;
    const state = async () => (await call('GET', path))['state'];
    await expect.poll(state).toBe('DONE');
    expect(await told()).toEqual([2_500, [1, 12]]);
    await call('POST', `${path}/undo`);
    await expect.poll(state).toBe('UNDONE');
    expect(await told()).toEqual([3_000, [1, 10]]);
  });

  it('deleted are as if never told, corrected as if told right, and the log keeps both', async () => {
    const [never, deleted, right, mended] = [await aBatch(), await aBatch(), await aBatch(), await aBatch()];
    const other = { dead_count: 1_000, lost_at: dayAt(20, 9) };
    const truth = { severity: 0.25, pond_id: pond(0), lost_at: dayAt(13, 9) };
    const wrong = { dead_count: 3_000, pond_id: pond(1), lost_at: dayAt(12, 9) };
    const gone = await lose(deleted, wrong);
    const bad = await lose(mended, wrong);
    await lose(right, truth);
    for (const id of [never, deleted, right, mended]) await lose(id, other);
    const at = `/batches/${deleted}/losses/${String(gone['id'])}`;
    expect((await send('DELETE', at)).status).toBe(204);
    expect((await send('GET', at)).status).toBe(404);
    expect((await send('DELETE', at)).status).toBe(404);
    expect(await figuresOf(deleted)).toEqual(await figuresOf(never));
    const changed = await call('PUT', `/batches/${mended}/losses/${String(bad['id'])}`, truth);
    expect(changed).toMatchObject({ id: bad['id'], severity: 0.25, dead_count: 10_000, pond_id: pond(0) });
    expect(changed['updated_at']).not.toBe(null);
    expect(await figuresOf(mended)).toEqual(await figuresOf(right));
    expect(await listed(mended)).toHaveLength(2);
    const log = await call('GET', `/logs/ponds/${pond(0)}?limit=100`);
    const entry = (action: string, id: unknown) =>
      (log as unknown as Record<string, unknown>[]).find(
        (each) => each['action'] === action && each['entity_id'] === id,
      )?.['details'];
    expect(entry('update', bad['id'])).toMatchObject({
      record: 'loss',
      before: { dead_count: 3_000, pond_id: pond(1), lost_at: dayAt(12, 9) },
      after: { severity: 0.25, pond_id: pond(0), lost_at: dayAt(13, 9) },
    });
    expect(entry('delete', gone['id'])).toMatchObject({ record: 'loss', before: { dead_count: 3_000 } });
  });

  it('are corrected and deleted after the harvest, too', async () => {
    const id = await aBatch();
    const told = await lose(id, { dead_count: 8_000, lost_at: dayAt(20, 9) });
    await call('POST', `/batches/${id}/finish`, {});
    const path = `/batches/${id}/losses/${String(told['id'])}`;
    await call('PUT', path, { dead_count: 4_000 });
    expect(await call('GET', `/batches/${id}`)).toMatchObject({ survival_rate: 76 });
    expect((await send('DELETE', path)).status).toBe(204);
    expect(await call('GET', `/batches/${id}`)).toMatchObject({ survival_rate: 80 });
  });

  it('before the stocking, ahead of now, of more than lived, or of animals moved afterwards are refused', async () => {
    const id = await aBatch();
    const path = `/batches/${id}/adjust-survival`;
    const dead = (sent: object) => send('POST', path, { event_description: 'x', ...sent });
    for (const [sent, status, code] of [
      [{ severity: 0.1, lost_at: '2026-01-31T12:00:00Z' }, 422, 'BEFORE_BATCH_START'],
      [{ severity: 0.1, lost_at: '2026-03-02T12:30:00Z' }, 422, 'IN_THE_FUTURE'],
      [{ dead_count: 1, pond_id: pond(1), lost_at: dayAt(10, 9) }, 422, 'NOT_IN_POND'],
      [{ dead_count: 40_001, pond_id: pond(1), lost_at: dayAt(11, 9) }, 422, 'MORE_THAN_ALIVE'],
    ] as const)
      expect(await dead(sent)).toMatchObject({ status, body: { errors: [{ code }] } });
    // 40,000 were moved on the tenth
    expect(await dead({ dead_count: 50_000, lost_at: dayAt(9, 9) })).toMatchObject({
      status: 409,
      body: { code: 'NOT_ENOUGH_ANIMALS', available: 30_000 },
    });
    expect((await figuresOf(id))[0]).toMatchObject({ survival_rate: 80 });
  });

  it('before a survival that was set say that this stands', async () => {
    const id = await aBatch();
    await call('PUT', `/batches/${id}`, { survival_rate: 70 });
    const told = await lose(id, { severity: 0.5, lost_at: dayAt(20, 9) });
    expect(told).toMatchObject({
      old_survival_rate: 70,
      new_survival_rate: 70,
      warnings: [{ code: 'SURVIVAL_SET_AFTERWARDS' }],
    });
  });

  it('are changed by their version once, and an empty change changes nothing', async () => {
    const id = await aBatch();
    const { id: lossId } = await lose(id, { severity: 0.1, pond_id: pond(1) });
    const path = `/batches/${id}/losses/${String(lossId)}`;
    const first = await send('GET', path);
    const tag = first.headers.get('etag') ?? '';
    expect((await send('PUT', path, {})).body).toMatchObject({ updated_at: null });
    expect((await send('PUT', path, { severity: 0.1 })).body).toMatchObject({ updated_at: null });
    const both = await Promise.all(
      [0.2, 0.3].map((severity) => send('PUT', path, { severity }, { 'If-Match': tag })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    expect(await send('PUT', path, { severity: 0.1, dead_count: 5 })).toMatchObject({ status: 422 });
    const elsewhere = await aBatch();
    expect((await send('GET', `/batches/${elsewhere}/losses/${String(lossId)}`)).status).toBe(404);
  });

  it('of an operator are the operator’s to correct and delete, those of others are not', async () => {
    const operator = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, { token: farm.token, farmId: farm.farmId }, operator, 'OPERATOR');
    const id = await aBatch();
    const asOperator = (method: string, path: string, sent?: unknown) =>
      app.call(method, path, { token: operator.token, body: sent });
    const own = body(
      await asOperator('POST', `/batches/${id}/adjust-survival`, { event_description: 'x', severity: 0.01 }),
    )['id'];
    const others = (await lose(id, { severity: 0.01 }))['id'];
    for (const [loss, changing, deleting] of [
      [others, 403, 403],
      [own, 200, 204],
    ]) {
      const path = `/batches/${id}/losses/${String(loss)}`;
      expect((await asOperator('PUT', path, { severity: 0.02 })).status).toBe(changing);
      expect((await asOperator('DELETE', path)).status).toBe(deleting);
    }
  });

  it('says what animals died of, as far as the farm can tell, and sums it up by cause', async () => {
    const id = await aBatch();
    await lose(id, { dead_count: 300, cause: 'DISEASE', lost_at: dayAt(12, 8) });
    const weighed = await lose(id, { dead_weight_kg: 2, cause: 'LOW_OXYGEN', lost_at: dayAt(13, 8) });
    await lose(id, { dead_count: 50, lost_at: dayAt(14, 8) });
    const causes = async () => (await listed(id)).map(({ cause }) => cause);
    // what nobody said is not another cause
    expect(await causes()).toEqual([null, 'LOW_OXYGEN', 'DISEASE']);
    expect(weighed).toMatchObject({ cause: 'LOW_OXYGEN' });

    const mortality = () => call('GET', `/batches/${id}/mortality`);
    const byCause = (await mortality()) as { by_cause: { cause: string | null; dead_count: number }[] };
    expect(byCause).toMatchObject({ losses: 3, dead_weight_kg: 2, not_weighed: 2 });
    expect(byCause.by_cause.find(({ cause }) => cause === 'DISEASE')).toEqual({
      cause: 'DISEASE',
      losses: 1,
      dead_count: 300,
      dead_weight_kg: null,
      not_weighed: 1,
    });
    expect(byCause.by_cause.map(({ dead_count }) => dead_count).toSorted((a, b) => b - a)).toEqual(
      byCause.by_cause.map(({ dead_count }) => dead_count),
    );

    const [unexplained] = await listed(id);
    const path = `/batches/${id}/losses/${String(unexplained?.['id'])}`;
    await call('PUT', path, { cause: 'PREDATORS' });
    expect(await causes()).toEqual(['PREDATORS', 'LOW_OXYGEN', 'DISEASE']);
    // another correction leaves it, and it can be taken back
    await call('PUT', path, { dead_count: 60 });
    expect(await causes()).toEqual(['PREDATORS', 'LOW_OXYGEN', 'DISEASE']);
    await call('PUT', path, { cause: null });
    expect(await mortality()).toMatchObject({ losses: 3 });
    expect(await causes()).toEqual([null, 'LOW_OXYGEN', 'DISEASE']);
    const wrong = await send('POST', `/batches/${id}/adjust-survival`, {
      event_description: 'x',
      dead_count: 1,
      cause: 'BAD_LUCK',
    });
    expect(wrong.status).toBe(422);
  });

  it('leaves as a file, oldest first, and says where nobody knows the cause', async () => {
    const id = await aBatch();
    await lose(id, { dead_count: 300, cause: 'DISEASE', pond_id: pond(0), lost_at: dayAt(12, 8) });
    await lose(id, { dead_weight_kg: 2.5, lost_at: dayAt(13, 8) });
    await lose(id, { dead_count: 5, cause: 'MOLTING', lost_at: dayAt(20, 8) });
    const query = `batch_id=${id}&start_date=2026-02-10&end_date=2026-02-13`;
    const file = await send('GET', `/exports/losses/csv?${query}`);
    const [head, ...lines] = String(file.body).trim().split('\r\n');
    expect(head).toBe('date,time,pond,cause,dead_count,dead_weight_kg,share,description');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^2026-02-12,05:00:00,[^,]+,DISEASE,300,,/);
    expect(lines[1]).toMatch(/^2026-02-13,05:00:00,,UNKNOWN,\d+,2\.5,/);
  });
});
