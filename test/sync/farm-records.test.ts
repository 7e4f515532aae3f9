import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';
import { drawsOf } from '#test/turn.ts';

// Treatments and notes written at the pond and in the office while the line is down: in whatever order it was done, both
// sides tell the same afterwards, and of the withdrawal period, too.

type Side = 'gateway' | 'hosted';
type Act =
  | { is: 'write'; on: Side; days: number | null }
  | { is: 'note'; on: Side; text: string }
  | { is: 'correct'; on: Side; of: number; sent: Record<string, unknown> }
  | { is: 'delete'; on: Side; of: number };

const side = fc.constantFrom<Side>('gateway', 'hosted');
const which = fc.nat({ max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ is: fc.constant('write' as const), on: side, days: fc.constantFrom(null, 0, 7, 28) }),
  fc.record({ is: fc.constant('note' as const), on: side, text: fc.constantFrom('Água verde', 'Muda') }),
  fc.record({
    is: fc.constant('correct' as const),
    on: side,
    of: which,
    sent: fc.constantFrom<Record<string, unknown>>(
      { withdrawal_days: 12 },
      { withdrawal_days: null },
      { amount: 3.5, unit: 'L' },
      { text: 'Vibriose' },
      { product: 'Florfenicol' },
    ),
  }),
  fc.record({ is: fc.constant('delete' as const), on: side, of: which }),
);

onBothEngines('records on both sides of the line', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp();
    farm = await aStockedFarm(apps.gateway);
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const send = (on: Side, method: string, path: string, sent?: unknown) => {
    const app: App = apps[on];
    return app.call(method, path, { token: on === 'hosted' ? owner.token : farm.token, body: sent });
  };
  const pondId = () => farm.ponds[0]?.id ?? '';
  const listOn = async (on: Side) =>
    (await send(on, 'GET', `/ponds/${pondId()}/records`)).body as { id: string }[];
  const withdrawalOn = async (on: Side) =>
    body(await send(on, 'GET', `/batches/${farm.batch.id}`))['withdrawal'];

  async function done({ on, ...one }: Act): Promise<void> {
    const path = `/ponds/${pondId()}/records`;
    if (one.is === 'note') await send(on, 'POST', path, { kind: 'NOTE', text: one.text });
    if (one.is === 'write') {
      const made = await send(on, 'POST', path, {
        kind: 'TREATMENT',
        product: 'Oxitetraciclina',
        product_kind: 'MEDICATION',
        amount: 2,
        unit: 'kg',
        withdrawal_days: one.days,
      });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
    }
    if (one.is !== 'correct' && one.is !== 'delete') return;
    const known = await listOn(on);
    const id = known[one.of % Math.max(1, known.length)]?.id;
    if (id === undefined) return;
    // a note has no product: refused alike on either side
    if (one.is === 'correct') await send(on, 'PUT', `/records/${id}`, one.sent);
    else expect((await send(on, 'DELETE', `/records/${id}`)).status).toBe(204);
  }

  test('come to the same on both, whoever did what first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), async (acts) => {
        await apps.linkDown();
        for (const one of acts) {
          await done(one);
          apps.advance(1_000);
        }
        await apps.linkUp();
        await apps.settled();
        expect(await listOn('hosted')).toEqual(await listOn('gateway'));
        expect(await withdrawalOn('hosted')).toEqual(await withdrawalOn('gateway'));
      }),
      { numRuns: drawsOf(engine === 'sqlite' ? 6 : 3) },
    );
  }, 240_000);

  test('corrected in different parts at the same time keep both corrections', async () => {
    await apps.settled();
    const made = await send('gateway', 'POST', `/ponds/${pondId()}/records`, {
      kind: 'TREATMENT',
      product: 'Florfenicol',
      product_kind: 'MEDICATION',
      amount: 2,
      unit: 'kg',
    });
    const path = `/records/${String(body(made)['id'])}`;
    await apps.settled();
    await apps.linkDown();
    await send('gateway', 'PUT', path, { amount: 3 });
    await send('hosted', 'PUT', path, { withdrawal_days: 12 });
    await apps.linkUp();
    await apps.settled();
    for (const on of ['gateway', 'hosted'] as const)
      expect(body(await send(on, 'GET', path)), on).toMatchObject({ amount: 3, withdrawal_days: 12 });
  });
});
