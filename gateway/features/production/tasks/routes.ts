import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  dueAnswer,
  dueQuery,
  type TaskAnswer,
  type TaskMarkAnswer,
  taskAnswer,
  taskCreate,
  taskMarkAnswer,
  taskMarkCreate,
  taskMarkParams,
  taskMarksQuery,
  taskPerson,
  tasksQuery,
  taskUpdate,
} from '#contract/resources/tasks.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { lastDueDay, nextDueDay } from './due-days.ts';
import { dueTasks } from './due-tasks.ts';
import { markTask, takeBack } from './mark-task.ts';
import type { MarkRow, NamedMark, NamedTask, TaskDeps } from './ports.ts';
import { changeTask, createTask, deleteTask, requireFarm, todayOn } from './write-task.ts';

const tag = 'Tasks';
const farmParams = z.object({ farm_id: idInput });
const taskParams = z.object({ task_id: idInput });
const at = { who: 'farm', at: 'params', others: 404 } as const;
const atFarm = { ...at, of: 'farm', field: 'farm_id' } as const;
const atTask = { ...at, of: 'task', field: 'task_id' } as const;

/** What people of a farm have set themselves to do. */
export function taskRoutes(deps: TaskDeps): Route[] {
  async function seenTask(id: string): Promise<NamedTask> {
    const row = await deps.queries.taskById(id);
    if (row === null) throw notFound('Task');
    return row;
  }
  return [...farmRoutes(deps), ...ownRoutes(deps, seenTask), ...markRoutes(deps, seenTask)];
}

function farmRoutes(deps: TaskDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/tasks',
      tag,
      summary: 'Tasks of a farm in the order in which they were entered',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      query: tasksQuery,
      answers: { 200: { schema: taskAnswer, list: true } },
      async handle({ params, query }) {
        const farm = await requireFarm(deps, params.farm_id);
        const today = todayOn(deps, farm);
        const filter = { farmId: farm.id, openOn: query.ended === true ? null : today };
        const page = await journalAnswer(query, {
          count: () => deps.queries.countTasks(filter),
          rows: (span) => mapped(deps.queries.tasksOf(filter, span), (row) => taskAnswerOf(row, today)),
        });
        return { answer: page };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/tasks',
      tag,
      summary: 'Set a task, once or again and again, with a checklist and a reminder',
      access: { ...atFarm, right: 'manage' },
      invalid: 422,
      params: farmParams,
      body: taskCreate,
      answers: { 201: { schema: taskAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createTask(deps, signedIn(request), request.params.farm_id, request.body);
        return { ...made, answer: { status: 201, body: await answerWith(deps, made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/tasks/due',
      tag,
      summary: 'What is due on a day of the farm, with what became of it',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      query: dueQuery,
      answers: { 200: { schema: dueAnswer } },
      async handle({ params, query }) {
        const farm = await requireFarm(deps, params.farm_id);
        const day = query.day ?? todayOn(deps, farm);
        const due = await dueTasks(deps, farm, day);
        const tasks = due.map(({ row, due_on, is_overdue, mark }) => ({
          ...taskAnswerOf(row, day),
          due_on,
          is_overdue,
          mark: mark === null ? null : markAnswerOf(mark),
        }));
        return { answer: { status: 200, body: { farm_id: farm.id, day, tasks } } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/tasks/people',
      tag,
      summary: 'Who may be given a task: everybody who may record on the farm',
      access: { ...atFarm, right: 'manage' },
      params: farmParams,
      answers: { 200: { schema: taskPerson, list: true } },
      async handle({ params }) {
        const people = await deps.queries.recordersOn(params.farm_id);
        const rows = people.map(({ id, name }) => ({ user_id: id, name }));
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/task-marks',
      tag,
      summary: 'What was done of the tasks, newest first',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      query: taskMarksQuery,
      answers: { 200: { schema: taskMarkAnswer, list: true } },
      async handle(request) {
        const { query } = request;
        const filter = { farmId: onFarm(request).farmId, taskId: query.task_id ?? null };
        const page = await journalAnswer(query, {
          count: () => deps.queries.countMarks(filter),
          rows: (span) => mapped(deps.queries.marksPage(filter, span), markAnswerOf),
        });
        return { answer: page };
      },
    }),
  ];
}

type SeenTask = (id: string) => Promise<NamedTask>;

function ownRoutes(deps: TaskDeps, seenTask: SeenTask): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tasks/{task_id}',
      tag,
      summary: 'A task',
      access: { ...atTask, right: 'read' },
      params: taskParams,
      answers: { 200: { schema: taskAnswer } },
      async handle({ params }) {
        const row = await seenTask(params.task_id);
        return { answer: { status: 200, body: await answerWith(deps, row), rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/tasks/{task_id}',
      tag,
      summary: 'Change or end a task; old and new values stay in the log',
      access: { ...atTask, right: 'manage' },
      params: taskParams,
      body: taskUpdate,
      answers: { 200: { schema: taskAnswer } },
      async handle(request) {
        const current = await seenTask(request.params.task_id);
        requireMatch(request, current);
        const changed = await changeTask(deps, signedIn(request), current, request.body);
        const body = await answerWith(deps, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tasks/{task_id}',
      tag,
      summary: 'Delete a task that was never meant, with its marks; one that is over is ended instead',
      access: { ...atTask, right: 'manage' },
      params: taskParams,
      answers: { 204: null },
      async handle(request) {
        const current = await seenTask(request.params.task_id);
        requireMatch(request, current);
        const gone = deleteTask(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function markRoutes(deps: TaskDeps, seenTask: SeenTask): Route[] {
  return [
    route({
      method: 'POST',
      path: '/tasks/{task_id}/marks',
      tag,
      summary: 'Mark a due day of a task as done or skipped',
      access: { ...atTask, right: 'record' },
      invalid: 422,
      params: taskParams,
      body: taskMarkCreate,
      answers: { 200: { schema: taskMarkAnswer }, 201: { schema: taskMarkAnswer } },
      idempotent: true,
      async handle(request) {
        const row = await seenTask(request.params.task_id);
        const who = { caller: signedIn(request), role: onFarm(request).role };
        const sent = { input: request.body, sentDate: request.rawBody['done_at'] };
        const { isNew, ...marked } = await markTask(deps, who, row, sent);
        const mark = await named(deps, marked.answer, row);
        const body = markAnswerOf(mark);
        return { ...marked, answer: { status: isNew ? 201 : 200, body, rev: mark.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tasks/{task_id}/marks/{due_on}',
      tag,
      summary: 'Take a mark back; of another person only who manages the farm may',
      access: { ...atTask, right: 'record' },
      params: taskMarkParams,
      answers: { 204: null },
      async handle(request) {
        const row = await seenTask(request.params.task_id);
        const who = { caller: signedIn(request), role: onFarm(request).role };
        const decided = await takeBack(deps, who, row, request.params.due_on);
        return { ...decided, answer: { status: 204 } };
      },
    }),
  ];
}

async function* mapped<Row, Answer>(
  rows: AsyncIterable<Row>,
  answer: (row: Row) => Answer,
): AsyncIterable<Answer> {
  for await (const row of rows) yield answer(row);
}

async function named({ queries }: TaskDeps, mark: MarkRow, { text }: NamedTask): Promise<NamedMark> {
  const name = mark.done_by === null ? null : await queries.nameOf(mark.done_by);
  return { ...mark, text, done_by_name: name };
}

async function answerWith(deps: TaskDeps, row: NamedTask): Promise<TaskAnswer> {
  return taskAnswerOf(row, todayOn(deps, await requireFarm(deps, row.farm_id)));
}

function taskAnswerOf(row: NamedTask, day: string): TaskAnswer {
  return {
    id: row.id,
    farm_id: row.farm_id,
    pond_id: row.pond_id,
    pond_cod: row.pond_cod,
    text: row.text,
    notes: row.notes,
    items: row.items,
    repeat: row.repeat,
    every_days: row.every_days,
    days_of_week: row.days_of_week,
    first_day: row.first_day,
    ended_on: row.ended_on,
    remind_at: row.remind_at,
    assignee_id: row.assignee_id,
    assignee_name: row.assignee_name,
    due_on: lastDueDay(row, day),
    next_due_on: nextDueDay(row, day),
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function markAnswerOf(row: NamedMark): TaskMarkAnswer {
  return {
    id: row.id,
    farm_id: row.farm_id,
    task_id: row.task_id,
    text: row.text,
    due_on: row.due_on,
    state: row.state,
    done_at: row.done_at,
    done_by: row.done_by,
    done_by_name: row.done_by_name,
    note: row.note,
    ticked: row.ticked,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
