import { farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { pondQueries } from '#adapters/sql/queries/farm/ponds.ts';
import { batchQueries } from '#adapters/sql/queries/production/batches.ts';
import { batchCreate } from '#contract/resources/batches.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import type { Caller } from '#core/route.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { createFarm } from '#features/farm/farms/create-farm.ts';
import { createPond } from '#features/farm/ponds/create-pond.ts';
import { createBatch } from '#features/production/batches/create-batch.ts';
import { type Limits, subscriptionsOf } from '#operations/people/payments.ts';
import { composeHere } from '../in-process.ts';
import { answerCalls } from '../remote.ts';

// Creates with and without the plan's word on them, and that word alone, in the process of the gateway.

export type Created = 'farm' | 'pond' | 'batch';

type Gateway = Awaited<ReturnType<typeof composeHere>>;
/** What the gateway itself makes once: statements are compiled when they are wired. */
type Open = { gateway: Gateway; farmId: string; ponds: string[]; limits: Limits };
const opened: Open[] = [];
let made = 0;

const handlers = {
  /** Opens the farm; its owner has a plan with limits that are never reached, so that all of it is counted. */
  async open({ data, farmId, ponds }: { data: string; farmId: string; ponds: string[] }): Promise<void> {
    const gateway = await composeHere(data);
    const { limits } = subscriptionsOf(gateway.kernel, gateway.database, gateway.notify);
    opened.push({ gateway, farmId, ponds, limits });
    const ownerId = await ownerOf();
    const { id } = await gateway.database.read
      .selectFrom('subscriptions')
      .select('id')
      .where('user_id', '=', ownerId)
      .executeTakeFirstOrThrow();
    const most = 1_000_000;
    const far = { max_farms: most, max_ponds_per_farm: most, max_batches_per_pond: most };
    const set = update(subscription, id, { plan: 'PROFESSIONAL', ...far });
    await gateway.kernel.commit({ changes: [set], actor: null });
  },

  /** Milliseconds of each create, on disk before the next begins. */
  async create({
    what,
    isLimited,
    count,
  }: {
    what: Created;
    isLimited: boolean;
    count: number;
  }): Promise<number[]> {
    const { gateway } = farm();
    const ownerId = await ownerOf();
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const startedAt = performance.now();
      await perform(gateway.kernel, ownerId, () => decide(what, ownerId, isLimited));
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /** Milliseconds of each look at the plan. */
  async check({ what, count }: { what: Created; count: number }): Promise<number[]> {
    const { gateway, farmId, limits } = farm();
    const ownerId = await ownerOf();
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const id = gateway.kernel.newId();
      const startedAt = performance.now();
      if (what === 'farm') await limits.farm({ id, owner_id: ownerId });
      else if (what === 'pond') await limits.pond({ id, farm_id: farmId }, ownerId);
      else await limits.batches([{ id, pond_id: nextPond(), owner_id: ownerId }]);
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  async close(): Promise<void> {
    await farm().gateway.database.close();
  },
};
export type LimitChecker = typeof handlers;
answerCalls(handlers);

function farm() {
  const [only] = opened;
  if (only === undefined) throw new Error('nothing is open');
  return only;
}

async function ownerOf(): Promise<string> {
  const { gateway, farmId } = farm();
  const row = await gateway.database.read
    .selectFrom('farms')
    .select('owner_id')
    .where('id', '=', farmId)
    .executeTakeFirstOrThrow();
  return row.owner_id;
}

function nextPond(): string {
  const { ponds } = farm();
  made += 1;
  return ponds[made % ponds.length] ?? '';
}

async function decide(what: Created, ownerId: string, isLimited: boolean): Promise<Decision<unknown>> {
  const { gateway, farmId, limits } = farm();
  const { kernel } = gateway;
  const { read } = gateway.database;
  const caller: Caller = {
    userId: ownerId,
    role: 'OWNER',
    tokenId: 'bench',
    tokenExpiresAt: Infinity,
    scopes: null,
  };
  const access = { farmId, ownerId, role: 'OWNER' } as const;
  const by = { caller, farm: access, language: 'en' } as const;
  const none = async () => ({});
  made += 1;
  if (what === 'farm') {
    const deps = { ...kernel, queries: farmQueries(read), defaultZone: 'America/Fortaleza' };
    const input = { name: `Fazenda ${made}` };
    return createFarm({ ...deps, onCreate: isLimited ? limits.farm : none }, caller, ownerId, input);
  }
  if (what === 'pond') {
    const onCreate = isLimited ? (row: { id: string; farm_id: string }) => limits.pond(row, ownerId) : none;
    const input = { farm_id: farmId, cod: `B-${made}` };
    return createPond({ ...kernel, queries: pondQueries(read), onCreate }, by, input);
  }
  const input = batchCreate.parse({
    pond_id: nextPond(),
    batch_code: `B-${made}`,
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'bench',
    start_date: new Date().toISOString().slice(0, 10),
    initial_count: 1_000,
    initial_avg_weight: 0.01,
    initial_density: 10,
  });
  const onCreate = isLimited
    ? (row: Parameters<typeof limits.batches>[0][number]) => limits.batches([row])
    : none;
  return createBatch({ ...kernel, queries: batchQueries(read), onCreate }, by, input, null);
}
