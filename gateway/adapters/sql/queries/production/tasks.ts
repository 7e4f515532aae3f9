import { type SqlBool, sql } from 'kysely';
import { task, taskMark } from '#contract/resources/tasks.ts';
import { membersWith } from '#contract/rights.ts';
import type {
  MarkFilter,
  NamedMark,
  NamedTask,
  ReminderQueries,
  TaskFilter,
  TaskQueries,
} from '#features/production/tasks/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks, isNumber, uuidOf } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';

/** Not deleted, and not of a pond or a farm that is: it goes with them. */
const isTaskSeen = sql<SqlBool>`tasks.hidden = 0`;

/** The one day of a task that comes once has a mark, of before that instant where one is said. */
const isDoneOnce = (before: string | null) => sql<SqlBool>`(tasks.repeat = 'ONCE'
  and exists (select 1 from task_marks as own where own.task_id = tasks.id and own.due_on = tasks.first_day
    and own.state <> 'OPEN' and own.hidden = 0${before === null ? sql`` : sql` and own.done_at < ${before}`}))`;

/** `long`: lists of years, read beside the main thread. */
export function taskQueries(db: Db, long: Db): TaskQueries {
  return {
    async farmOf(farmId) {
      const row = await db
        .selectFrom('farms')
        .select(['id', 'name', 'timezone'])
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async taskById(id) {
      const row = await named(db).where('tasks.id', '=', id).where(isTaskSeen).executeTakeFirst();
      return row === undefined ? null : namedTask(row);
    },
    async taskIdTaken(id) {
      const row = await db.selectFrom('tasks').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    tasksOf: (filter, page) =>
      inChunks(page, async (after: NamedTask | null, { limit, offset }) => {
        const rows = await named(long)
          .where('tasks.farm_id', '=', filter.farmId)
          .where(isTaskSeen)
          .where(isOpen(filter))
          .where(createdAfter(after, 'tasks'))
          .orderBy('tasks.created_at')
          .orderBy('tasks.id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(namedTask);
      }),
    async countTasks(filter) {
      const row = await db
        .selectFrom('tasks')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('farm_id', '=', filter.farmId)
        .where(isTaskSeen)
        .where(isOpen(filter))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async tasksUntil(farmId, { day, beganAt }) {
      const rows = await named(db)
        .where('tasks.farm_id', '=', farmId)
        .where(isTaskSeen)
        .where(isOnCalendar(day))
        .where((where) => where.not(isDoneOnce(beganAt)))
        .orderBy('tasks.created_at')
        .orderBy('tasks.id')
        .execute();
      return rows.map(namedTask);
    },
    async markById(id) {
      const row = await db
        .selectFrom('task_marks')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : decodeRow(taskMark, row);
    },
    marksOf: (ids) => marksOf(db, ids),
    marksPage: (filter, page) =>
      inChunks(page, async (after: NamedMark | null, { limit, offset }) => {
        const rows = await namedMarks(long)
          .where(isMarkOf(filter))
          .$if(after !== null, (query) =>
            query.where((key) =>
              key(
                key.refTuple('task_marks.done_at', 'task_marks.id'),
                '<',
                key.tuple(after?.done_at ?? '', after?.id ?? ''),
              ),
            ),
          )
          .orderBy('task_marks.done_at', 'desc')
          .orderBy('task_marks.id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(namedMark);
      }),
    async countMarks(filter) {
      const row = await long
        .selectFrom('task_marks')
        .innerJoin('tasks', 'tasks.id', 'task_marks.task_id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where(isMarkOf(filter))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async pondOn(farmId, ref) {
      const row = await db
        .selectFrom('ponds')
        .select(['id', 'cod'])
        .where('id', '=', uuidOf(db, 'pond', ref))
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    recorderOn: (farmId, ref) => recorderOn(db, farmId, ref),
    recordersOn: (farmId) => recorders(db, farmId).orderBy('name').orderBy('id').execute(),
    async nameOf(userId) {
      const row = await db.selectFrom('users').select('name').where('id', '=', userId).executeTakeFirst();
      return row?.name ?? null;
    },
  };
}

export function reminderQueries(db: Db): ReminderQueries {
  return {
    marksOf: (ids) => marksOf(db, ids),
    recorderOn: (farmId, ref) => recorderOn(db, farmId, ref),
    farmsWithReminders: () =>
      db
        .selectFrom('farms')
        .select(['id', 'timezone'])
        .where('hidden', '=', 0)
        .where('id', 'in', (reminded) =>
          reminded
            .selectFrom('tasks')
            .select('farm_id')
            .where('remind_at', 'is not', null)
            .where('hidden', '=', 0),
        )
        .orderBy('id')
        .execute(),
    async remindersUntil(farmIds, { day, time }) {
      if (farmIds.length === 0) return [];
      const rows = await named(db)
        .innerJoin('farms', 'farms.id', 'tasks.farm_id')
        .select(['farms.name as farm_name', 'farms.timezone'])
        .where('tasks.farm_id', 'in', farmIds)
        .where('farms.hidden', '=', 0)
        .where('tasks.remind_at', '<=', time)
        .where(isTaskSeen)
        .where(isOnCalendar(day))
        .orderBy('tasks.id')
        .execute();
      return rows.map(({ farm_name, timezone, ...row }) => ({ ...namedTask(row), farm_name, timezone }));
    },
  };
}

const named = (db: Db) =>
  db
    .selectFrom('tasks')
    .leftJoin('ponds', 'ponds.id', 'tasks.pond_id')
    .leftJoin('users', 'users.id', 'tasks.assignee_id')
    .selectAll('tasks')
    .select(['ponds.cod as pond_cod', 'users.name as assignee_name']);

type NamedRow = Awaited<ReturnType<ReturnType<typeof named>['execute']>>[number];

const namedTask = ({ pond_cod, assignee_name, ...row }: NamedRow): NamedTask => ({
  ...decodeRow(task, row),
  pond_cod,
  assignee_name,
});

const namedMarks = (db: Db) =>
  db
    .selectFrom('task_marks')
    .innerJoin('tasks', 'tasks.id', 'task_marks.task_id')
    .leftJoin('users', 'users.id', 'task_marks.done_by')
    .selectAll('task_marks')
    .select(['tasks.text', 'users.name as done_by_name']);

type NamedMarkRow = Awaited<ReturnType<ReturnType<typeof namedMarks>['execute']>>[number];

const namedMark = ({ text, done_by_name, ...row }: NamedMarkRow): NamedMark => ({
  ...decodeRow(taskMark, row),
  text,
  done_by_name,
});

async function marksOf(db: Db, ids: readonly string[]): Promise<NamedMark[]> {
  const found: NamedMark[] = [];
  for (const some of slicesOf(ids)) {
    const rows = await namedMarks(db)
      .where('task_marks.id', 'in', some)
      .where('task_marks.hidden', '=', 0)
      .execute();
    found.push(...rows.map(namedMark));
  }
  return found;
}

const isMarkOf = ({ farmId, taskId }: MarkFilter) => sql<SqlBool>`task_marks.farm_id = ${farmId}
  and task_marks.hidden = 0 and task_marks.state <> 'OPEN' and ${isTaskSeen}
  ${taskId === null ? sql`` : sql`and task_marks.task_id = ${taskId}`}`;

const isOpen = ({ openOn }: TaskFilter) =>
  openOn === null
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`(tasks.ended_on is null or tasks.ended_on >= ${openOn}) and not ${isDoneOnce(null)}`;

const isOnCalendar = (day: string) =>
  sql<SqlBool>`tasks.first_day <= ${day} and (tasks.ended_on is null or tasks.ended_on >= ${day})`;

/** Who may record on a farm. */
const recorders = (db: Db, farmId: string) =>
  db
    .selectFrom('users')
    .select(['id', 'name'])
    .where('hidden', '=', 0)
    .where('is_active', '=', 1)
    .where((either) =>
      either.or([
        either('id', 'in', db.selectFrom('farms').select('owner_id').where('id', '=', farmId)),
        either(
          'id',
          'in',
          db
            .selectFrom('farm_members')
            .select('user_id')
            .where('farm_id', '=', farmId)
            .where('role', 'in', membersWith('record'))
            .where('hidden', '=', 0),
        ),
      ]),
    );

async function recorderOn(db: Db, farmId: string, ref: string) {
  const id = isNumber(ref)
    ? db.selectFrom('numeric_ids').select('uuid').where('id', '=', ref).where('entity', '=', 'user')
    : ref;
  return (await recorders(db, farmId).where('id', '=', id).executeTakeFirst()) ?? null;
}
