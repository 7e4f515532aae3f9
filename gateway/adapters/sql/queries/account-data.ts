import { user } from '#contract/resources/users.ts';
import type { AccountDataQueries } from '#features/account-data/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';
import { accountSections, customerIdsOf } from './account-sections.ts';

/** Long reads go through `long`. */
export function accountDataQueries(db: Db, long: Db): AccountDataQueries {
  return {
    async account(userId) {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(user, row) : null;
    },
    farmsOwned: (userId) =>
      db
        .selectFrom('farms')
        .select(['id', 'name'])
        .where('owner_id', '=', userId)
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    gatewaysOwned: (userId) =>
      db
        .selectFrom('gateways')
        .select('name')
        .where('owner_id', '=', userId)
        .where('status', '<>', 'revoked')
        .orderBy('name')
        .execute(),
    async otherAdmins(userId) {
      const found = await db
        .selectFrom('users')
        .select(({ fn }) => fn.countAll<number>().as('admins'))
        .where('role', '=', 'ADMIN')
        .where('is_active', '=', 1)
        .where('hidden', '=', 0)
        .where('id', '<>', userId)
        .executeTakeFirst();
      return Number(found?.admins ?? 0);
    },
    personalRows: (userId, emailKey) => personalRows(db, userId, emailKey),
    async leftovers(limit) {
      const deleted = () => db.selectFrom('users').select('users.id').where('users.hidden', '=', 1);
      const notifications = await db
        .selectFrom('notifications')
        .select('id')
        .where('user_id', 'in', deleted())
        .where('hidden', '=', 1)
        .limit(limit)
        .execute();
      const deliveries = await db
        .selectFrom('deliveries')
        .select('id')
        .where('user_id', 'in', deleted())
        .limit(limit)
        .execute();
      return { notifications: notifications.map(idOf), deliveries: deliveries.map(idOf) };
    },
    sectionsOf: (userId) => accountSections(long, userId),
  };
}

const idOf = ({ id }: { id: string }): string => id;

type PersonalRows = ReturnType<AccountDataQueries['personalRows']>;

async function personalRows(db: Db, userId: string, emailKey: string): PersonalRows {
  const visible = async (
    table: 'addresses' | 'access_tokens' | 'notification_channels' | 'subscriptions',
  ): Promise<string[]> => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('user_id', '=', userId)
      .where('hidden', '=', 0)
      .execute();
    return rows.map(idOf);
  };
  const local = async (table: 'usage_crossings' | 'provider_subscriptions'): Promise<string[]> => {
    const rows = await db.selectFrom(table).select('id').where('user_id', '=', userId).execute();
    return rows.map(idOf);
  };
  const invitations = await db
    .selectFrom('invitations')
    .select('id')
    .where('email_key', '=', emailKey)
    .where('hidden', '=', 0)
    .execute();
  return {
    addresses: await visible('addresses'),
    accessTokens: await visible('access_tokens'),
    channels: await visible('notification_channels'),
    subscriptions: await visible('subscriptions'),
    invitations: invitations.map(idOf),
    usageCrossings: await local('usage_crossings'),
    providerSubscriptions: await local('provider_subscriptions'),
    paymentObjects: await paymentObjectIds(db, userId),
  };
}

/** A customer stands under its own id, what belongs to it under the customer's. */
async function paymentObjectIds(db: Db, userId: string): Promise<string[]> {
  const known = await customerIdsOf(db, userId);
  if (known.length === 0) return [];
  const rows = await db
    .selectFrom('payment_objects')
    .select('id')
    .where((either) => either.or([either('customer_id', 'in', known), either('id', 'in', known)]))
    .execute();
  return rows.map(idOf);
}
