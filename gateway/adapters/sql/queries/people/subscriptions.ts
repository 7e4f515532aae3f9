import { sql } from 'kysely';
import type { RowOf } from '#contract/resource.ts';
import { paymentEvent, paymentObject, providerSubscription } from '#contract/resources/local-tables.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { PaymentQueries } from '#features/people/payments/ports.ts';
import type { LimitFacts, SubscriptionQueries } from '#features/people/subscriptions/ports.ts';
import { type Db, prepared } from '../../database.ts';
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

export function paymentQueries(db: Db): PaymentQueries {
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
    async personOf(userId) {
      const row = await db
        .selectFrom('users')
        .select(['id', 'email', 'name'])
        .where('id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? { userId: row.id, email: row.email, name: row.name } : null;
    },
    async eventSeen(eventId) {
      const row = await db
        .selectFrom('payment_events')
        .selectAll()
        .where('id', '=', eventId)
        .executeTakeFirst();
      return row ? decodeRow(paymentEvent, row) : null;
    },
    async holderOf(id) {
      const row = await db
        .selectFrom('provider_subscriptions')
        .select('user_id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.user_id ?? null;
    },
    async userOfCustomer(customerId) {
      const row = await db
        .selectFrom('subscriptions')
        .select('user_id')
        .where('payment_customer_id', '=', customerId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.user_id ?? null;
    },
    async providerSubscriptionsOf(userId, provider) {
      const rows = await db
        .selectFrom('provider_subscriptions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('provider', '=', provider)
        .orderBy('id')
        .execute();
      return rows.map((row) => withoutRev(decodeRow(providerSubscription, row)));
    },
    async dueLooks({ provider, at, limit }) {
      const rows = await db
        .selectFrom('provider_subscriptions as at_provider')
        .innerJoin('subscriptions', (join) =>
          join
            .onRef('subscriptions.payment_subscription_id', '=', 'at_provider.id')
            .onRef('subscriptions.user_id', '=', 'at_provider.user_id'),
        )
        .selectAll('at_provider')
        .where('at_provider.provider', '=', provider)
        .where('subscriptions.payment_provider', '=', provider)
        .where('subscriptions.status', '<>', 'CANCELED')
        .where('subscriptions.hidden', '=', 0)
        .where((either) =>
          either.or([either('at_provider.look_at', 'is', null), either('at_provider.look_at', '<=', at)]),
        )
        .orderBy(sql`coalesce(at_provider.look_at, '')`)
        .orderBy('at_provider.id')
        .limit(limit)
        .execute();
      return rows.map((row) => withoutRev(decodeRow(providerSubscription, row)));
    },
    async buyersUnheard({ provider, from, until, limit }) {
      const rows = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('payment_provider', '=', provider)
        .where('payment_customer_id', 'is not', null)
        .where('payment_subscription_id', 'is', null)
        .where('hidden', '=', 0)
        .where('updated_at', '>', from)
        .where('updated_at', '<=', until)
        .orderBy('updated_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(subscription, row));
    },
  };
}

type SandboxObject = RowOf<typeof paymentObject>;

/** What the built-in provider looks up of its own. */
export function sandboxQueries(db: Db) {
  return {
    async objectById(id: string): Promise<SandboxObject | null> {
      const row = await db.selectFrom('payment_objects').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? withoutRev(decodeRow(paymentObject, row)) : null;
    },
    /** Newest first. */
    async objectsOf(
      customerId: string,
      kind: SandboxObject['kind'],
      limit: number,
    ): Promise<SandboxObject[]> {
      const rows = await db
        .selectFrom('payment_objects')
        .selectAll()
        .where('customer_id', '=', customerId)
        .where('kind', '=', kind)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => withoutRev(decodeRow(paymentObject, row)));
    },
    /** What is due, longest due first. */
    async dueObjects(at: string, limit: number): Promise<SandboxObject[]> {
      const rows = await db
        .selectFrom('payment_objects')
        .selectAll()
        .where('due_at', 'is not', null)
        .where('due_at', '<=', at)
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => withoutRev(decodeRow(paymentObject, row)));
    },
  };
}

/** Rows of local tables have no version; a row that is stored again must not carry one. */
function withoutRev<Row extends { rev: number }>({ rev: _rev, ...row }: Row): Omit<Row, 'rev'> {
  return row;
}
