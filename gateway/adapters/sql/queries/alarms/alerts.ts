import { type ExpressionBuilder, sql } from 'kysely';
import { alert } from '#contract/resources/alerts.ts';
import type { AlertType } from '#contract/words.ts';
import type { SubjectNames } from '#core/alerting.ts';
import { isoOf } from '#core/kernel.ts';
import type { Alert, AlertFilter, AlertQueries, Subject } from '#features/alarms/alerts/ports.ts';
import { type Db, prepared } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { farmIdsOf, isKnownOn } from '../farm/farms.ts';
import { inChunks } from '../paging.ts';
import { isPondEmpty } from '../production/batch-facts.ts';
import { hasReturned, isOfWhatStands, placeInEpisode } from './standing-alerts.ts';

const SHELVED_ROWS = 500;
/** One that lasted for longer began something else. */
const LONGEST_EPISODE_MS = 24 * 3_600_000;

/** What a new alert of an episode asks of the newest before it. */
export const EPISODE_COLUMNS = [
  'id',
  'episode_id',
  'severity',
  'triggered_at',
  'told_at',
  'told_severity',
  'acknowledged_at',
  'acknowledged_by',
  'acknowledge_note',
  'silenced_until',
  'silenced_by',
  'silence_reason',
  'shelved_until',
  'shelved_by',
  'shelve_reason',
] as const;

export function alertQueries(db: Db): AlertQueries {
  const shelvedOnPond = prepared(db, ['type', 'farm', 'at', 'pond'], ({ type, farm, at, pond }) =>
    // a mark stands for the word
    shelved(db, type as AlertType, { farm_id: farm, pond_id: pond, control_point_id: null }, at),
  );
  return {
    async alertById(id) {
      const row = await standing(db).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(alert, row) : null;
    },
    isPondEmpty: isPondEmpty(db),
    async idTaken(id) {
      const row = await db.selectFrom('alerts').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    namesOf: (subject) => namesOf(db, subject),
    async newestOpen(type, subject, episodeId) {
      const newest = await openOf(db, subject)
        .select(EPISODE_COLUMNS)
        .where('type', '=', type)
        .$if(episodeId !== undefined, (query) => query.where('episode_id', '=', episodeId ?? ''))
        .orderBy('triggered_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return newest ?? null;
    },
    async lastTold(type, subject, since) {
      const row = await visible(db)
        .select(['told_at', 'told_severity'])
        .where('farm_id', '=', subject.farm_id)
        .where('status', '=', 'RESOLVED')
        .where('resolved_by', 'is', null)
        .where('source', '=', 'automatic')
        .where('type', '=', type)
        .where('triggered_at', '>', isoOf(Date.parse(since) - LONGEST_EPISODE_MS))
        .where('told_at', '>', since)
        .where(aboutSame(subject))
        .orderBy('triggered_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
    async withDeferredNotice(limit) {
      const rows = await db
        .selectFrom('farms')
        .innerJoin('alerts', (join) =>
          join.onRef('alerts.farm_id', '=', 'farms.id').on('alerts.status', '=', 'ACTIVE'),
        )
        .selectAll('alerts')
        .where('alerts.hidden', '=', 0)
        .where('alerts.source', '=', 'automatic')
        .whereRef('alerts.episode_id', '=', 'alerts.id')
        .whereRef('alerts.told_at', '<', 'alerts.created_at')
        .where(isOfWhatStands)
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(alert, row));
    },
    async shelvedAlerts(type, subject, at) {
      // nearly every alert of a probe asks this about its pond, and there is nearly never one
      const ofPond = { type, farm: subject.farm_id, at, pond: subject.pond_id };
      const rows =
        subject.pond_id === null
          ? await shelved(db, type, subject, at).execute()
          : await shelvedOnPond(ofPond);
      return rows.map((row) => decodeRow(alert, row));
    },
    async marked(endsAfter) {
      const rows = await visible(db)
        .selectAll()
        .where((ends) =>
          ends.or([ends('silenced_until', '>', endsAfter), ends('shelved_until', '>', endsAfter)]),
        )
        .orderBy('id', 'desc')
        .limit(MARKED_ROWS)
        .execute();
      return rows.map((row) => decodeRow(alert, row));
    },
    async returned(type, subject, since) {
      const row = await visible(db)
        .selectAll()
        .where(hasReturned)
        .where('farm_id', '=', subject.farm_id)
        .where('resolved_at', '>', since)
        .where('type', '=', type)
        .where(aboutSame(subject))
        .orderBy('triggered_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined || row.acknowledged_at !== null ? [] : [decodeRow(alert, row)];
    },
    async peopleNames(farmId, userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('users')
        .select(['id', 'name'])
        .where('id', 'in', userIds)
        .where(isKnownOn(sql.ref('users.id'), sql.val(farmId)))
        .execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    async openAlerts({ type, control_point_id, pond_id, farm_id }, limit) {
      const rows = await visible(db)
        .selectAll()
        .where('status', '=', 'ACTIVE')
        .where('source', '=', 'automatic')
        .where('type', '=', type)
        .$if(control_point_id !== undefined, (query) =>
          query.where('control_point_id', '=', control_point_id ?? ''),
        )
        .$if(pond_id !== undefined, (query) => query.where('pond_id', '=', pond_id ?? ''))
        .$if(farm_id !== undefined, (query) => query.where('farm_id', '=', farm_id ?? ''))
        .orderBy('triggered_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(alert, row));
    },
    async openOfEpisode(farmId, episodeId, limit) {
      const rows = await standing(db)
        .selectAll()
        .where('farm_id', '=', farmId)
        .where('status', '=', 'ACTIVE')
        .where('episode_id', '=', episodeId)
        .orderBy('triggered_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(alert, row));
    },
    async foldedInto(alerts, limit) {
      // only a power failure folds others, and it is of one farm
      const folders = alerts.slice(0, 100);
      if (folders.length === 0) return [];
      const rows = await standing(db)
        .selectAll()
        .where('farm_id', 'in', [...new Set(folders.map(({ farm_id }) => farm_id))])
        .where('status', '=', 'ACTIVE')
        .where(
          'folded_into',
          'in',
          folders.map(({ id }) => id),
        )
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(alert, row));
    },
    async unanswered(toldSince, limit) {
      // the index holds for these very words, so they are no parameters
      const rows = await visible(db)
        .selectAll()
        .where(sql<boolean>`status = 'ACTIVE' and severity = 'HIGH' and acknowledged_at is null`)
        .where('told_at', '>=', toldSince)
        .orderBy('told_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      const answered = await answeredEpisodes(db, rows);
      return rows.filter(({ episode_id }) => !answered.has(episode_id)).map((row) => decodeRow(alert, row));
    },
    openOfTypes: (types) =>
      standing(db)
        .select(['id', 'farm_id', 'control_point_id', 'pond_id', 'type', 'triggered_at'])
        .where('status', '=', 'ACTIVE')
        .where('source', '=', 'automatic')
        .where('type', 'in', [...types])
        .orderBy('triggered_at')
        .execute(),
    alertsOf: (userId, filter, page) => alertsOf(db, userId, filter, page),
    async countAlerts(userId, filter) {
      const row = await db
        .selectFrom(listed(db, userId, filter).as('listed'))
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('place', '=', 1)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    alertsOfPond: (pondId) => alertsOfPond(db, pondId),
  };
}

const MARKED_ROWS = 1_000;

function visible(db: Db) {
  return db.selectFrom('alerts').where('hidden', '=', 0);
}

function standing(db: Db) {
  return visible(db).where(isOfWhatStands);
}

function shelved(db: Db, type: AlertType, subject: Subject, at: string) {
  return visible(db)
    .selectAll()
    .where('farm_id', '=', subject.farm_id)
    .where('type', '=', type)
    .where('source', '=', 'automatic')
    .where('shelved_until', '>', at)
    .where(aboutSame(subject))
    .orderBy('shelved_until', 'desc')
    .limit(SHELVED_ROWS);
}

/** Of the episodes of these alerts those whose newest is acknowledged: an answer reaches only so far back. */
async function answeredEpisodes(
  db: Db,
  alerts: readonly { farm_id: string; episode_id: string }[],
): Promise<ReadonlySet<string>> {
  if (alerts.length === 0) return new Set();
  const placed = standing(db)
    .select(['episode_id', 'acknowledged_at', placeInEpisode])
    .where('farm_id', 'in', [...new Set(alerts.map(({ farm_id }) => farm_id))])
    .where('status', '=', 'ACTIVE')
    .where('episode_id', 'in', [...new Set(alerts.map(({ episode_id }) => episode_id))]);
  const rows = await db
    .selectFrom(placed.as('placed'))
    .select('episode_id')
    .where('place', '=', 1)
    .where('acknowledged_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ episode_id }) => episode_id));
}

function openOf(db: Db, subject: Subject) {
  return visible(db)
    .where('farm_id', '=', subject.farm_id)
    .where('status', '=', 'ACTIVE')
    .where('source', '=', 'automatic')
    .where(aboutSame(subject));
}

/** The pond where there is one, else the control point, else the farm itself. */
function aboutSame({ control_point_id, pond_id }: Subject) {
  return (where: ExpressionBuilder<Tables, 'alerts'>) =>
    pond_id !== null
      ? where('pond_id', '=', pond_id)
      : where.and([
          where('pond_id', 'is', null),
          where('control_point_id', control_point_id === null ? 'is' : '=', control_point_id),
        ]);
}

async function namesOf(
  db: Db,
  { farm_id, control_point_id, pond_id }: Subject,
): Promise<SubjectNames | null> {
  const farm = await db
    .selectFrom('farms')
    .select('name')
    .where('id', '=', farm_id)
    .where('hidden', '=', 0)
    .executeTakeFirst();
  if (!farm) return null;
  const controlPoint = control_point_id === null ? null : await controlPointNames(db, control_point_id);
  const pond = pond_id === null ? null : await pondNames(db, pond_id);
  if (controlPoint === undefined || pond === undefined) return null;
  return { farmName: farm.name, controlPoint, pond };
}

async function controlPointNames(db: Db, id: string) {
  const found = await db
    .selectFrom('control_points')
    .select(['id', 'cod', 'is_simulated'])
    .where('id', '=', id)
    .where('hidden', '=', 0)
    .executeTakeFirst();
  if (!found) return undefined;
  const ponds = await db
    .selectFrom('ponds')
    .select(['id', 'cod'])
    .where('control_point_id', '=', id)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { id: found.id, cod: found.cod, isSimulated: Number(found.is_simulated) === 1, ponds };
}

function pondNames(db: Db, id: string) {
  return db
    .selectFrom('ponds')
    .select(['id', 'cod'])
    .where('id', '=', id)
    .where('hidden', '=', 0)
    .executeTakeFirst();
}

/** Alerts of the user's farms with their place in their episode: 1 is its newest. */
function listed(db: Db, userId: string, filter: AlertFilter) {
  const { status, types, farmId, pondId, controlPointId, isOfControlPoint } = filter;
  return db
    .selectFrom('alerts')
    .leftJoin('ponds', (join) => join.onRef('ponds.id', '=', 'alerts.pond_id').on('ponds.hidden', '=', 0))
    .selectAll('alerts')
    .select((alert) => [
      alert.fn.coalesce('alerts.control_point_id', 'ponds.control_point_id').as('of_control_point'),
      placeInEpisode,
    ])
    .where('alerts.hidden', '=', 0)
    .where(isOfWhatStands)
    .where('alerts.farm_id', 'in', farmIdsOf(db, userId))
    .where('alerts.status', '=', status)
    .where('alerts.folded_into', 'is', null)
    .$if(types !== null, (query) => query.where('alerts.type', 'in', [...(types ?? [])]))
    .$if(farmId !== null, (query) => query.where('alerts.farm_id', '=', farmId ?? ''))
    .$if(pondId !== null, (query) => query.where('alerts.pond_id', '=', pondId ?? ''))
    .$if(controlPointId !== null, (query) =>
      query.where('alerts.control_point_id', '=', controlPointId ?? ''),
    )
    .$if(isOfControlPoint, (query) =>
      query.where((alert) =>
        alert.or([
          alert('alerts.control_point_id', 'is not', null),
          alert('ponds.control_point_id', 'is not', null),
        ]),
      ),
    );
}

function alertsOf(
  db: Db,
  userId: string,
  filter: AlertFilter,
  page: { skip: number; limit: number },
): AsyncIterable<Alert> {
  return inChunks(page, async (after: Alert | null, { limit, offset }) => {
    const rows = await db
      .selectFrom(listed(db, userId, filter).as('listed'))
      .selectAll()
      .where('place', '=', 1)
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(
            tuple.refTuple('triggered_at', 'id'),
            '<',
            tuple.tuple(after?.triggered_at ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('triggered_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => ({ ...decodeRow(alert, row), control_point_id: row.of_control_point }));
  });
}

async function alertsOfPond(db: Db, pondId: string): Promise<Alert[]> {
  const controlPoint = db.selectFrom('ponds').select('control_point_id').where('id', '=', pondId);
  const rows = await visible(db)
    .selectAll()
    .where('status', '=', 'ACTIVE')
    .where('folded_into', 'is', null)
    .where((either) =>
      either.or([
        either('pond_id', '=', pondId),
        // a control point airs several ponds: what names another pond is not this one's
        either.and([either('pond_id', 'is', null), either('control_point_id', '=', controlPoint)]),
      ]),
    )
    .orderBy('triggered_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const episodes = new Set<string>();
  return rows
    .filter(({ episode_id }) => !episodes.has(episode_id) && episodes.add(episode_id))
    .map((row) => decodeRow(alert, row));
}
