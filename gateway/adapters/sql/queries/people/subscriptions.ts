import { sql } from 'kysely';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { LimitFacts, SubscriptionQueries } from '#features/people/subscriptions/ports.ts';
import type { Db } from '../../database.ts';
import { prepared } from '../../prepared.ts';
import { decodeRow } from '../../tables.ts';
import { placeQueries } from '../full-places.ts';

/** Entity of the guard that every create of an owner holds. */
const GUARD = 'plan_usage';

export function subscriptionQueries(db: Db): SubscriptionQueries {
  return {
    async subscriptionOf(userId) {
      const row = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(subscription, row) : null;
    },
    async userExists(id) {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    usageOf: usageQuery(db),
    ...placeQueries(db),
    ...limitFactQueries(db),
    async plansAround(userId) {
      const rows = await db
        .selectFrom('subscriptions')
        .select(LAPSE_TERMS)
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .unionAll(
          db
            .selectFrom('farm_members')
            .innerJoin('farms', 'farms.id', 'farm_members.farm_id')
            .innerJoin('subscriptions', 'subscriptions.user_id', 'farms.owner_id')
            .select(LAPSE_TERMS.map((field) => `subscriptions.${field}` as const))
            .where('farm_members.user_id', '=', userId)
            .where('farm_members.hidden', '=', 0)
            .where('farms.hidden', '=', 0)
            .where('subscriptions.hidden', '=', 0),
        )
        .execute();
      return rows;
    },
  };
}

const LAPSE_TERMS = ['plan', 'status', 'past_due_since', 'created_at', 'updated_at'] as const;

const count = sql<number>`count(*)`.as('n');

const farmsOf = (db: Db, ownerId: string) =>
  db.selectFrom('farms').select(count).where('owner_id', '=', ownerId).where('hidden', '=', 0);

const pondsOf = (db: Db, ownerId: string) =>
  db
    .selectFrom('farms')
    .innerJoin('ponds', 'ponds.farm_id', 'farms.id')
    .select(count)
    .where('farms.owner_id', '=', ownerId)
    .where('farms.hidden', '=', 0)
    .where('ponds.hidden', '=', 0);

const activeBatchesOf = (db: Db, ownerId: string) =>
  db
    .selectFrom('farms')
    .innerJoin('batches', 'batches.farm_id', 'farms.id')
    .select(count)
    .where('farms.owner_id', '=', ownerId)
    .where('farms.hidden', '=', 0)
    .where('batches.status', '=', 'ACTIVE')
    .where('batches.hidden', '=', 0);

/** ACTIVE batches that were ever in a pond: begun there, or moved to it at some time. */
const activeEverIn = (db: Db, pondId: string, exceptId: string) =>
  db
    .selectFrom('batches')
    .select(count)
    .where('batches.status', '=', 'ACTIVE')
    .where('batches.hidden', '=', 0)
    .where('batches.id', '<>', exceptId)
    .where('batches.id', 'in', (ids) =>
      ids
        .selectFrom('batches as begun')
        .select('begun.id')
        .where('begun.pond_id', '=', pondId)
        .where('begun.status', '=', 'ACTIVE')
        .unionAll(
          ids
            .selectFrom('transfers')
            .select('transfers.batch_id as id')
            .where('transfers.destination_pond_id', '=', pondId)
            .where('transfers.hidden', '=', 0),
        ),
    );

function usageQuery(db: Db): SubscriptionQueries['usageOf'] {
  const query = prepared(db, ['owner'], ({ owner }) =>
    // a row to hang the counts on: the account itself
    db
      .selectFrom('users')
      .select([
        farmsOf(db, owner).as('farms'),
        pondsOf(db, owner).as('ponds'),
        activeBatchesOf(db, owner).as('active_batches'),
      ])
      .where('id', '=', owner),
  );
  return async (userId) => {
    const [row] = await query({ owner: userId });
    return {
      farms: Number(row?.farms ?? 0),
      ponds: Number(row?.ponds ?? 0),
      active_batches: Number(row?.active_batches ?? 0),
    };
  };
}

type Facts = Pick<SubscriptionQueries, 'farmFacts' | 'pondFacts' | 'batchFacts'>;

/** Terms, counts and guard in one statement: they are of one moment, and a create pays for one statement. */
function limitFactQueries(db: Db): Facts {
  const farm = prepared(db, ['owner'], (marks) =>
    terms(db, marks).select([farmsOf(db, marks.owner).as('there'), farmsOf(db, marks.owner).as('used')]),
  );
  const pond = prepared(db, ['owner', 'farm'], (marks) =>
    terms(db, marks).select([
      db
        .selectFrom('ponds')
        .select(count)
        .where('farm_id', '=', marks.farm)
        .where('hidden', '=', 0)
        .as('there'),
      pondsOf(db, marks.owner).as('used'),
    ]),
  );
  const batch = prepared(db, ['owner', 'pond', 'except'], (marks) =>
    terms(db, marks).select([
      activeEverIn(db, marks.pond, marks.except).as('there'),
      activeBatchesOf(db, marks.owner).as('used'),
    ]),
  );
  return {
    farmFacts: async ({ ownerId }) => factsIn(ownerId, await farm({ owner: ownerId })),
    pondFacts: async ({ ownerId, farmId }) => factsIn(ownerId, await pond({ owner: ownerId, farm: farmId })),
    batchFacts: async ({ ownerId, pondId, exceptId }) =>
      factsIn(ownerId, await batch({ owner: ownerId, pond: pondId, except: exceptId ?? '' })),
  };
}

function terms(db: Db, marks: Readonly<Record<'owner', string>>) {
  return db
    .selectFrom('subscriptions')
    .select([
      'plan',
      'status',
      'past_due_since',
      'max_farms',
      'max_ponds_per_farm',
      'max_batches_per_pond',
      'created_at',
      'updated_at',
    ])
    .select([
      db.selectFrom('guards').select('n').where('entity', '=', GUARD).where('id', '=', marks.owner).as('n'),
    ])
    .where('user_id', '=', marks.owner)
    .where('hidden', '=', 0);
}

type FactsRow = LimitFacts['terms'] & {
  n: number | null;
  there: number | null;
  used: number | null;
};

function factsIn(ownerId: string, [row]: readonly FactsRow[]): LimitFacts | null {
  if (row === undefined) return null;
  const { n, there, used, ...subscriptionTerms } = row;
  return {
    terms: subscriptionTerms,
    there: Number(there ?? 0),
    used: Number(used ?? 0),
    guard: { entity: GUARD, id: ownerId, n: n ?? 0 },
  };
}
