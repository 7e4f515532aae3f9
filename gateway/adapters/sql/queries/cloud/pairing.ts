import { farmMember } from '#contract/resources/farms.ts';
import { localUser, lostPerson, pairedGateway, pairing } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import type { FleetGateway, PairingQueries } from '#features/cloud/pairing/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { deviceNames, sharedNames } from '../same-place.ts';

/** Streams of gateways are numbered from here; 1 is an instance's own. */
const FIRST_STREAM = 2;
const NUMBERING_ATTEMPTS = 20;
const MOST_DROPPED = 1_000;

export function pairingQueries(db: Db): PairingQueries {
  const people = () => db.selectFrom('users').selectAll().where('hidden', '=', 0);
  const waiting = (nowIso: string) =>
    db.selectFrom('pairings').select('id').where('state', '=', 'waiting').where('expires_at', '>', nowIso);
  const farms = () =>
    db
      .selectFrom('farms')
      .leftJoin('sync_farms', 'sync_farms.id', 'farms.id')
      .select(['farms.id', 'farms.name', 'farms.owner_id', 'sync_farms.stream_id'])
      .where('farms.hidden', '=', 0);
  return {
    async gateway(id) {
      const row = await db.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(pairedGateway, row) : null;
    },
    gatewaysOf: (ownerId) => fleetRows(db, ownerId),
    fleet: () => fleetRows(db, null),
    async pairingByDevice(id) {
      const row = await db.selectFrom('pairings').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(pairing, row) : null;
    },
    async pairingByCode(hash) {
      const row = await db
        .selectFrom('pairings')
        .selectAll()
        .where('user_code_hash', '=', hash)
        .executeTakeFirst();
      return row ? decodeRow(pairing, row) : null;
    },
    async countWaiting(nowIso) {
      const found = await db
        .selectFrom('pairings')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('expires_at', '>', nowIso)
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      return Number(found?.n ?? 0);
    },
    async waitingBehind(source, nowIso, newest) {
      const rows = await waiting(nowIso)
        .where('source', '=', source)
        .orderBy('expires_at', 'desc')
        .orderBy('id')
        .offset(newest)
        // on SQLite an offset needs one
        .limit(MOST_DROPPED)
        .execute();
      return rows.map(({ id }) => id);
    },
    async oldestOfMost(nowIso, limit) {
      const most = await db
        .selectFrom('pairings')
        .select('source')
        .where('state', '=', 'waiting')
        .where('expires_at', '>', nowIso)
        .groupBy('source')
        .orderBy(({ fn }) => fn.countAll(), 'desc')
        .orderBy(({ fn }) => fn.min('expires_at'))
        .limit(1)
        .executeTakeFirst();
      if (most === undefined) return [];
      const oldest = await waiting(nowIso)
        .where('source', '=', most.source)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return oldest.map(({ id }) => id);
    },
    async expiredBefore(iso, limit) {
      const rows = await db
        .selectFrom('pairings')
        .select('id')
        .where('expires_at', '<', iso)
        .orderBy('expires_at')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async person(userId) {
      const row = await people().where('id', '=', userId).executeTakeFirst();
      return row ? decodeRow(user, row) : null;
    },
    async accountByEmail(emailKey) {
      const row = await people().where('email_key', '=', emailKey).executeTakeFirst();
      return row ? decodeRow(user, row) : null;
    },
    async takenEmails(emailKeys) {
      if (emailKeys.length === 0) return new Set();
      const rows = await db
        .selectFrom('users')
        .select('email_key')
        .where('email_key', 'in', emailKeys)
        .execute();
      return new Set(rows.map(({ email_key }) => email_key));
    },
    async instanceValue(id) {
      const row = await db
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.value ?? null;
    },
    async isOnStream(userId, streamId) {
      const active = await people().where('id', '=', userId).where('is_active', '=', 1).executeTakeFirst();
      if (active === undefined) return false;
      const owned = await db
        .selectFrom('gateways')
        .select('id')
        .where('stream_id', '=', streamId)
        .where('owner_id', '=', userId)
        .executeTakeFirst();
      if (owned !== undefined) return true;
      const onFarm = await farms()
        .where('sync_farms.stream_id', '=', streamId)
        .where((farm) =>
          farm.or([
            farm('farms.owner_id', '=', userId),
            farm.exists(
              farm
                .selectFrom('farm_members')
                .select('farm_members.id')
                .whereRef('farm_members.farm_id', '=', 'farms.id')
                .where('farm_members.user_id', '=', userId)
                .where('farm_members.hidden', '=', 0),
            ),
          ]),
        )
        .limit(1)
        .executeTakeFirst();
      return onFarm !== undefined;
    },
    streamOf: (gatewayId) => streamOf(db, gatewayId),
    async farmsOn(streamId) {
      return farms().where('sync_farms.stream_id', '=', streamId).orderBy('farms.name').execute();
    },
    async farm(farmId) {
      return (await farms().where('farms.id', '=', farmId).executeTakeFirst()) ?? null;
    },
    async newestMembership(farmId) {
      const found = await db
        .selectFrom('farm_members')
        .select((member) => member.fn.max('created_at').as('at'))
        .where('farm_id', '=', farmId)
        .executeTakeFirst();
      return found?.at ?? null;
    },
    deviceNames: (farmId) => deviceNames(db, farmId),
    sharedNames: (farmId, ownerId) => sharedNames(db, farmId, ownerId),
    async localUsers(ownerId) {
      const rows = await db
        .selectFrom('local_users')
        .innerJoin('gateways', 'gateways.stream_id', 'local_users.stream_id')
        .selectAll('local_users')
        .where('gateways.owner_id', '=', ownerId)
        .orderBy('local_users.name')
        .orderBy('local_users.id')
        .execute();
      return rows.map((row) => decodeRow(localUser, row));
    },
    async lostPeople() {
      const rows = await db
        .selectFrom('lost_people')
        .innerJoin('gateways', 'gateways.stream_id', 'lost_people.stream_id')
        .innerJoin('users', 'users.id', 'gateways.owner_id')
        .leftJoin('farms', 'farms.id', 'lost_people.farm_id')
        .leftJoin('users as people', 'people.id', 'lost_people.user_id')
        .selectAll('lost_people')
        .select(['farms.name as farm_name', 'gateways.name as gateway_name', 'users.email as gateway_owner'])
        .select(['people.email as stands_email', 'people.name as stands_name', 'people.role as stands_role'])
        .where('lost_people.state', '=', 'open')
        .orderBy('lost_people.name')
        .orderBy('lost_people.id')
        .execute();
      return rows.map(({ farm_name, gateway_name, gateway_owner, ...row }) => ({
        ...decodeRow(lostPerson, row),
        standing: { email: row.stands_email, name: row.stands_name, role: row.stands_role },
        farm_name,
        gateway_name,
        gateway_owner,
      }));
    },
    async lostPerson(id) {
      const row = await db.selectFrom('lost_people').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(lostPerson, row) : null;
    },
    async openLost(userId, kind) {
      const rows = await db
        .selectFrom('lost_people')
        .selectAll()
        .where('user_id', '=', userId)
        .where('kind', '=', kind)
        .where('state', '=', 'open')
        .execute();
      return rows.map((row) => decodeRow(lostPerson, row));
    },
    async parkedOf(streamId, { farmId, userId }) {
      const rows = await db
        .selectFrom('sync_parked')
        .select(['id', 'entity', 'change_json'])
        .where('stream_id', '=', streamId)
        .where('entity', 'in', [user.entity, farmMember.entity])
        .execute();
      // a change as it came: its body is the row of an account or of a membership
      return rows
        .filter(({ change_json }) => change_json.includes(userId))
        .filter(({ entity, change_json }) => entity === user.entity || change_json.includes(farmId))
        .map(({ id }) => id);
    },
    async localUser(id) {
      const row = await db
        .selectFrom('local_users')
        .innerJoin('gateways', 'gateways.stream_id', 'local_users.stream_id')
        .selectAll('local_users')
        .select('gateways.owner_id')
        .where('local_users.id', '=', id)
        .executeTakeFirst();
      return row ? { row: decodeRow(localUser, row), ownerId: row.owner_id } : null;
    },
  };
}

/** The stream of a gateway: made at its first pairing, with a number that nobody had, and its own for ever. */
async function streamOf(db: Db, gatewayId: string): Promise<{ id: number; epoch: number }> {
  for (let attempt = 0; attempt < NUMBERING_ATTEMPTS; attempt += 1) {
    const known = await db
      .selectFrom('sync_stream')
      .select(['stream_id', 'epoch'])
      .where('gateway_id', '=', gatewayId)
      .where('stream_id', '>=', FIRST_STREAM)
      .executeTakeFirst();
    if (known !== undefined) return { id: known.stream_id, epoch: known.epoch };
    const last = await db
      .selectFrom('sync_stream')
      .select(({ fn }) => fn.max('stream_id').as('id'))
      .executeTakeFirst();
    await db
      .insertInto('sync_stream')
      .values({
        stream_id: Math.max(Number(last?.id ?? 0), FIRST_STREAM - 1) + 1,
        gateway_id: gatewayId,
        ...NEW_STREAM,
      })
      // another process may have taken the number, or numbered this very gateway
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  throw new Error(`gateway ${gatewayId} found no number for its stream`);
}

const NEW_STREAM = {
  epoch: 1,
  hlc: null,
  tx: 0,
  core_seq: 0,
  core_chain: '',
  history_seq: 0,
  history_chain: '',
  in_core_seq: 0,
  in_core_chain: '',
  in_history_seq: 0,
  in_history_chain: '',
  acked_core_seq: 0,
  acked_core_chain: '',
  acked_history_seq: 0,
  acked_history_chain: '',
  floor_seq: 0,
  timeline: '',
  resync: null,
};

async function fleetRows(db: Db, ownerId: string | null): Promise<FleetGateway[]> {
  const rows = await db
    .selectFrom('gateways')
    .innerJoin('sync_stream', 'sync_stream.stream_id', 'gateways.stream_id')
    .innerJoin('users', 'users.id', 'gateways.owner_id')
    .selectAll('gateways')
    .select(['users.email as owner_email', 'users.name as owner_name', 'sync_stream.epoch'])
    .select(['sync_stream.core_seq', 'sync_stream.acked_core_seq'])
    .select(['sync_stream.in_core_seq as in_core', 'sync_stream.in_history_seq as in_history'])
    .select((about) => [
      about
        .selectFrom('sync_farms')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('sync_farms.stream_id', '=', 'gateways.stream_id')
        .as('farms'),
      about
        .selectFrom('sync_conflicts')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('sync_conflicts.stream_id', '=', 'gateways.stream_id')
        .where('sync_conflicts.state', '=', 'open')
        .as('conflicts'),
      about
        .selectFrom('sync_parked')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('sync_parked.stream_id', '=', 'gateways.stream_id')
        .as('parked'),
    ])
    .$if(ownerId !== null, (query) => query.where('gateways.owner_id', '=', ownerId ?? ''))
    .orderBy('gateways.stream_id')
    .execute();
  return rows.map((row) => ({
    ...decodeRow(pairedGateway, row),
    owner_email: row.owner_email,
    owner_name: row.owner_name,
    epoch: row.epoch,
    farms: Number(row.farms ?? 0),
    conflicts: Number(row.conflicts ?? 0),
    parked: Number(row.parked ?? 0),
    behind: Math.max(0, row.core_seq - row.acked_core_seq),
    in_core: row.in_core,
    in_history: row.in_history,
  }));
}
