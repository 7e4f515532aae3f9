import { sql } from 'kysely';
import type { RowOf } from '#contract/resource.ts';
import { paymentEvent, paymentObject, providerSubscription } from '#contract/resources/local-tables.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { PaymentQueries } from '#features/people/payments/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

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

export type SandboxObject = RowOf<typeof paymentObject>;

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
