import { address } from '#contract/resources/addresses.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { hasCode, invitation } from '#contract/resources/invitations.ts';
import { membersWith } from '#contract/rights.ts';
import type { HandoverQueries, InvitationQueries, Stray } from '#features/people/invitations/ports.ts';
import type { MemberQueries } from '#features/people/members/ports.ts';
import { readHlc } from '#store/hlc.ts';
import { LIFE, registerOf } from '#store/register.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmQueries } from '../farm/farms.ts';
import { createdAfter, inChunks } from '../paging.ts';
import { deviceNames, sharedNames } from '../same-place.ts';

export function memberQueries(db: Db): MemberQueries {
  const people = () => db.selectFrom('users').select(['id', 'name', 'email']).where('hidden', '=', 0);
  const members = (farmId: string, userId: string) =>
    db.selectFrom('farm_members').where('farm_id', '=', farmId).where('user_id', '=', userId);
  return {
    async ownerOf(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('owner_id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.owner_id ?? null;
    },
    async memberOf(farmId, userId) {
      const row = await members(farmId, userId).selectAll().where('hidden', '=', 0).executeTakeFirst();
      return row ? decodeRow(farmMember, row) : null;
    },
    async pastMemberships(farmId, userId) {
      const found = await members(farmId, userId)
        .select(({ fn }) => fn.countAll<number>().as('past'))
        .where('hidden', '=', 1)
        .executeTakeFirst();
      return Number(found?.past ?? 0);
    },
    membersOf(farmId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('farm_members')
          .innerJoin('users', 'users.id', 'farm_members.user_id')
          .selectAll('farm_members')
          .select(['users.name', 'users.email'])
          .where('farm_members.farm_id', '=', farmId)
          .where('farm_members.hidden', '=', 0)
          .where(createdAfter(after, 'farm_members'))
          .orderBy('farm_members.created_at')
          .orderBy('farm_members.id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => ({ ...decodeRow(farmMember, row), name: row.name, email: row.email }));
      });
    },
    contactsOf(farmId, page) {
      const attendants = db
        .selectFrom('farm_members')
        .select('user_id')
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .where('role', 'in', membersWith('attend'));
      const owner = db.selectFrom('farms').select('owner_id').where('id', '=', farmId);
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('users')
          .select(['id', 'created_at', 'id as user_id', 'name', 'phone_number'])
          .where((either) => either.or([either('id', 'in', owner), either('id', 'in', attendants)]))
          .where('hidden', '=', 0)
          .where('is_active', '=', 1)
          .where('phone_number', 'is not', null)
          .where('phone_number', '<>', '')
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => ({ ...row, phone_number: row.phone_number ?? '' }));
      });
    },
    async personById(userId) {
      return (await people().where('id', '=', userId).executeTakeFirst()) ?? null;
    },
    async personByEmail(emailKey) {
      return (await people().where('email_key', '=', emailKey).executeTakeFirst()) ?? null;
    },
  };
}

export function invitationQueries(db: Db): InvitationQueries {
  const { memberOf, pastMemberships } = memberQueries(db);
  const visible = () => db.selectFrom('invitations').selectAll().where('hidden', '=', 0);
  const people = () =>
    db
      .selectFrom('users')
      .select(['id', 'name', 'email_key', 'role'])
      .where('hidden', '=', 0)
      .where('is_active', '=', 1);
  return {
    memberOf,
    pastMemberships,
    async lastLeft(farmId, userId) {
      const rows = await db
        .selectFrom('farm_members')
        .innerJoin('sync_register', (join) =>
          join
            .onRef('sync_register.id', '=', 'farm_members.id')
            .on('sync_register.entity', '=', farmMember.entity),
        )
        .select(['sync_register.cl', 'sync_register.hlc', 'sync_register.over_json'])
        .where('farm_members.farm_id', '=', farmId)
        .where('farm_members.user_id', '=', userId)
        .where('farm_members.hidden', '=', 1)
        .execute();
      const ends = rows.map(registerOf).map(({ over, hlc }) => readHlc(over[LIFE] ?? hlc).ms);
      return ends.length === 0 ? null : Math.max(...ends);
    },
    farm: farmQueries(db).farmById,
    async person(userId) {
      return (await people().where('id', '=', userId).executeTakeFirst()) ?? null;
    },
    async personByEmail(emailKey) {
      return (await people().where('email_key', '=', emailKey).executeTakeFirst()) ?? null;
    },
    async byId(id) {
      const row = await visible().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(invitation, row);
    },
    async byCode(codeHash) {
      const row = await visible().where('code_hash', '=', codeHash).executeTakeFirst();
      return row ? decodeRow(invitation, row) : null;
    },
    async ofFarm(farmId, id) {
      const row = await visible().where('id', '=', id).where('farm_id', '=', farmId).executeTakeFirst();
      return row ? decodeRow(invitation, row) : null;
    },
    allOfFarm(farmId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await visible()
          .where('farm_id', '=', farmId)
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(invitation, row));
      });
    },
    async openOfFarm(farmId) {
      const rows = await visible().where('farm_id', '=', farmId).where('state', '=', 'OPEN').execute();
      return rows.map((row) => decodeRow(invitation, row));
    },
    offersTo(emailKeys, at, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('invitations')
          .innerJoin('farms', 'farms.id', 'invitations.farm_id')
          .select(['invitations.id', 'invitations.farm_id', 'farms.name as farm_name'])
          .select([
            'invitations.kind',
            'invitations.role',
            'invitations.expires_at',
            'invitations.created_at',
            'invitations.code_hash',
          ])
          .where('invitations.email_key', 'in', emailKeys)
          .where('invitations.state', '=', 'OPEN')
          .where('invitations.expires_at', '>', at)
          .where('invitations.hidden', '=', 0)
          .where(createdAfter(after, 'invitations'))
          .orderBy('invitations.created_at')
          .orderBy('invitations.id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(({ code_hash, ...row }) => ({ ...row, needs_code: hasCode({ code_hash }) }));
      });
    },
  };
}

/** What stands on a farm and has its owner written in it. */
export function handoverQueries(db: Db): HandoverQueries {
  const idsOn = async (table: 'ponds' | 'control_points' | 'batches', farmId: string) => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('farm_id', '=', farmId)
      .where('hidden', '=', 0)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  };
  const straysIn = async (table: 'control_points' | 'batches', of: Stray['of'], limit: number) => {
    const rows = await db
      .selectFrom(table)
      .innerJoin('farms', 'farms.id', `${table}.farm_id`)
      .select([`${table}.id as id`, 'farms.owner_id as owner_id'])
      .whereRef(`${table}.owner_id`, '<>', 'farms.owner_id')
      .where(`${table}.hidden`, '=', 0)
      .where('farms.hidden', '=', 0)
      .orderBy(`${table}.id`)
      .limit(limit)
      .execute();
    return rows.map((row): Stray => ({ of, ...row }));
  };
  return {
    strays: async (limit) => [
      ...(await straysIn('control_points', 'control_point', limit)),
      ...(await straysIn('batches', 'batch', limit)),
    ],
    async address(id) {
      const row = await db
        .selectFrom('addresses')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      if (!row) return null;
      const { rev: _, ...fields } = decodeRow(address, row);
      return fields;
    },
    pondIds: (farmId) => idsOn('ponds', farmId),
    controlPointIds: (farmId) => idsOn('control_points', farmId),
    batchIds: (farmId) => idsOn('batches', farmId),
    async gatewayOf(farmId) {
      const gateway = await db
        .selectFrom('gateways')
        .innerJoin('sync_farms', 'sync_farms.stream_id', 'gateways.stream_id')
        .select(['gateways.id', 'gateways.stream_id'])
        .where('sync_farms.id', '=', farmId)
        .executeTakeFirst();
      if (gateway === undefined) return null;
      const others = await db
        .selectFrom('farms')
        .innerJoin('sync_farms', 'sync_farms.id', 'farms.id')
        .select(['farms.name', 'farms.owner_id'])
        .where('sync_farms.stream_id', '=', gateway.stream_id)
        .where('farms.id', '<>', farmId)
        .where('farms.hidden', '=', 0)
        .orderBy('farms.name')
        .execute();
      return { id: gateway.id, others };
    },
    deviceNames: (farmId) => deviceNames(db, farmId),
    sharedNames: (farmId, userId) => sharedNames(db, farmId, userId),
    async sharedCodes(farmId, userId) {
      const points = await db
        .selectFrom('control_points as here')
        .innerJoin('control_points as there', 'there.cod', 'here.cod')
        .select('here.cod as code')
        .where('here.farm_id', '=', farmId)
        .where('here.hidden', '=', 0)
        .where('there.owner_id', '=', userId)
        .where('there.hidden', '=', 0)
        .orderBy('here.cod')
        .execute();
      const batches = await db
        .selectFrom('batches as here')
        .innerJoin('batches as there', 'there.batch_code', 'here.batch_code')
        .select('here.batch_code as code')
        .where('here.farm_id', '=', farmId)
        .where('here.hidden', '=', 0)
        .where('there.owner_id', '=', userId)
        .where('there.hidden', '=', 0)
        .orderBy('here.batch_code')
        .execute();
      return { controlPoints: points.map(({ code }) => code), batches: batches.map(({ code }) => code) };
    },
  };
}
