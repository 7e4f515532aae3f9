import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import type { RowOf } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { user } from '#contract/resources/users.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { lettersOf } from '#store/merge/unique-keys.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { aControlPoint, aFarm, aMember, ana, aPond, at, aUser, idOf, norte } from './rows.ts';
import { pair, pull, push, shown } from './two-sides.ts';

onBothEngines('what may stand once only, made on both sides', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  let hostedNow = 0;
  beforeEach(async () => {
    hostedNow = Date.UTC(2026, 2, 1, 12);
    opened = [
      await open({ streams: 'own', node: '0aaa0001' }),
      await open({ streams: 'by scope', now: () => hostedNow, node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
    await atGateway(insert(farm, aFarm()));
    await meet();
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  const atGateway = (...changes: Change[]) => gateway.commit({ changes, actor: ana });
  const atHosted = (...changes: Change[]) => hosted.commit({ changes, actor: ana });
  const meet = async () => {
    await push(gateway, hosted);
    await pull(gateway, hosted);
  };
  const aSubscription = (
    n: number,
    plan: RowOf<typeof subscription>['plan'],
    user_id = ana,
  ): RowOf<typeof subscription> => ({
    id: idOf(7, n),
    user_id,
    plan,
    status: 'ACTIVE',
    currency: 'BRL',
    payment_provider: null,
    payment_customer_id: null,
    payment_subscription_id: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    past_due_since: null,
    max_farms: null,
    max_ponds_per_farm: null,
    max_batches_per_pond: null,
    features: null,
    created_at: at,
    updated_at: null,
  });

  it('is the subscription of the hosted instance, though that of the gateway is older', async () => {
    await atGateway(insert(subscription, aSubscription(1, 'FREE')));
    hostedNow += 60_000;
    await atHosted(insert(subscription, aSubscription(2, 'PROFESSIONAL')));
    await meet();
    await meet();
    for (const side of [gateway, hosted])
      expect(await shown(side, 'subscriptions')).toMatchObject([{ id: idOf(7, 2), plan: 'PROFESSIONAL' }]);
    await atHosted(update(subscription, idOf(7, 2), { plan: 'ENTERPRISE' }));
    await meet();
    expect(await shown(gateway, 'subscriptions')).toMatchObject([{ plan: 'ENTERPRISE' }]);
    // nobody can choose, so nobody is asked
    for (const { read } of [gateway, hosted])
      expect(await read.selectFrom('sync_conflicts').select('id').execute()).toEqual([]);
  });

  it('is the subscription of whoever the farm is handed over to', async () => {
    const bia = aUser({ id: idOf(1, 2), email: 'bia@farm.br', email_key: 'bia@farm.br' });
    await atHosted(insert(user, bia), insert(subscription, aSubscription(3, 'BASIC', bia.id)));
    // what a member pays for is nothing to the farm; what its owner has is
    await atHosted(insert(farmMember, aMember({ user_id: bia.id })));
    await meet();
    expect(await shown(gateway, 'subscriptions')).toEqual([]);
    await atHosted(update(farm, norte, { owner_id: bia.id }));
    await meet();
    expect(await shown(gateway, 'subscriptions')).toMatchObject([{ id: idOf(7, 3), user_id: bia.id }]);
  });

  it('is every address that a farm names, on whichever side, and no other', async () => {
    const anAddress = (n: number): RowOf<typeof address> => ({
      id: idOf(8, n),
      user_id: ana,
      street: 'Rua do Porto',
      number: n,
      complement: null,
      city: 'Aracati',
      state: 'CE',
      zip_code: '62800-000',
      country: 'BR',
      lat: null,
      lng: null,
      is_primary: true,
      created_at: at,
      updated_at: null,
    });
    await atGateway(insert(address, anAddress(1)), insert(address, anAddress(3)));
    await atHosted(insert(address, anAddress(2)), insert(address, anAddress(4)));
    await atGateway(update(farm, norte, { address_id: idOf(8, 1) }));
    await meet();
    await atHosted(update(farm, norte, { address_id: idOf(8, 2) }));
    await meet();
    const numbers = async (side: Database) =>
      (await shown(side, 'addresses')).map((row) => (row as { number: number }).number);
    expect([await numbers(gateway), await numbers(hosted)]).toEqual([
      [1, 2, 3],
      [1, 2, 4],
    ]);
  });

  it('keeps a number beside the ids with whoever had it first on that side, and takes the other row in', async () => {
    await atGateway(insert(pond, aPond(1, { numeric_id: 4711 })));
    await atHosted(insert(pond, aPond(2, { numeric_id: 4711 })));
    await meet();
    for (const side of [gateway, hosted]) expect(await shown(side, 'ponds')).toHaveLength(2);
  });

  it('lets somebody into a farm once, by the earlier word', async () => {
    const bia = aUser({ id: idOf(1, 2), email: 'bia@farm.br', email_key: 'bia@farm.br' });
    await atGateway(insert(user, bia));
    await meet();
    await atGateway(insert(farmMember, aMember({ id: idOf(6, 9), user_id: bia.id })));
    hostedNow += 1_000;
    await atHosted(insert(farmMember, aMember({ id: idOf(6, 1), user_id: bia.id, role: 'VIEWER' })));
    await meet();
    await meet();
    for (const side of [gateway, hosted])
      expect(await shown(side, 'farm_members')).toMatchObject([{ id: idOf(6, 9), role: 'MANAGER' }]);
  });

  it('finds a name however many of those it would take are taken', async () => {
    const letters = lettersOf(idOf(4, 20));
    const taken = ['Bomba', ...[1, 2, 3, 4, 5, 6].map((n) => `Bomba${`~${letters}`.repeat(n)}`)];
    await atGateway(...taken.map((cod, n) => insert(controlPoint, aControlPoint(n + 1, { cod }))));
    hostedNow += 1_000;
    await atHosted(insert(controlPoint, aControlPoint(20, { cod: 'Bomba' })));
    await meet();
    await meet();
    for (const side of [gateway, hosted]) {
      const names = (await shown(side, 'control_points')).map((row) => (row as { cod: string }).cod);
      expect(new Set(names).size).toBe(8);
    }
    expect(await shown(gateway, 'control_points')).toEqual(await shown(hosted, 'control_points'));
  });
});
