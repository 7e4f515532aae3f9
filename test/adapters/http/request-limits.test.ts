import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownRequestCounts, sharedRequestCounts } from '#adapters/http/attempt-limit.ts';
import {
  isCounted,
  ownOpenRequests,
  requestLimits,
  sharedOpenRequests,
  UNCOUNTED_TAGS,
} from '#adapters/http/request-limits.ts';
import { runStatement } from '#adapters/sql/database.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import { anOwner, setSubscription } from '#test/an-owner.ts';
import { type App, aControlPoint, type Reply, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { created } from '#test/staffed-farm.ts';

const ON = ['--rate-limits', 'yes'];
const said = ({ status, headers }: Reply) => ({
  status,
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
});

onBothEngines('requests per hour', (_open, engine) => {
  let apps: App[];
  beforeAll(async () => {
    const app = await startApp(engine, ON);
    apps = engine === 'postgres' ? [app, await startAppBeside(app, ON)] : [app, app];
  });
  afterAll(async () => {
    for (const app of new Set(apps.toReversed())) await app.close();
  });
  const first = () => apps[0] as App;
  const ask = (token: string, path = '/farms/', n = 0) => (apps[n % 2] as App).call('GET', path, { token });

  async function ask100(token: string): Promise<void> {
    for (let n = 0; n < 100; n += 1) expect((await ask(token, '/farms/', n)).status).toBe(200);
  }

  test('every answer tells what is left, also one that refuses', async () => {
    const { token } = await anOwner(first(), { plan: 'FREE' });
    expect(said(await ask(token))).toEqual({
      status: 200,
      policy: '"hour";q=100;w=3600',
      limit: expect.stringMatching(/^"hour";r=99;t=3(600|59\d)$/),
    });
    expect(said(await ask(token, '/farms/00000000-0000-4000-8000-000000000000', 1))).toEqual({
      status: 404,
      policy: '"hour";q=100;w=3600',
      limit: expect.stringMatching(/^"hour";r=98;t=3\d{3}$/),
    });
  });

  test('beyond those of the plan are refused, in whichever process; control and what it needs are not', async () => {
    const { token, user } = await anOwner(first(), { plan: 'FREE' });
    const farmId = await created(first().call('POST', '/farms/', { token, body: { name: 'Norte' } }));
    const point = await aControlPoint(first(), { token, farmId });
    for (let n = 0; n < 99; n += 1) await ask(token, '/farms/', n);
    const refused = await ask(token, '/farms/', 1);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMIT_EXCEEDED', detail: expect.stringContaining('100 requests an hour') },
    });
    expect(said(refused).limit).toMatch(/^"hour";r=0;t=/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    const free: [string, string, unknown?][] = [
      ['POST', `/control-points/${point.id}/turn-on`],
      ['GET', `/control-points/${point.id}`],
      ['GET', '/alerts/'],
      ['GET', '/notifications/'],
      ['GET', '/subscriptions/me/limits'],
      ['POST', '/auth/renew'],
    ];
    for (const [method, path] of free) {
      const reply = await first().call(method, path, { token });
      expect([path, reply.status, said(reply).limit]).toEqual([path, 200, null]);
    }
    // a larger plan counts from the next request on
    await setSubscription(first(), user.id, { plan: 'BASIC' });
    expect(said(await ask(token))).toMatchObject({ status: 200, policy: '"hour";q=500;w=3600' });
  });

  test('of one account are not those of another', async () => {
    const busy = await anOwner(first(), { plan: 'FREE' });
    const quiet = await anOwner(first(), { plan: 'FREE' });
    await ask100(busy.token);
    expect([(await ask(busy.token)).status, (await ask(quiet.token)).status]).toEqual([429, 200]);
  });

  test('of who works on a farm are as many as its plan allows', async () => {
    const owner = await anOwner(first(), { plan: 'PROFESSIONAL' });
    const farmId = await created(
      first().call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } }),
    );
    const technician = await anOwner(first(), { plan: 'FREE' });
    expect(said(await ask(technician.token)).policy).toBe('"hour";q=100;w=3600');
    const row = { id: first().kernel.newId(), farm_id: farmId, user_id: technician.user.id };
    await first().kernel.commit({
      actor: null,
      changes: [
        insert(farmMember, {
          ...row,
          role: 'TECHNICIAN',
          created_at: '2026-03-01T12:00:00.000Z',
          updated_at: null,
        }),
      ],
    });
    expect(said(await ask(technician.token)).policy).toBe('"hour";q=2000;w=3600');
  });

  test.each([
    ['TRIALING', null, 500],
    ['PAST_DUE', 13, 500],
    ['PAST_DUE', 15, 100],
    ['CANCELED', null, 100],
  ] as const)(
    'are those of FREE once a plan has lapsed: %s for %s days has %i',
    async (status, days, most) => {
      const owner = await anOwner(first(), { plan: 'BASIC' });
      const since = days === null ? null : new Date(first().clock.now() - days * 86_400_000).toISOString();
      await setSubscription(first(), owner.user.id, { status, past_due_since: since });
      expect(said(await ask(owner.token)).policy).toBe(`"hour";q=${most};w=3600`);
    },
  );

  test('are not counted where the plan is unlimited, nor for administrators', async () => {
    const [owner, admin] = [
      await anOwner(first(), { plan: 'ENTERPRISE' }),
      await first().signUp({ role: 'ADMIN', plan: null }),
    ];
    for (const { token } of [owner, admin])
      expect(said(await ask(token))).toEqual({ status: 200, policy: null, limit: null });
  });
});

describe('where requests are limited', () => {
  test.each([
    ['a gateway does not', [], false],
    ['a gateway that was told to does', ['--rate-limits', 'yes'], true],
    ['a hosted instance does', ['--role', 'hosted'], true],
    ['a hosted instance that was told not to does not', ['--role', 'hosted', '--rate-limits', 'no'], false],
  ])('%s', async (_what, args, isLimited) => {
    const app = await startApp('sqlite', args);
    const { token } = await anOwner(app, { plan: 'FREE' });
    const reply = await app.call('GET', '/farms/', { token });
    expect(said(reply).policy !== null).toBe(isLimited);
    await app.close();
  });
});

describe('an hour', () => {
  // the library reads the clock of the machine by itself
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 2, 1, 12) }));
  afterEach(() => void vi.useRealTimers());

  test('begins with the first request and ends an hour later', async () => {
    const counts = ownRequestCounts();
    expect(await counts.count('ana')).toEqual({ used: 1, resetMs: 3_600_000 });
    vi.advanceTimersByTime(3_000_000);
    expect(await counts.count('ana')).toEqual({ used: 2, resetMs: 600_000 });
    expect(await counts.count('bia')).toEqual({ used: 1, resetMs: 3_600_000 });
    vi.advanceTimersByTime(600_000);
    expect(await counts.count('ana')).toEqual({ used: 1, resetMs: 3_600_000 });
  });

  test('is counted by each process for itself while the shared table does not answer', async () => {
    const counts = sharedRequestCounts(() => Promise.reject(new Error('the database is gone')));
    expect(await counts.count('ana')).toMatchObject({ used: 1 });
    expect(await counts.count('ana')).toMatchObject({ used: 2 });
  });
});

describe('requests at the same time', () => {
  const route = { tag: 'Farms', method: 'GET', path: '/farms/', access: { who: 'account' } } as never;
  const caller = { userId: 'ana', role: 'OWNER' } as never;
  // what the limits use of an answer
  const anAnswer = () =>
    Object.assign(new EventEmitter(), { closed: false, setHeader: () => undefined }) as unknown as Response;

  test('are as many as the plan allows; a place is free again when its answer has ended', async () => {
    const pauses: number[] = [];
    const admit = requestLimits({
      rateOf: async () => ({ requestsPerHour: 1_000, connections: 2 }),
      counts: ownRequestCounts(),
      open: ownOpenRequests(),
      pause: async (ms) => void pauses.push(ms),
    });
    const answers = [anAnswer(), anAnswer()] as const;
    for (const answer of answers) await admit(route, caller, answer);
    const third = admit(route, caller, anAnswer());
    await expect(third).rejects.toMatchObject({
      status: 429,
      extras: { code: 'RATE_LIMIT_EXCEEDED', headers: { 'Retry-After': '1' } },
    });
    // it did not give up at once
    expect(pauses.length).toBeGreaterThan(2);
    answers[0].emit('close');
    await admit(route, caller, anAnswer());
  });

  test('a caller who went away while it waited keeps no place', async () => {
    const open = ownOpenRequests();
    const admit = requestLimits({
      rateOf: async () => ({ requestsPerHour: 1_000, connections: 1 }),
      counts: ownRequestCounts(),
      open,
      pause: async () => undefined,
    });
    await admit(route, caller, Object.assign(anAnswer(), { closed: true }));
    expect(await open.enter('ana', 1)).not.toBeNull();
  });

  test('are counted by each process for itself while the shared table does not answer', async () => {
    const run = () => Promise.reject(new Error('the database is gone'));
    const open = sharedOpenRequests({ run, process: 'one' });
    const leave = await open.enter('ana', 1);
    expect(await open.enter('ana', 1)).toBeNull();
    leave?.();
    expect(await open.enter('ana', 1)).not.toBeNull();
  });
});

describeOnPostgres('requests at the same time, in all processes of an instance', () => {
  let opened: TestDatabase;
  let processes: ReturnType<typeof sharedOpenRequests>[];
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    const run = runStatement(opened.database.read);
    processes = ['one', 'other'].map((process) => sharedOpenRequests({ run, process }));
  });
  afterAll(() => opened.close());
  const enter = (n: number, userId: string, most = 2) =>
    (processes[n % 2] as (typeof processes)[0]).enter(userId, most);
  /** All that is noted becomes so much older. */
  const pass = (ms: number) =>
    sql`update open_requests as o set places = coalesce((select jsonb_object_agg(p.key, p.value::bigint - ${sql.lit(ms)})
      from jsonb_each_text(o.places) as p), '{}')`.execute(opened.database.read);

  test('are as many as the plan allows, also when many come at once', async () => {
    const came = await Promise.all(Array.from({ length: 40 }, (_, n) => enter(n, 'ana', 5)));
    const leaves = came.flatMap((leave) => leave ?? []);
    expect(leaves).toHaveLength(5);
    expect(await enter(0, 'bia', 5)).not.toBeNull();
    leaves[0]?.();
    // given back behind the answer
    await expect.poll(() => enter(1, 'ana', 5)).not.toBeNull();
    expect(await enter(0, 'ana', 5)).toBeNull();
  });

  test('a slow one keeps its place for as long as it lasts', async () => {
    for (let n = 0; n < 2; n += 1) expect(await enter(n, 'eva')).not.toBeNull();
    for (let minute = 0; minute < 3; minute += 1) {
      await pass(50_000);
      await Promise.all(processes.map(({ renew }) => renew()));
      expect(await enter(minute, 'eva')).toBeNull();
    }
  });

  test('a place that is given back while its process renews what it holds stays free', async () => {
    const run = runStatement(opened.database.read);
    const held = Promise.withResolvers<void>();
    const slow = sharedOpenRequests({
      process: 'slow',
      // this connection of the pool comes behind the one that gives the place back
      run: async (statement, values) => {
        if (statement.includes('with held')) await held.promise;
        return run(statement, values);
      },
    });
    const [kept, leave] = [await slow.enter('rui', 2), await slow.enter('rui', 2)];
    expect([kept, leave]).not.toContain(null);
    const renewed = slow.renew();
    leave?.();
    const places = () =>
      sql<{ n: string }>`select count(*) as n from open_requests as o, jsonb_object_keys(o.places)
        where o.user_id = 'rui'`
        .execute(opened.database.read)
        .then(({ rows }) => Number(rows[0]?.n));
    await expect.poll(places).toBe(1);
    held.resolve();
    await renewed;
    expect(await places()).toBe(1);
  });

  test('an answer that ended takes no place, though the table has not heard of it', async () => {
    const run = runStatement(opened.database.read);
    const heard = Promise.withResolvers<void>();
    const busy = sharedOpenRequests({
      process: 'busy',
      run: async (statement, values) => {
        if (statement.includes('places - ')) await heard.promise;
        return run(statement, values);
      },
    });
    for (let n = 0; n < 10; n += 1) {
      const leave = await busy.enter('lia', 2);
      expect([n, leave]).not.toContain(null);
      leave?.();
    }
    const held = [await busy.enter('lia', 2), await busy.enter('lia', 2), await busy.enter('lia', 2)];
    expect(held.map((leave) => leave !== null)).toEqual([true, true, false]);
    heard.resolve();
    expect(await busy.enter('lia', 2)).toBeNull();
  });

  test('those of a process that died are free a minute later', async () => {
    for (let n = 0; n < 2; n += 1) expect(await enter(n, 'ida')).not.toBeNull();
    await pass(61_000);
    // the other one goes on
    await processes[1]?.renew();
    expect([await enter(1, 'ida'), await enter(1, 'ida')].map((leave) => leave !== null)).toEqual([
      true,
      false,
    ]);
  });
});

describe('what counts', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  // a new word must be put on one side or the other
  const COUNTED_TAGS = [
    'Access tokens',
    'Account',
    'Addresses',
    'Batches',
    'Biometries',
    'Dashboard',
    'Exports',
    'Farms',
    'Feed stock',
    'Harvest lots',
    'Feeding',
    'Financial',
    'Imports',
    'Invitations',
    'Logs',
    'Ponds',
    'Records',
    'Science settings',
    'Tasks',
    'Photos',
    'Transfers',
    'Users',
    'Water quality',
  ];

  test('every tag is known to count or not to', () => {
    const tags = [...new Set(app.routes.map(({ tag }) => tag))];
    expect(tags.filter((tag) => COUNTED_TAGS.includes(tag) === UNCOUNTED_TAGS.has(tag))).toEqual([]);
  });

  test('nothing that moves water, warns or hears a device counts', () => {
    const vital =
      /control-point|aerator|schedule|device|heartbeat|shadow|alert|turn-|lock-out|event|notification|oxygen-forecast|sync/;
    const counted = app.routes.filter((route) => vital.test(route.path) && isCounted(route));
    // what was done is looked up, and noted, at leisure
    expect(counted.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /logs/farm/{farm_id}/control-points',
      'GET /logs/control-points/{control_point_id}',
      'GET /control-points/{control_point_id}/records',
      'POST /control-points/{control_point_id}/records',
      'GET /control-points/{control_point_id}/photos',
      'POST /control-points/{control_point_id}/photos',
    ]);
  });

  test('a measurement never counts: it warns, and feeds the oxygen loop', () => {
    const posts = app.routes.filter(({ tag, method }) => tag === 'Water quality' && method === 'POST');
    expect(posts.map(isCounted)).toEqual(posts.map(() => false));
    expect(posts.length).toBeGreaterThan(0);
  });
});
