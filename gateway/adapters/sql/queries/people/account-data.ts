import { sql } from 'kysely';
import { address } from '#contract/resources/addresses.ts';
import { notification } from '#contract/resources/notifications.ts';
import { STAND_IN_DOMAIN, standInEmail, user } from '#contract/resources/users.ts';
import type { AccountDataQueries, Leftovers } from '#features/people/account-data/ports.ts';
import { BOX_RIGHT } from '#features/people/box-rights.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
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
    formerStreams: (userId) => formerStreams(db, userId),
    leftovers: (limit) => leftovers(db, limit),
    sectionsOf: (userId) => accountSections(long, userId),
  };
}

const idOf = ({ id }: { id: string }): string => id;

type PersonalRows = ReturnType<AccountDataQueries['personalRows']>;

/** Farms with a gateway that the person left, as a member or as the owner who handed it over. */
async function formerStreams(db: Db, userId: string): Promise<number[]> {
  const left = db
    .selectFrom('farm_members')
    .select('farm_id')
    .where('user_id', '=', userId)
    .where('hidden', '=', 1);
  const handedOver = db
    .selectFrom('invitations')
    .select('farm_id')
    .where('created_by', '=', userId)
    .where('kind', '=', 'HANDOVER')
    .where('state', '=', 'ACCEPTED');
  const rows = await db
    .selectFrom('sync_farms')
    .innerJoin('sync_stream', 'sync_stream.stream_id', 'sync_farms.stream_id')
    .select('sync_farms.stream_id')
    .distinct()
    .where('sync_farms.id', 'in', left.union(handedOver))
    .orderBy('sync_farms.stream_id')
    .execute();
  return rows.map(({ stream_id }) => stream_id);
}

/** Gateway: people of whom the hosted instance said that they are on none of its farms any more. */
const leavers = (db: Db) =>
  db
    .selectFrom('users')
    .select('users.id')
    .where('users.hidden', '=', 0)
    .where('users.is_active', '=', 0)
    .where(sql<boolean>`users.email_key = users.id || ${sql.lit(`@${STAND_IN_DOMAIN}`)}`);

/** What they had at this instance alone. */
async function leftoversOfLeavers(db: Db, limit: number): Promise<Leftovers['ofLeavers']> {
  const visible = async (table: 'notification_channels' | 'access_tokens'): Promise<string[]> => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('hidden', '=', 0)
      .where('user_id', 'in', leavers(db))
      .limit(limit)
      .execute();
    return rows.map(idOf);
  };
  const rights = await db
    .selectFrom('instance_values')
    .select('instance_values.id')
    .where(
      'instance_values.id',
      'in',
      leavers(db)
        .clearSelect()
        .select(sql<string>`${sql.lit(BOX_RIGHT)} || users.id`.as('right_id')),
    )
    .limit(limit)
    .execute();
  return {
    channels: await visible('notification_channels'),
    accessTokens: await visible('access_tokens'),
    boxRights: rights.map(idOf),
  };
}

async function leftovers(db: Db, limit: number): Promise<Leftovers> {
  const deleted = () => db.selectFrom('users').select('users.id').where('users.hidden', '=', 1);
  const gone = () => deleted().union(leavers(db));
  const theirFarms = () =>
    db
      .selectFrom('farms')
      .select('farms.id')
      .where('farms.hidden', '=', 1)
      .where('farms.owner_id', 'in', deleted());
  const hiddenOf = async (table: 'notifications' | 'access_tokens'): Promise<string[]> => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('user_id', 'in', table === 'access_tokens' ? gone() : deleted())
      .where('hidden', '=', 1)
      .limit(limit)
      .execute();
    return rows.map(idOf);
  };
  // of anybody: they are this instance's own, and who removed one is not coming back to it
  const channels = await db
    .selectFrom('notification_channels')
    .select('id')
    .where('hidden', '=', 1)
    .limit(limit)
    .execute();
  const deliveries = await db
    .selectFrom('deliveries')
    .select('id')
    .where('user_id', 'in', gone())
    .limit(limit)
    .execute();
  const secondFactors = await db
    .selectFrom('second_factors')
    .select('id')
    .where('id', 'in', gone())
    .limit(limit)
    .execute();
  const localOf = async (
    table: 'sessions' | 'passkeys' | 'lost_people' | 'push_actions',
  ): Promise<string[]> => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      // of a lost account an address alone is noted here: it looks like a leaver's until it is taken back
      .where('user_id', 'in', table === 'lost_people' ? deleted() : gone())
      .limit(limit)
      .execute();
    return rows.map(idOf);
  };
  const accessTokens = await hiddenOf('access_tokens');
  const tokenUses =
    accessTokens.length === 0
      ? []
      : await db.selectFrom('token_uses').select('id').where('id', 'in', accessTokens).execute();
  const addresses = await db
    .selectFrom('addresses')
    .select('id')
    .where('user_id', 'in', deleted())
    // none is entered without
    .where('street', '<>', '')
    .limit(limit)
    .execute();
  const farms = await theirFarms().where('farms.name', '<>', '').limit(limit).execute();
  const ponds = await db
    .selectFrom('ponds')
    .select('id')
    .where('farm_id', 'in', theirFarms())
    .where((either) => either.or([either('lat', 'is not', null), either('lng', 'is not', null)]))
    .limit(limit)
    .execute();
  const batches = await db
    .selectFrom('batches')
    .select('id')
    .where('farm_id', 'in', theirFarms())
    .where((either) => either.or([either('notes', 'is not', null), either('end_reason', 'is not', null)]))
    .limit(limit)
    .execute();
  return {
    ofLeavers: await leftoversOfLeavers(db, limit),
    notifications: await hiddenOf('notifications'),
    channels: channels.map(idOf),
    accessTokens,
    tokenUses: tokenUses.map(idOf),
    deliveries: deliveries.map(idOf),
    secondFactors: secondFactors.map(idOf),
    sessions: await localOf('sessions'),
    lostPeople: await localOf('lost_people'),
    passkeys: await localOf('passkeys'),
    pushActions: await localOf('push_actions'),
    addresses: addresses.map(idOf),
    farms: farms.map(idOf),
    ponds: ponds.map(idOf),
    batches: batches.map(idOf),
  };
}

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
  const local = async (
    table: 'usage_crossings' | 'provider_subscriptions' | 'sessions' | 'passkeys' | 'lost_people',
  ): Promise<string[]> => {
    const rows = await db.selectFrom(table).select('id').where('user_id', '=', userId).execute();
    return rows.map(idOf);
  };
  const names = [emailKey, standInEmail(userId)];
  const invitations = await db
    .selectFrom('invitations')
    .select(['id', 'state'])
    .where('email_key', 'in', names)
    .execute();
  const letters = await db
    .selectFrom('invitation_letters')
    .select('id')
    .where('id', 'in', db.selectFrom('invitations').select('id').where('email_key', 'in', names))
    .execute();
  const conflicts = await db
    .selectFrom('sync_conflicts')
    .select('id')
    .where((either) =>
      either.or([
        either.and([either('entity', '=', user.entity), either('row_id', '=', userId)]),
        either.and([
          either('entity', '=', address.entity),
          either('row_id', 'in', db.selectFrom('addresses').select('id').where('user_id', '=', userId)),
        ]),
      ]),
    )
    .execute();
  return {
    addresses: await visible('addresses'),
    accessTokens: await visible('access_tokens'),
    channels: await visible('notification_channels'),
    subscriptions: await visible('subscriptions'),
    invitations,
    invitationLetters: letters.map(idOf),
    conflicts: conflicts.map(idOf),
    sessions: await local('sessions'),
    lostPeople: await local('lost_people'),
    passkeys: await local('passkeys'),
    usageCrossings: await local('usage_crossings'),
    providerSubscriptions: await local('provider_subscriptions'),
    paymentObjects: await paymentObjectIds(db, userId),
    answers: await storedAnswers(db, userId, emailKey),
    parked: await parkedIds(db, userId),
    boxRights: (
      await db.selectFrom('instance_values').select('id').where('id', '=', `${BOX_RIGHT}${userId}`).execute()
    ).map(idOf),
  };
}

async function storedAnswers(db: Db, userId: string, emailKey: string): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotent_answers')
    .select('id')
    .where((either) =>
      either.or([
        either('user_id', '=', userId),
        // an address that others typed, in an answer to them
        sql<boolean>`lower(answer) like ${`%${JSON.stringify(emailKey).replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`,
      ]),
    )
    .execute();
  return rows.map(idOf);
}

async function parkedIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sync_parked')
    .select('id')
    .where((either) =>
      either.or([
        either.and([either('entity', '=', user.entity), either('row_id', '=', userId)]),
        either.and([
          either('entity', 'in', [address.entity, notification.entity]),
          either('change_json', 'like', `%"user_id":"${userId}"%`),
        ]),
      ]),
    )
    .execute();
  return rows.map(idOf);
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
