import { controlPointEventOf, type SnapshotEvent } from '#contract/events/stream.ts';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { type FarmRole, RETURNED_FOR_MS } from '#contract/words.ts';
import type { Db } from '../database.ts';
import { decodeRow, type Tables } from '../tables.ts';
import {
  hasReturned,
  isOfWhatStands,
  ofEpisode,
  placeAtPlace,
  placeInEpisode,
} from './alarms/standing-alerts.ts';
import { farmRolesOf } from './farm/farms.ts';

const MAX_ALERTS = 1000;
const MAX_EPISODES = 500;
const MAX_RETURNED = 200;
const MAX_PEOPLE = 1000;

export type StoredSnapshot = Pick<
  SnapshotEvent,
  'farms' | 'people' | 'control_points' | 'alerts' | 'returned' | 'unread_notifications'
> & {
  /** Last contact as the database knows it: behind what the process that hears the controllers knows. */
  contacts: { control_point_id: string; heard_at_ms: number; consumption: number }[];
};

const NOTHING = { farms: [], people: [], control_points: [], contacts: [], alerts: [], returned: [] };

/** What an event stream begins with, and who may see what. */
export function eventQueries(db: Db) {
  return {
    async farmsOf(userId: string): Promise<Map<string, FarmRole>> {
      const rows = await farmRolesOf(db, userId).execute();
      const farms = new Map<string, FarmRole>();
      // a membership beside the ownership takes nothing away
      for (const { id, role } of rows) if (role === null || !farms.has(id)) farms.set(id, role ?? 'OWNER');
      return farms;
    },
    async farmOfControlPoint(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('control_points')
        .select('farm_id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.farm_id ?? null;
    },
    async farmOfPond(id: string): Promise<string | null> {
      const row = await db.selectFrom('ponds').select('farm_id').where('id', '=', id).executeTakeFirst();
      return row?.farm_id ?? null;
    },
    /** The newest open alerts of these episodes, of those that are not over. */
    openOfEpisodes: (farmIds: readonly string[], episodeIds: readonly string[]) =>
      activeAlertsOn(db, farmIds, episodeIds.slice(0, MAX_EPISODES)),
    async snapshotFor(userId: string, farmIds: readonly string[], now: number): Promise<StoredSnapshot> {
      // PostgreSQL knows no empty list
      if (farmIds.length === 0) return { ...NOTHING, unread_notifications: await unreadOf(db, userId) };
      const [farms, people, rows, contacts, alerts, returned, unread] = await Promise.all([
        farmsWithRole(db, userId, farmIds),
        peopleOf(db, farmIds),
        controlPointsOn(db, farmIds),
        contactsOn(db, farmIds),
        activeAlertsOn(db, farmIds),
        returnedAlertsOn(db, farmIds, now),
        unreadOf(db, userId),
      ]);
      const control_points = rows.map((row) => controlPointEventOf(row, { rev: row.rev, deleted: false }));
      return { farms, people, control_points, contacts, alerts, returned, unread_notifications: unread };
    },
  };
}

async function farmsWithRole(
  db: Db,
  userId: string,
  farmIds: readonly string[],
): Promise<SnapshotEvent['farms']> {
  const rows = await db
    .selectFrom('farms')
    .leftJoin('farm_members', (join) =>
      join
        .onRef('farm_members.farm_id', '=', 'farms.id')
        .on('farm_members.user_id', '=', userId)
        .on('farm_members.hidden', '=', 0),
    )
    .select(['farms.id', 'farms.name', 'farms.timezone', 'farms.lat', 'farms.lng'])
    .select(['farms.owner_id', 'farm_members.role'])
    .where('farms.id', 'in', farmIds)
    .where('farms.hidden', '=', 0)
    .orderBy('farms.created_at')
    .orderBy('farms.id')
    .execute();
  return rows.flatMap(({ owner_id, role: member, ...farm }) => {
    const role = owner_id === userId ? 'OWNER' : member;
    return role === null ? [] : [{ ...farm, role }];
  });
}

/** Also who left: what they did stands in rows by their id. */
async function peopleOf(db: Db, farmIds: readonly string[]): Promise<SnapshotEvent['people']> {
  const owners = db.selectFrom('farms').select('owner_id as id').where('id', 'in', farmIds);
  const members = db.selectFrom('farm_members').select('user_id as id').where('farm_id', 'in', farmIds);
  return db
    .selectFrom('users')
    .select(['id', 'name'])
    .where('id', 'in', owners.union(members))
    .orderBy('id')
    .limit(MAX_PEOPLE)
    .execute();
}

async function controlPointsOn(db: Db, farmIds: readonly string[]) {
  const rows = await db
    .selectFrom('control_points')
    .selectAll()
    .where('farm_id', 'in', farmIds)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => decodeRow(controlPoint, row));
}

async function contactsOn(db: Db, farmIds: readonly string[]): Promise<StoredSnapshot['contacts']> {
  return db
    .selectFrom('presence')
    .innerJoin('control_points', 'control_points.id', 'presence.id')
    .select(['presence.id as control_point_id', 'presence.heard_at_ms', 'presence.consumption'])
    .where('control_points.farm_id', 'in', farmIds)
    .where('control_points.hidden', '=', 0)
    .execute();
}

/**
 * Each episode by its newest, of all or of those named: a probe that told of the same trouble all night must not push out
 * the others.
 */
async function activeAlertsOn(
  db: Db,
  farmIds: readonly string[],
  episodeIds: readonly string[] | null = null,
): Promise<SnapshotEvent['alerts']> {
  const placed = alertsOn(db, farmIds)
    .select(placeInEpisode)
    .where('status', '=', 'ACTIVE')
    .$if(episodeIds !== null, (query) => query.where('episode_id', 'in', episodeIds ?? []));
  const rows = await db
    .selectFrom(placed.as('placed'))
    .selectAll()
    .where('place', '=', 1)
    .orderBy('triggered_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_ALERTS)
    .execute();
  return rows.map(alertEventOf);
}

/** What ended by itself before somebody answered it: people must hear that it was. */
async function returnedAlertsOn(
  db: Db,
  farmIds: readonly string[],
  now: number,
): Promise<SnapshotEvent['returned']> {
  const placed = alertsOn(db, farmIds)
    .select(placeAtPlace)
    .where(hasReturned)
    .where('resolved_at', '>', new Date(now - RETURNED_FOR_MS).toISOString());
  const rows = await db
    .selectFrom(placed.as('placed'))
    .selectAll()
    .where('place', '=', 1)
    .where('acknowledged_at', 'is', null)
    .where((alert) =>
      alert.or([
        alert('shelved_until', 'is', null),
        alert('shelved_until', '<=', new Date(now).toISOString()),
      ]),
    )
    .orderBy('triggered_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_RETURNED)
    .execute();
  return rows.map(alertEventOf);
}

const alertsOn = (db: Db, farmIds: readonly string[]) =>
  db
    .selectFrom('alerts')
    .selectAll()
    .select(ofEpisode)
    .where('farm_id', 'in', farmIds)
    .where('hidden', '=', 0)
    .where(isOfWhatStands);

type Placed = Tables['alerts'] & { episode_count: number; episode_since: string };

const alertEventOf = ({ episode_count, episode_since, ...row }: Placed): SnapshotEvent['alerts'][number] => ({
  ...decodeRow(alert, row),
  deleted: false,
  // PostgreSQL counts in text
  episode_count: Number(episode_count),
  episode_since,
});

async function unreadOf(db: Db, userId: string): Promise<number> {
  const { unread } = await db
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll().as('unread'))
    .where('user_id', '=', userId)
    .where('is_read', '=', 0)
    .where('hidden', '=', 0)
    .executeTakeFirstOrThrow();
  return Number(unread);
}
