import { sql } from 'kysely';
import { aerator } from '#contract/resources/aerators.ts';
import { order } from '#contract/resources/control-points.ts';
import { command, takenCommand } from '#contract/resources/sync-tables.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { CommandQueries, TakenQueries } from '#features/control/commands/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks } from '../paging.ts';

/** What is older is settled, or never will be. */
const LOOKED_BACK_MS = 24 * 3_600_000;
/** Whoever ordered that long ago saw another farm. */
const MOST_SINCE = 200;
// the words of the partial index
const isOpen = sql<boolean>`state in ('pending', 'sent', 'confirming', 'accepted')`;

export function commandQueries(db: Db): CommandQueries {
  const all = () => db.selectFrom('commands').selectAll();
  return {
    async commandById(id) {
      const row = await all().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(command, row);
    },
    async openOf(ids) {
      if (ids.length === 0) return [];
      const rows = await all()
        .where('control_point_id', 'in', ids)
        .where(isOpen)
        .orderBy('issued_at_ms')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(command, row));
    },
    async waitingFor(streamId, states, now) {
      const rows = await all()
        .where('stream_id', '=', streamId)
        .where('state', 'in', states)
        // one that had the word that it counts waits for what the gateway says of it
        .where((row) => row.or([row('expires_at_ms', '>', now), row('state', '=', 'confirming')]))
        .orderBy('issued_at_ms')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(command, row));
    },
    async overdue(now, limit) {
      const rows = await all()
        .where(isOpen)
        .where('expires_at_ms', '<=', now)
        // one that a gateway was told counts is looked at until it has an end
        .where((row) =>
          row.or([row('expires_at_ms', '>', now - LOOKED_BACK_MS), row('state', '=', 'confirming')]),
        )
        .orderBy('expires_at_ms')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(command, row));
    },
    async countJourneys(controlPointId) {
      const row = await db
        .selectFrom('commands')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('control_point_id', '=', controlPointId)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    journeyOf(controlPointId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('commands')
          .leftJoin('users', 'users.id', 'commands.issued_by')
          .selectAll('commands')
          .select('users.name as issued_by_name')
          .where('commands.control_point_id', '=', controlPointId)
          .$if(after !== null, (query) =>
            query.where((row) =>
              row(
                row.refTuple('commands.issued_at_ms', 'commands.id'),
                '<',
                row.tuple(after?.issued_at_ms ?? 0, after?.id ?? ''),
              ),
            ),
          )
          .orderBy('commands.issued_at_ms', 'desc')
          .orderBy('commands.id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(({ issued_by_name, ...row }) => ({ ...decodeRow(command, row), issued_by_name }));
      });
    },
    async ordersOf(ids) {
      if (ids.length === 0) return [];
      const rows = await db.selectFrom('orders').selectAll().where('id', 'in', ids).execute();
      return rows.map((row) => decodeRow(order, row));
    },
    async pointNames(id) {
      const row = await db
        .selectFrom('control_points')
        .innerJoin('farms', 'farms.id', 'control_points.farm_id')
        .select(['control_points.cod', 'farms.id as farmId', 'farms.name as farmName'])
        .where('control_points.id', '=', id)
        .where('control_points.hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async orderFacts(id) {
      const rows = await db
        .selectFrom('commands')
        .leftJoin('control_points', (join) =>
          join
            .onRef('control_points.id', '=', 'commands.control_point_id')
            .on('control_points.hidden', '=', 0),
        )
        .leftJoin('farms', (join) =>
          join.onRef('farms.id', '=', 'control_points.farm_id').on('farms.hidden', '=', 0),
        )
        .leftJoin('sync_farms', 'sync_farms.id', 'farms.id')
        .leftJoin('gateways', 'gateways.stream_id', 'commands.stream_id')
        .leftJoin('users', (join) =>
          join.onRef('users.id', '=', 'commands.issued_by').on('users.hidden', '=', 0),
        )
        .leftJoin('farm_members', (join) =>
          join
            .onRef('farm_members.farm_id', '=', 'farms.id')
            .onRef('farm_members.user_id', '=', 'commands.issued_by')
            .on('farm_members.hidden', '=', 0),
        )
        .selectAll('commands')
        .select([
          'farms.owner_id',
          'sync_farms.stream_id as bound_to',
          'gateways.status',
          'users.is_active',
          'farm_members.role',
        ])
        // the words of the partial index
        .where(sql<boolean>`commands.state in ('pending', 'sent', 'confirming', 'accepted')`)
        .where('commands.state', '!=', 'accepted')
        .$if(id !== null, (query) => query.where('commands.id', '=', id ?? ''))
        .execute();
      return rows.map(({ owner_id, bound_to, status, is_active, role, ...row }) => ({
        command: decodeRow(command, row),
        farm: owner_id === null ? null : { ownerId: owner_id, streamId: bound_to },
        isGatewayRevoked: status === 'revoked',
        isIssuerActive: is_active === 1,
        role,
      }));
    },
    async aeratorById(id) {
      const row = await db
        .selectFrom('aerators')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : decodeRow(aerator, row);
    },
  };
}

export function takenQueries(db: Db): TakenQueries {
  return {
    async takenById(id) {
      const row = await db.selectFrom('commands_taken').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(takenCommand, row);
    },
    async accepted() {
      const rows = await db
        .selectFrom('commands_taken')
        .selectAll()
        .where('state', '=', 'accepted')
        .execute();
      return rows.map((row) => decodeRow(takenCommand, row));
    },
    async orderById(id) {
      const row = await db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(order, row);
    },
    async ordersSince(controlPointId, version) {
      const rows = await db
        .selectFrom('orders')
        .selectAll()
        .where('control_point_id', '=', controlPointId)
        .where('version', '>', version)
        .orderBy('version', 'desc')
        .limit(MOST_SINCE)
        .execute();
      return rows.map((row) => decodeRow(order, row));
    },
    async isRefusedOn(farmId, userId) {
      const rows = await db
        .selectFrom('farms')
        .innerJoin('farm_members', 'farm_members.farm_id', 'farms.id')
        .select(['farm_members.role', 'farm_members.hidden'])
        .where('farms.id', '=', farmId)
        .where('farms.owner_id', '!=', userId)
        .where('farm_members.user_id', '=', userId)
        .execute();
      // who is a member since a moment ago may not be known here yet
      if (rows.length === 0) return false;
      return !rows.some(({ role, hidden }) => hidden === 0 && mayOnFarm(role, 'attend'));
    },
    async userExists(id) {
      return (
        (await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      );
    },
  };
}
