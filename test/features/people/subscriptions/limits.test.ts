import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeRow } from '#adapters/sql/tables.ts';
import { PLAN_TERMS } from '#contract/plans.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { pond as aPond } from '#contract/resources/ponds.ts';
import { type MemberRole, PLANS, type Plan } from '#contract/words.ts';
import { insert } from '#core/changes.ts';
import { aBatch, stocking } from '#test/a-batch.ts';
import { anOwner, setSubscription, tidingsOf } from '#test/an-owner.ts';
import { type App, aControlPoint, body, type Reply, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created, writesOf } from '#test/staffed-farm.ts';
import { aPartOf } from '#test/turn.ts';

const DAY_MS = 86_400_000;
const reached = (resource: string, current: number, max: number) => ({
  status: 403,
  body: { code: 'SUBSCRIPTION_LIMIT_REACHED', detail: expect.any(String), resource, current, max },
});

onBothEngines('the limits of a plan', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const farm = (token: string, name = 'Norte') => app.call('POST', '/farms/', { token, body: { name } });
  const pond = (token: string, farmId: string, cod = 'V-1') =>
    app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod } });
  const stock = (token: string, pondId: string) =>
    app.call('POST', '/batches/', { token, body: stocking(pondId) });
  const move = (token: string, batchId: string, [from, to]: [string, string], quantity: number) =>
    app.call('POST', '/transfers/', {
      token,
      body: { batch_id: batchId, source_pond_id: from, destination_pond_id: to, quantity },
    });
  const idsOf = (replies: Promise<Reply>[]) => Promise.all(replies.map(created));

  /** A refused request says so and leaves nothing behind. */
  async function refused(ask: () => Promise<Reply>): Promise<Reply> {
    const before = await writesOf(app);
    const reply = await ask();
    expect([reply.status < 400, (await writesOf(app)) - before]).toEqual([false, 0]);
    return reply;
  }

  describe.each(PLANS)('%s', (plan: Plan) => {
    const { limits, features } = PLAN_TERMS[plan];
    const bounded = limits.max_farms > 0;

    /** As many as the plan allows, or more than the plan below allows. */
    async function fill(max: number, unlimited: number, make: (n: number) => Promise<Reply>) {
      for (let n = 0; n < (max > 0 ? max : unlimited); n += 1) await created(make(n));
    }

    test('so many farms', async () => {
      const { token } = await anOwner(app, { plan });
      await fill(limits.max_farms, 12, () => farm(token));
      if (!bounded) return;
      expect(await refused(() => farm(token))).toMatchObject(
        reached('farms', limits.max_farms, limits.max_farms),
      );
    });

    test('so many ponds on a farm', async () => {
      const { token } = await anOwner(app, { plan });
      const farmId = await created(farm(token));
      await fill(limits.max_ponds_per_farm, 52, (n) => pond(token, farmId, `V-${n}`));
      if (!bounded) return;
      const most = limits.max_ponds_per_farm;
      expect(await refused(() => pond(token, farmId, 'one more'))).toMatchObject(
        reached('ponds', most, most),
      );
    });

    test('so many batches in a pond', async () => {
      const { token } = await anOwner(app, { plan });
      const pondId = await created(pond(token, await created(farm(token))));
      await fill(limits.max_batches_per_pond, 6, () => stock(token, pondId));
      if (!bounded) return;
      const most = limits.max_batches_per_pond;
      expect(await refused(() => stock(token, pondId))).toMatchObject(reached('active_batches', most, most));
    });

    test('exports where the plan has them', async () => {
      const { token } = await anOwner(app, { plan });
      const pondId = await created(pond(token, await created(farm(token))));
      const batchId = await created(stock(token, pondId));
      const paths = [
        `/exports/biometries/csv?batch_id=${batchId}`,
        `/exports/batch/${batchId}/report/csv`,
        `/exports/batch/${batchId}/report`,
      ];
      for (const path of paths) {
        expect(await app.call('GET', path, { token })).toMatchObject(
          features.export_data
            ? { status: 200 }
            : { status: 403, body: { code: 'FEATURE_NOT_AVAILABLE', detail: expect.any(String) } },
        );
      }
    });
  });

  describe('who works on the farm', () => {
    const ROLES = ['OWNER', 'MANAGER', 'TECHNICIAN', 'VIEWER', 'stranger'] as const;
    const CREATES: ReadonlySet<string> = new Set(['OWNER', 'MANAGER']);
    const overdue = { status: 'PAST_DUE', past_due_since: '2026-01-01T00:00:00.000Z' } as const;
    const LIMIT = 'SUBSCRIPTION_LIMIT_REACHED';
    /** Of the farm's owner, and what is answered to a second, third and fourth pond and a second batch. */
    const OWNED = [
      ['FREE', { plan: 'FREE' }, [201, 201, LIMIT, LIMIT]],
      ['BASIC', { plan: 'BASIC' }, [201, 201, 201, 201]],
      ['PROFESSIONAL', { plan: 'PROFESSIONAL' }, [201, 201, 201, 201]],
      ['a cancelled BASIC', { plan: 'BASIC', status: 'CANCELED' }, Array(4).fill('SUBSCRIPTION_CANCELED')],
      ['an overdue PROFESSIONAL', { plan: 'PROFESSIONAL', ...overdue }, Array(4).fill('PAYMENT_REQUIRED')],
    ] as const;

    const callers = OWNED.flatMap(([words, ...owned]) =>
      ROLES.map((role) => [words, role, ...owned] as const),
    );
    test.each(engine === 'sqlite' ? callers : aPartOf(callers, 3))(
      'a farm of an owner with %s, asked by %s: the plan of its owner answers',
      async (_words, role, terms, answers) => {
        const owner = await anOwner(app, { plan: terms.plan });
        const farmId = await created(farm(owner.token));
        const pondId = await created(pond(owner.token, farmId));
        const batchId = await created(stock(owner.token, pondId));
        const before = await tidingsOf(app, owner.token);
        await setSubscription(app, owner.user.id, terms);
        // whatever plan one has oneself, the owner's counts
        const own: Plan = terms.plan === 'FREE' ? 'ENTERPRISE' : 'FREE';
        const caller = role === 'OWNER' ? owner : await anOwner(app, { plan: own });
        if (role !== 'OWNER' && role !== 'stranger') await join(farmId, caller.user.id, role);
        const first = await tidingsOf(app, caller.token);
        const exported = await app.call('GET', `/exports/biometries/csv?batch_id=${batchId}`, caller);
        const exports = terms.plan === 'FREE' ? 'FEATURE_NOT_AVAILABLE' : undefined;
        expect(body(exported)['code']).toBe(role === 'stranger' ? 'NOT_FOUND' : exports);
        const codeOf = (reply: Reply) => (reply.status === 201 ? 201 : body(reply)['code']);
        const codes: unknown[] = [];
        for (const cod of ['V-2', 'V-3', 'V-4']) codes.push(codeOf(await pond(caller.token, farmId, cod)));
        codes.push(codeOf(await stock(caller.token, pondId)));
        if (CREATES.has(role)) expect(codes).toEqual(answers);
        else expect(codes).not.toContain(201);
        // whoever creates, the farm's owner is the one to be told: of three ponds, or of two batches in one
        const isTold = CREATES.has(role) && ['FREE', 'BASIC'].includes(terms.plan) && !('status' in terms);
        expect((await tidingsOf(app, owner.token)).length - before.length).toBe(isTold ? 1 : 0);
        if (role !== 'OWNER') expect(await tidingsOf(app, caller.token)).toEqual(first);
      },
    );

    test('an administrator makes a farm for an owner within the plan of that owner', async () => {
      const admin = await app.signUp({ role: 'ADMIN' });
      const { user } = await anOwner(app, { plan: 'FREE' });
      const forOwner = () =>
        app.call('POST', `/farms/${user.id}`, { token: admin.token, body: { name: 'Leste' } });
      expect([(await forOwner()).status, await forOwner()]).toMatchObject([201, reached('farms', 1, 1)]);
    });

    async function join(farmId: string, userId: string, role: MemberRole): Promise<void> {
      const row = { id: app.kernel.newId(), farm_id: farmId, user_id: userId, role };
      await app.kernel.commit({
        actor: null,
        changes: [insert(farmMember, { ...row, created_at: '2026-03-01T12:00:00.000Z', updated_at: null })],
      });
    }
  });

  describe('a batch that comes into a pond', () => {
    async function twoPonds() {
      const owner = await anOwner(app, { plan: 'BASIC', max_batches_per_pond: 1 });
      const { token } = owner;
      const farmId = await created(farm(token));
      const [a = '', b = ''] = await idsOf([pond(token, farmId, 'A')]);
      const second = await created(pond(token, farmId, 'B'));
      return { ...owner, farmId, a, b: b || second };
    }

    test('finds room only where the limit leaves some', async () => {
      const { token, user, a, b } = await twoPonds();
      const first = await created(stock(token, a));
      await created(stock(token, b));
      expect(await refused(() => move(token, first, [a, b], 1_000))).toMatchObject(
        reached('active_batches', 1, 1),
      );
      await setSubscription(app, user.id, { max_batches_per_pond: 2 });
      expect(await move(token, first, [a, b], 1_000)).toMatchObject({ status: 201 });
      // it is there already: more of it are no further batch
      await setSubscription(app, user.id, { max_batches_per_pond: 1 });
      expect(await move(token, first, [a, b], 1_000)).toMatchObject({ status: 201 });
    });

    test('makes room where it came from, once all of it has gone', async () => {
      const { token, a, b } = await twoPonds();
      const first = await created(stock(token, a));
      await created(move(token, first, [a, b], 1_000));
      expect(await refused(() => stock(token, a))).toMatchObject(reached('active_batches', 1, 1));
      const { body: known } = await app.call('GET', `/batches/${first}`, { token });
      const { current_population: left } = known as { current_population: number };
      await created(move(token, first, [a, b], left - 1_000));
      expect(await stock(token, a)).toMatchObject({ status: 201 });
    });

    test('is not hindered by a lapsed plan: moving shrimp creates nothing', async () => {
      const { token, user, a, b } = await twoPonds();
      const first = await created(stock(token, a));
      await setSubscription(app, user.id, { status: 'CANCELED' });
      expect(await move(token, first, [a, b], 1_000)).toMatchObject({ status: 201 });
      expect(await refused(() => stock(token, b))).toMatchObject({
        body: { code: 'SUBSCRIPTION_CANCELED' },
      });
    });

    test('counts no more when it is finished', async () => {
      const { token, a } = await twoPonds();
      const first = await created(stock(token, a));
      await app.call('POST', `/batches/${first}/finish`, { token, body: {} });
      expect(await stock(token, a)).toMatchObject({ status: 201 });
    });

    test('also from a file: all that are ACTIVE count, those that have ended do not', async () => {
      const { token, user, farmId, a } = await twoPonds();
      const head =
        'pond,batch_code,species,lineage,larva_origin,start_date,initial_count,initial_avg_weight,initial_density,status,actual_harvest_date';
      const line = (code: string, end: string) =>
        `A,${code}-${a.slice(-6)},vannamei,SPF,Aracati,2026-01-01,1000,0.01,10,${end}`;
      const send = (...lines: string[]) =>
        app.call('POST', `/imports/batches?farm_id=${farmId}&dry_run=false`, {
          token,
          body: [head, ...lines].join('\r\n'),
          headers: { 'Content-Type': 'text/csv' },
        });
      expect(await refused(() => send(line('I1', 'ACTIVE,'), line('I2', 'ACTIVE,')))).toMatchObject(
        reached('active_batches', 0, 1),
      );
      expect(
        await send(
          line('I3', 'ACTIVE,'),
          line('I4', 'FINISHED,2026-02-01'),
          line('I5', 'FINISHED,2026-02-02'),
        ),
      ).toMatchObject({ status: 200, body: { imported: 3 } });
      await setSubscription(app, user.id, { max_batches_per_pond: 3 });
      expect(await send(line('I1', 'ACTIVE,'), line('I2', 'ACTIVE,'))).toMatchObject({
        body: { imported: 2 },
      });
    });
  });

  describe('a place that is full while others are not', () => {
    const limitsOf = async (token: string) =>
      body(await app.call('GET', '/subscriptions/me/limits', { token })) as {
        warnings: Record<string, unknown>[];
        can_create: Record<string, boolean>;
      };
    const lastTold = async (token: string) => (await tidingsOf(app, token)).at(-1);

    test('a farm: nothing can be created on it, it is told and warned of, and a second farm gives room', async () => {
      const { token } = await anOwner(app, { plan: 'BASIC', max_ponds_per_farm: 2 });
      const north = await created(farm(token));
      await created(pond(token, north, 'V-1'));
      expect(await limitsOf(token)).toMatchObject({ warnings: [], can_create: { pond: true } });
      await created(pond(token, north, 'V-2'));
      expect(await limitsOf(token)).toMatchObject({
        warnings: [
          {
            resource: 'ponds',
            current: 2,
            max: 2,
            farm_id: north,
            message: expect.stringContaining('A fazenda Norte tem 2 de 2'),
          },
        ],
        can_create: { farm: true, pond: false, batch: true },
      });
      expect(await lastTold(token)).toMatchObject({
        title: 'Limite do plano atingido: Norte',
        data: { event: 'limit_reached', resource: 'ponds', current: 2, max: 2, farm_id: north },
      });
      expect(await refused(() => pond(token, north, 'V-3'))).toMatchObject(reached('ponds', 2, 2));
      await created(farm(token, 'Sul'));
      expect((await limitsOf(token)).can_create).toEqual({ farm: true, pond: true, batch: true });
    });

    test('a farm whose own ponds come near the limit is told at 80 % and warned of above, once', async () => {
      const { token } = await anOwner(app, { plan: 'BASIC' });
      const north = await created(farm(token));
      const fill = async (from: number, to: number) => {
        for (let n = from; n <= to; n += 1) await created(pond(token, north, `V-${n}`));
      };
      await fill(1, 7);
      expect(await tidingsOf(app, token)).toEqual([]);
      await fill(8, 8);
      expect(await lastTold(token)).toMatchObject({
        title: '80% do limite do plano em uso: Norte',
        data: { event: 'usage_high', resource: 'ponds', current: 8, max: 10, farm_id: north },
      });
      expect((await limitsOf(token)).warnings).toEqual([]);
      await fill(9, 9);
      expect(await tidingsOf(app, token)).toHaveLength(1);
      expect(await limitsOf(token)).toMatchObject({
        warnings: [{ resource: 'ponds', current: 9, max: 10, farm_id: north }],
        can_create: { farm: true, pond: true, batch: true },
      });
    });

    test('a pond: as a farm, whether a batch begins in it or is moved there, until it has left', async () => {
      const { token } = await anOwner(app, { plan: 'BASIC', max_batches_per_pond: 1 });
      const farmId = await created(farm(token));
      const [a, b] = [await created(pond(token, farmId, 'A')), await created(pond(token, farmId, 'B'))];
      const first = await created(stock(token, a));
      const full = (pondId: string, cod: string) => ({
        title: `Limite do plano atingido: ${cod}`,
        data: { resource: 'active_batches', current: 1, max: 1, farm_id: farmId, pond_id: pondId },
      });
      expect(await lastTold(token)).toMatchObject(full(a, 'A'));
      expect(await limitsOf(token)).toMatchObject({
        warnings: [{ resource: 'active_batches', pond_id: a, farm_id: farmId }],
        can_create: { batch: true },
      });
      app.clock.advance(1_000);
      await created(move(token, first, [a, b], 1_000));
      expect(await lastTold(token)).toMatchObject(full(b, 'B'));
      const both = await limitsOf(token);
      expect([both.can_create['batch'], both.warnings.map((warning) => warning['pond_id'])]).toEqual([
        false,
        [a, b],
      ]);
      const told = (await tidingsOf(app, token)).length;
      const { body: known } = await app.call('GET', `/batches/${first}`, { token });
      const { current_population: population } = known as { current_population: number };
      await created(move(token, first, [a, b], population - 1_000));
      expect(await limitsOf(token)).toMatchObject({
        warnings: [{ pond_id: b }],
        can_create: { batch: true },
      });
      expect(await tidingsOf(app, token)).toHaveLength(told);
    });
  });

  describe('a plan that has lapsed', () => {
    test.each([
      ['CANCELED', {}, 403, 'SUBSCRIPTION_CANCELED'],
      ['PAST_DUE', { past_due_since: 15 }, 402, 'PAYMENT_REQUIRED'],
      ['PAST_DUE', { past_due_since: 13 }, 201, undefined],
      ['TRIALING', {}, 201, undefined],
      ['ACTIVE', {}, 201, undefined],
    ] as const)('%s %o: creating is answered %i %s, reading always', async (status, due, code, word) => {
      const owner = await anOwner(app, { plan: 'PROFESSIONAL' });
      const { token } = owner;
      const farmId = await created(farm(token));
      const pondId = await created(pond(token, farmId));
      const batchId = await created(stock(token, pondId));
      const since = 'past_due_since' in due ? app.clock.now() - due.past_due_since * DAY_MS : null;
      await setSubscription(app, owner.user.id, {
        status,
        past_due_since: since === null ? null : new Date(since).toISOString(),
      });
      const creates = [await farm(token), await pond(token, farmId, 'V-2'), await stock(token, pondId)];
      expect(creates.map((reply) => [reply.status, body(reply)['code']])).toEqual(
        creates.map(() => [code, word]),
      );
      const reads = [`/farms/${farmId}`, `/ponds/${pondId}`, `/batches/${batchId}`, '/subscriptions/me'];
      const seen = await Promise.all(reads.map((path) => app.call('GET', path, { token })));
      expect(seen.map((reply) => reply.status)).toEqual(reads.map(() => 200));
      // what it pays for stays readable, and records go on
      expect(await app.call('GET', `/exports/biometries/csv?batch_id=${batchId}`, { token })).toMatchObject({
        status: 200,
      });
      const measured = { pond_id: pondId, dissolved_oxygen: 5, temperature: 28 };
      expect(await app.call('POST', '/water-quality/', { token, body: measured })).toMatchObject({
        status: 201,
      });
      const can = body(await app.call('GET', '/subscriptions/me/limits', { token }))['can_create'];
      expect(can).toEqual({ farm: code === 201, pond: code === 201, batch: code === 201 });
    });

    const STANDINGS = [
      ['ACTIVE', null, undefined],
      ['TRIALING', null, undefined],
      ['PAST_DUE', 13, undefined],
      ['PAST_DUE', 15, 'PAYMENT_REQUIRED'],
      ['CANCELED', null, 'SUBSCRIPTION_CANCELED'],
    ] as const;

    const plans = PLANS.flatMap((plan) => STANDINGS.map((standing) => [plan, ...standing] as const));
    test.each(engine === 'sqlite' ? plans : aPartOf(plans, 3))(
      '%s, %s for %s days: programs make nothing new once %s; they read, switch and measure',
      async (plan, status, days, lapse) => {
        const owner = await anOwner(app, { plan: 'ENTERPRISE' });
        const farmId = await created(farm(owner.token));
        const pondId = await created(pond(owner.token, farmId));
        const point = await aControlPoint(app, { token: owner.token, farmId });
        const token = () =>
          app.call('POST', '/access-tokens', {
            token: owner.token,
            body: { name: 'planilha', scopes: ['read', 'record', 'control'] },
          });
        const program = String(body(await token())['token']);
        const since = days === null ? null : new Date(app.clock.now() - days * DAY_MS).toISOString();
        await setSubscription(app, owner.user.id, { plan, status, past_due_since: since });
        const refusal = PLAN_TERMS[plan].features.api_access ? lapse : 'FEATURE_NOT_AVAILABLE';
        const record = app.call('PUT', `/farms/${farmId}`, { token: program, body: { name: 'Sul' } });
        const made = [await token(), await record];
        expect(made.map((reply) => body(reply)['code'])).toEqual([refusal, refusal]);
        const status402 = refusal === 'PAYMENT_REQUIRED' ? 402 : 403;
        expect(made.map((reply) => reply.status)).toEqual(
          refusal === undefined ? [201, 200] : [status402, status402],
        );
        const measured = { pond_id: pondId, dissolved_oxygen: 2 };
        const going = [
          await app.call('GET', `/farms/${farmId}`, { token: program }),
          await app.call('POST', `/control-points/${point.id}/turn-on`, { token: program }),
          await app.call('POST', '/water-quality/', { token: program, body: measured }),
        ];
        expect(going.map((reply) => reply.status)).toEqual([200, 200, 201]);
      },
    );

    test('the grace ends 14 days after the payment was missed, not before', async () => {
      const owner = await anOwner(app, { plan: 'PROFESSIONAL' });
      const missed = app.clock.now();
      await setSubscription(app, owner.user.id, {
        status: 'PAST_DUE',
        past_due_since: new Date(missed).toISOString(),
      });
      app.clock.set(missed + 14 * DAY_MS - 1);
      expect(await farm(owner.token)).toMatchObject({ status: 201 });
      app.clock.set(missed + 14 * DAY_MS);
      expect(await farm(owner.token)).toMatchObject({ status: 402, body: { code: 'PAYMENT_REQUIRED' } });
    });
  });

  describe('usage that crosses a limit', () => {
    const heard = async (token: string) =>
      (await tidingsOf(app, token)).map(({ data }) => {
        const { event, resource, current, max } = data as Record<string, unknown>;
        return `${event} ${resource} ${current}/${max}`;
      });

    test('is told once when it comes to 80 %, once when nothing is left, and again after it fell', async () => {
      const { token } = await anOwner(app, { plan: 'BASIC', max_farms: 2, max_ponds_per_farm: 5 });
      const [north, south] = [await created(farm(token, 'N')), await created(farm(token, 'S'))];
      const [, ...told] = await heard(token);
      const ponds: string[] = [];
      const add = async (farmId: string) => {
        app.clock.advance(1_000);
        ponds.push(await created(pond(token, farmId, `V-${ponds.length}`)));
      };
      for (let n = 0; n < 8; n += 1) await add(n < 5 ? north : south);
      // one farm is full, the other is not
      expect((await heard(token)).slice(1)).toEqual([
        ...told,
        'usage_high ponds 4/5',
        'limit_reached ponds 5/5',
        'usage_high ponds 8/10',
      ]);
      await add(south);
      await add(south);
      expect((await heard(token)).slice(3 + told.length)).toEqual([
        'usage_high ponds 8/10',
        'limit_reached ponds 10/10',
      ]);
      for (const id of ponds.splice(5, 3)) await app.call('DELETE', `/ponds/${id}`, { token });
      for (let n = 0; n < 3; n += 1) await add(south);
      expect((await heard(token)).slice(5 + told.length)).toEqual([
        'usage_high ponds 8/10',
        'limit_reached ponds 10/10',
      ]);
    });

    test('on the other instance was told there, and is not told again here', async () => {
      const { token } = await anOwner(app, { plan: 'BASIC', max_farms: 2, max_ponds_per_farm: 10 });
      const [north, south] = [await created(farm(token, 'N')), await created(farm(token, 'S'))];
      const model = await created(pond(token, north, 'V-0'));
      const told = await heard(token);
      const row = await app.database.read
        .selectFrom('ponds')
        .selectAll()
        .where('id', '=', model)
        .executeTakeFirstOrThrow();
      const { rev: _rev, ...fields } = decodeRow(aPond, row);
      // as sync brings them
      const brought = Array.from({ length: 16 }, (_none, n) =>
        insert(aPond, {
          ...fields,
          id: app.kernel.newId(),
          numeric_id: 1_000_000 + n,
          cod: `B-${n}`,
          farm_id: n < 8 ? north : south,
        }),
      );
      await app.kernel.commit({ actor: null, changes: brought });
      app.clock.advance(1_000);
      await created(pond(token, south, 'V-18'));
      expect(await heard(token)).toEqual(told);
      await created(pond(token, south, 'V-19'));
      // the south is full, the north has one place left
      expect(await heard(token)).toEqual([...told, 'limit_reached ponds 10/10']);
      app.clock.advance(1_000);
      await created(pond(token, north, 'V-20'));
      expect(await heard(token)).toEqual([...told, 'limit_reached ponds 10/10', 'limit_reached ponds 20/20']);
    });

    test('a farm, and a batch in each of three ponds, is ordinary use of FREE: of neither is anybody told, and no pond is warned of', async () => {
      const { token } = await anOwner(app, { plan: 'FREE' });
      const farmId = await created(farm(token));
      for (const cod of ['V-1', 'V-2', 'V-3']) {
        const pondId = await created(pond(token, farmId, cod));
        await aBatch(app, { token, pondId });
        app.clock.advance(1_000);
      }
      expect(await heard(token)).toEqual(['limit_reached ponds 3/3']);
      const { warnings } = body(await app.call('GET', '/subscriptions/me/limits', { token }));
      expect((warnings as object[]).filter((one) => 'pond_id' in one)).toEqual([]);
    });

    test('is not told of what was refused, nor when nothing is limited', async () => {
      const { token } = await anOwner(app, { plan: 'FREE' });
      await created(farm(token));
      await farm(token);
      expect(await heard(token)).toEqual([]);
      const free = await anOwner(app, { plan: 'ENTERPRISE' });
      await created(farm(free.token));
      expect(await heard(free.token)).toEqual([]);
    });

    test('by a smaller plan, and is quiet again with a larger one', async () => {
      const admin = await app.signUp({ role: 'ADMIN' });
      const { token, user } = await anOwner(app, { plan: 'PROFESSIONAL' });
      for (const name of ['A', 'B', 'C']) await created(farm(token, name));
      const set = async (plan: Plan) => {
        app.clock.advance(1_000);
        await app.call('PUT', `/subscriptions/${user.id}`, { token: admin.token, body: { plan } });
      };
      await set('BASIC');
      await set('PROFESSIONAL');
      await set('BASIC');
      const usage = (await heard(token)).filter((line) => line.startsWith('limit'));
      expect(usage).toEqual(['limit_reached farms 3/3', 'limit_reached farms 3/3']);
      await set('PROFESSIONAL');
      await set('FREE');
      expect(await heard(token)).toContain('limit_reached farms 3/1');
    });

    test('a plan made smaller that ordinary use fills tells of its ponds alone', async () => {
      const admin = await app.signUp({ role: 'ADMIN' });
      const { token, user } = await anOwner(app, { plan: 'PROFESSIONAL' });
      const farmId = await created(farm(token));
      for (const cod of ['V-1', 'V-2', 'V-3'])
        await aBatch(app, { token, pondId: await created(pond(token, farmId, cod)) });
      await app.call('PUT', `/subscriptions/${user.id}`, { token: admin.token, body: { plan: 'FREE' } });
      expect((await heard(token)).filter((line) => line.startsWith('limit'))).toEqual([
        'limit_reached ponds 3/3',
      ]);
    });
  });
});
