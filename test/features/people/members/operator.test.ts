import { afterAll, beforeAll, expect, test } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { update } from '#core/changes.ts';
import { aBatch } from '#test/a-batch.ts';
import { aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created } from '#test/staffed-farm.ts';

// The person at the pond: what it needs there, and nothing of the office.

onBothEngines('an operator', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let owner: SignedUp;
  let operator: SignedUp;
  let manager: SignedUp;
  let technician: SignedUp;
  let farmId: string;
  let pondId: string;
  let batchId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    [owner, operator, manager, technician] = [
      await app.signUp(),
      await app.signUp({ role: 'VIEWER' }),
      await app.signUp(),
      await app.signUp(),
    ];
    farmId = await created(ask(owner, 'POST', '/farms/', { name: 'Norte' }));
    for (const [who, role] of [
      [operator, 'OPERATOR'],
      [manager, 'MANAGER'],
      [technician, 'TECHNICIAN'],
    ] as const)
      await joinFarm(app, { token: owner.token, farmId }, who, role);
    pondId = await created(
      ask(owner, 'POST', '/ponds/', { farm_id: farmId, cod: 'V-01', size_m2: 2_000, depth_m: 1.2 }),
    );
    batchId = await aBatch(app, { token: owner.token, pondId });
  });
  afterAll(() => app.close());

  const ask = (who: SignedUp, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: who.token, ...(sent === undefined ? {} : { body: sent }) });
  const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;

  test('finds the number of who else answers alarms, and who only reads finds none', async () => {
    const viewer = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId }, viewer, 'VIEWER');
    for (const [who, phone_number] of [
      [owner, '+55 84 99999-0001'],
      [technician, '+55 84 99999-0002'],
      [viewer, '+55 84 99999-0003'],
    ] as const)
      expect(await statusOf(who, 'PUT', '/users/me', { phone_number })).toBe(200);
    const path = `/farms/${farmId}/contacts`;
    const { body: contacts } = await ask(operator, 'GET', path);
    expect(contacts).toEqual([
      { user_id: owner.user.id, name: owner.user.name, phone_number: '+55 84 99999-0001' },
      { user_id: technician.user.id, name: technician.user.name, phone_number: '+55 84 99999-0002' },
    ]);
    expect(await statusOf(viewer, 'GET', path)).toBe(403);
    expect(await statusOf(await app.signUp(), 'GET', path)).toBe(404);
  });

  const RECORDS = [
    ['/water-quality/', () => ({ pond_id: pondId, dissolved_oxygen: 6 }), { dissolved_oxygen: 6.4 }],
    [
      '/feeding/',
      () => ({
        batch_id: batchId,
        feed_type: '35 %',
        quantity_kg: 10,
        cost_per_kg: 6,
        feed_date: '2026-03-01T12:00:00Z',
        tray_leftover_percent: 5,
      }),
      { quantity_kg: 12 },
    ],
    [
      '/biometries/',
      () => ({
        batch_id: batchId,
        measurement_date: '2026-03-01T12:00:00Z',
        sample_size: 50,
        total_weight_g: 400,
      }),
      { sample_size: 51 },
    ],
  ] as const;

  test.each(RECORDS)(
    'writes down what goes to %s, and corrects and deletes his own of it alone',
    async (path, sent, correction) => {
      const when = () => (path === '/water-quality/' ? { measurement_date: '2026-03-01T12:00:00Z' } : {});
      const record = (who: SignedUp) => created(ask(who, 'POST', path, { ...sent(), ...when() }));
      const own = await record(operator);
      const others = await record(manager);
      expect(body(await ask(operator, 'GET', `${path}${own}`))['created_by']).toBe(operator.user.id);
      for (const [id, correcting, deleting] of [
        [others, 403, 403],
        [own, 200, 204],
      ] as const) {
        expect([id, await statusOf(operator, 'PUT', `${path}${id}`, correction)]).toEqual([id, correcting]);
        expect([id, await statusOf(operator, 'DELETE', `${path}${id}`)]).toEqual([id, deleting]);
      }
      // a manager corrects what anybody wrote, a technician nothing
      const another = await record(operator);
      expect(await statusOf(technician, 'PUT', `${path}${another}`, correction)).toBe(403);
      expect(await statusOf(manager, 'PUT', `${path}${another}`, correction)).toBe(200);
      expect(await statusOf(technician, 'POST', path, { ...sent(), ...when() })).toBe(403);
    },
  );

  test('records losses, and neither harvests, spends, stocks, sets up nor reads what anything cost', async () => {
    const dead = { event_description: 'mortandade', severity: 0.02 };
    const refused = [
      await ask(operator, 'POST', `/batches/${batchId}/finish`, {}),
      await ask(operator, 'POST', `/batches/${batchId}/abort`, { reason: 'x' }),
      await ask(operator, 'GET', `/financial/expenses?batch_id=${batchId}`),
      await ask(operator, 'GET', `/financial/cost-per-kg/${batchId}`),
      await ask(operator, 'PUT', `/ponds/${pondId}`, { cod: 'V-99' }),
      await ask(operator, 'PUT', `/farms/${farmId}`, { name: 'Sul' }),
      await ask(operator, 'GET', `/farms/${farmId}/members`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(await statusOf(operator, 'GET', `/batches/${batchId}`)).toBe(200);
    expect(await statusOf(operator, 'POST', `/batches/${batchId}/adjust-survival`, dead)).toBe(200);
  });

  test('reads the price of feed, which goes on from the last meal, and no sum; a technician neither', async () => {
    const fed = { batch_id: batchId, feed_type: '35 %', quantity_kg: 10, feed_date: '2026-03-01T15:00:00Z' };
    const id = await created(ask(manager, 'POST', '/feeding/', { ...fed, cost_per_kg: 77.77 }));
    expect(await statusOf(manager, 'PUT', `/feeding/${id}`, { cost_per_kg: 77.78, quantity_kg: 9 })).toBe(
      200,
    );
    const harvest = { harvest_date: '2026-03-01T16:00:00Z', quantity: 10, weight_kg: 1, price_per_kg: 66.66 };
    await created(ask(manager, 'POST', `/batches/${batchId}/harvests`, harvest));
    const meal = async (who: SignedUp) => body(await ask(who, 'GET', `/feeding/${id}`));
    for (const [who, price] of [
      [owner, { cost_per_kg: 77.78, total_cost: 700.02 }],
      [operator, { cost_per_kg: 77.78, total_cost: 700.02 }],
      [technician, { cost_per_kg: null, total_cost: null }],
    ] as const)
      expect(await meal(who)).toMatchObject({ quantity_kg: 9, ...price });
    for (const path of [
      `/feeding/batch/${batchId}/summary`,
      `/dashboard/feed-efficiency?farm_id=${farmId}`,
      '/dashboard/feed-efficiency',
      `/logs/ponds/${pondId}`,
      `/batches/${batchId}/harvests`,
    ]) {
      const told = async (who: SignedUp) => JSON.stringify((await ask(who, 'GET', path)).body);
      expect([path, await told(owner)]).toEqual([path, expect.stringMatching(/77\.7|832\.02|66\.66/)]);
      for (const who of [operator, technician])
        expect([path, await told(who)]).toEqual([path, expect.not.stringMatching(/77\.7|832\.02|66\.66/)]);
    }
    const journal = await ask(technician, 'GET', `/feeding/batch/${batchId}`);
    expect(JSON.stringify(journal.body)).not.toContain('77.7');
    // what was corrected is told, without the price
    const log = await ask(technician, 'GET', `/logs/ponds/${pondId}`);
    expect(JSON.stringify(log.body)).toContain('"after":{"quantity_kg":9}');
  });

  test('switches a control point, and neither locks it out, sets it up nor gives it times', async () => {
    const point = await aControlPoint(app, { token: owner.token, farmId });
    const at = `/control-points/${point.id}`;
    expect(await statusOf(operator, 'POST', `${at}/turn-on`, { for_s: 600 })).toBe(200);
    expect(await statusOf(operator, 'POST', `${at}/turn-off`, { for_s: 600 })).toBe(200);
    expect(await statusOf(operator, 'POST', `${at}/lock-out`, { reason: 'x' })).toBe(403);
    expect(await statusOf(operator, 'PUT', `${at}/settings`, { min_on_s: 30 })).toBe(403);
    expect(await statusOf(operator, 'PUT', at, { cod: 'CP-X' })).toBe(403);
    expect(await statusOf(operator, 'POST', `${at}/device-key`)).toBe(403);
  });

  test('is told of an alarm and acknowledges it, and does not keep it from others', async () => {
    const sent = { pond_id: pondId, dissolved_oxygen: 1.2, measurement_date: '2026-03-02T11:59:00Z' };
    const made = body(await ask(operator, 'POST', '/water-quality/', sent));
    expect(made['alerts_triggered']).toMatchObject([{ type: 'LOW_OXYGEN' }]);
    const listed = await ask(operator, 'GET', `/alerts/?include=all&farm_id=${farmId}`);
    const [raised] = listed.body as { id: string }[];
    const news = body(await ask(operator, 'GET', '/notifications/?page_size=100'))['notifications'];
    expect(news).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'ALERT', data: expect.anything() })]),
    );
    const at = `/alerts/${raised?.id}`;
    expect(await statusOf(operator, 'POST', `${at}/silence`, { minutes: 30, reason: 'x' })).toBe(403);
    expect(await statusOf(operator, 'PUT', `${at}/resolve`)).toBe(403);
    expect(await statusOf(operator, 'POST', `${at}/acknowledge`, {})).toBe(200);
    expect(await statusOf(operator, 'DELETE', `${at}/acknowledge`)).toBe(204);
  });

  const membersOf = async () =>
    (await ask(owner, 'GET', `/farms/${farmId}/members`)).body as { id: string; user_id: string }[];

  test('becomes one by a new membership, so that a program without the role knows of none', async () => {
    const person = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId }, person, 'TECHNICIAN');
    const of = async () => (await membersOf()).find(({ user_id }) => user_id === person.user.id);
    const before = await of();
    for (const role of ['OPERATOR', 'MANAGER', 'OPERATOR']) {
      const was = await of();
      app.clock.advance(1_000);
      const set = await ask(owner, 'POST', `/farms/${farmId}/members`, { user_id: person.user.id, role });
      expect(set).toMatchObject({ status: 201, body: { role, status: 'MEMBER' } });
      expect((await of())?.id).not.toBe(was?.id);
      // he works here since he came
      expect(await of()).toMatchObject({ role, created_at: (before as { created_at?: string }).created_at });
      expect(await statusOf(person, 'GET', `/ponds/${pondId}`)).toBe(200);
    }
    expect(await statusOf(person, 'GET', `/financial/expenses?batch_id=${batchId}`)).toBe(403);
  });

  test('a role that this program does not know has no right, in lists neither', async () => {
    const person = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId }, person, 'VIEWER');
    expect((await ask(person, 'GET', '/ponds/')).body).toHaveLength(1);
    const [member] = (await membersOf()).filter(({ user_id }) => user_id === person.user.id);
    await app.kernel.commit({
      actor: null,
      changes: [update(farmMember, member?.id ?? '', { role: 'STEWARD' as never })],
    });
    expect(await statusOf(person, 'GET', `/ponds/${pondId}`)).toBe(403);
    for (const path of ['/ponds/', '/farms/', '/control-points/', '/alerts/?include=all', '/batches/'])
      expect([path, (await ask(person, 'GET', path)).body]).toEqual([path, []]);
  });
});
