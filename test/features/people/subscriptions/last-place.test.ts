import { afterAll, beforeAll, expect, test } from 'vitest';
import { stocking } from '#test/a-batch.ts';
import { anOwner, setSubscription, tidingsOf } from '#test/an-owner.ts';
import { type App, body, type Reply, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created } from '#test/staffed-farm.ts';

// The last place of a plan is given away once, whoever asks at the same moment: on SQLite through one process, on
// PostgreSQL through two.

const AT_ONCE = 6;

onBothEngines('the last place of a plan', (_open, engine) => {
  let apps: App[];
  beforeAll(async () => {
    const app = await startApp(engine);
    apps = engine === 'postgres' ? [app, await startAppBeside(app)] : [app, app];
  });
  afterAll(async () => {
    for (const app of new Set(apps.toReversed())) await app.close();
  });

  const first = () => apps[0] as App;
  const post = (n: number, token: string, path: string, fields: unknown) =>
    (apps[n % 2] as App).call('POST', path, { token, body: fields });
  const atOnce = (ask: (n: number) => Promise<Reply>) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_none, n) => ask(n)));

  /** One won; all others were told that the place is taken. */
  function expectOneWinner(replies: readonly Reply[], fields: Record<string, unknown>): void {
    const lost = replies.filter(({ status }) => status !== 201);
    expect(lost).toHaveLength(replies.length - 1);
    for (const { status, body: said } of lost) {
      expect({ status, ...(said as object) }).toMatchObject({
        status: 403,
        code: 'SUBSCRIPTION_LIMIT_REACHED',
        ...fields,
      });
    }
  }

  test('of farms goes to one', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { token } = await anOwner(first(), { plan: 'BASIC', max_farms: 1 });
      const replies = await atOnce((n) => post(n, token, '/farms/', { name: `Fazenda ${n}` }));
      expectOneWinner(replies, { resource: 'farms', current: 1, max: 1 });
      const { usage } = body(await first().call('GET', '/subscriptions/me/limits', { token })) as {
        usage: { farms: unknown };
      };
      expect(usage.farms).toEqual({ current: 1, max: 1, percentage: 100 });
      expect(await tidingsOf(first(), token)).toHaveLength(1);
    }
  });

  test('of ponds on a farm goes to one', async () => {
    const { token, user } = await anOwner(first(), { plan: 'BASIC' });
    const farmId = await created(post(0, token, '/farms/', { name: 'Norte' }));
    await created(post(1, token, '/ponds/', { farm_id: farmId, cod: 'V-0' }));
    await setSubscription(first(), user.id, { max_ponds_per_farm: 2 });
    const replies = await atOnce((n) => post(n, token, '/ponds/', { farm_id: farmId, cod: `V-${n + 1}` }));
    expectOneWinner(replies, { resource: 'ponds', current: 2, max: 2 });
  });

  test('of batches in a pond goes to one', async () => {
    const { token } = await anOwner(first(), { plan: 'FREE' });
    const farmId = await created(post(0, token, '/farms/', { name: 'Norte' }));
    const pondId = await created(post(0, token, '/ponds/', { farm_id: farmId, cod: 'V-1' }));
    const replies = await atOnce((n) => post(n, token, '/batches/', stocking(pondId)));
    expectOneWinner(replies, { resource: 'active_batches', current: 1, max: 1 });
  });

  test('goes to a new batch or to one that is moved there, not to both', async () => {
    const { token } = await anOwner(first(), { plan: 'BASIC', max_batches_per_pond: 1 });
    const farmId = await created(post(0, token, '/farms/', { name: 'Norte' }));
    const [a, b] = [
      await created(post(0, token, '/ponds/', { farm_id: farmId, cod: 'A' })),
      await created(post(0, token, '/ponds/', { farm_id: farmId, cod: 'B' })),
    ];
    const moved = await created(post(0, token, '/batches/', stocking(a)));
    const transfer = { batch_id: moved, source_pond_id: a, destination_pond_id: b, quantity: 100 };
    const replies = await Promise.all([
      post(0, token, '/transfers/', transfer),
      post(1, token, '/batches/', stocking(b)),
    ]);
    expectOneWinner(replies, { resource: 'active_batches', current: 1, max: 1 });
  });

  test('places that are left are all given away to as many as ask at once', async () => {
    const { token } = await anOwner(first(), { plan: 'PROFESSIONAL', max_farms: AT_ONCE });
    const replies = await atOnce((n) => post(n, token, '/farms/', { name: `Fazenda ${n}` }));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    // 5 of 6 is above 80 %, 6 of 6 is the limit: each is told once
    expect(await tidingsOf(first(), token)).toHaveLength(2);
  });
});
