import * as z from 'zod';
import {
  dayInput,
  flagInQuery,
  idInput,
  idOrNumber,
  instantInput,
  ownId,
  pageQuery,
  timeOfDay,
  warnings,
  wordOf,
} from '../fields.ts';
import { defineResource, instant, localDate, uuid } from '../resource.ts';
import { daysOfWeek } from './schedules.ts';

// What people of a farm have set themselves to do, once or again and again, and the days on which it was done.

export const TASK_REPEATS = ['ONCE', 'DAYS', 'WEEKDAYS'] as const;
export type TaskRepeat = (typeof TASK_REPEATS)[number];

/** OPEN: it was marked, and the mark was taken back. */
const MARK_STATES = ['DONE', 'SKIPPED', 'OPEN'] as const;

export const task = defineResource({
  name: 'tasks',
  entity: 30,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    /** Where it is to be done; null: on the farm. */
    pond_id: uuid.nullable(),
    text: z.string(),
    notes: z.string().nullable(),
    /** The checklist; empty: the task is one thing. */
    items: z.array(z.string()),
    repeat: z.enum(TASK_REPEATS),
    /** Of DAYS: from one due day to the next. */
    every_days: z.int().nullable(),
    /** Of WEEKDAYS: 1 Monday to 7 Sunday. */
    days_of_week: z.array(z.int()).nullable(),
    /** No day before it is due. */
    first_day: localDate,
    /** No day after it is due; null: it goes on. */
    ended_on: localDate.nullable(),
    /** HH:MM in the zone of the farm; null: nobody is reminded. */
    remind_at: z.string().nullable(),
    /** Whose it is; null: whoever comes first. */
    assignee_id: uuid.nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    text: { fields: ['text'] },
    notes: { fields: ['notes'] },
    items: { fields: ['items'] },
    pond: { fields: ['pond_id'] },
    // a rule is one word: every 3 days of one side with the first day of the other is what nobody said
    rule: { fields: ['repeat', 'every_days', 'days_of_week', 'first_day'] },
    ended_on: { fields: ['ended_on'] },
    remind_at: { fields: ['remind_at'] },
    assignee: { fields: ['assignee_id'] },
  },
  parents: { farms: 'farm_id', ponds: 'pond_id' },
  since: 12,
});

/**
 * What became of one due day of a task. Its id is derived from both, so that a day that was marked on both instances while
 * the line was down has one mark.
 */
export const taskMark = defineResource({
  name: 'task_marks',
  entity: 31,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    task_id: uuid,
    due_on: localDate,
    state: z.enum(MARK_STATES),
    done_at: instant,
    done_by: uuid.nullable(),
    note: z.string().nullable(),
    /** Items of the checklist that were done, as they were called then. */
    ticked: z.array(z.string()),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    mark: { fields: ['state', 'done_at', 'done_by', 'note', 'ticked', 'clock_quality'] },
  },
  parents: { tasks: 'task_id' },
  goesBy: 'parent',
  since: 12,
});

const MOST_ITEMS = 30;
const MOST_NOTES = 2_000;

const item = z.string().trim().min(1).max(120);
const fields = {
  text: z.string().trim().min(1).max(200).describe('What is to be done'),
  notes: z.string().trim().max(MOST_NOTES).nullish(),
  pond_id: idOrNumber.nullish().describe('Where; null: on the farm'),
  items: z.array(item).max(MOST_ITEMS).optional().describe('Lines of a checklist'),
  repeat: wordOf(TASK_REPEATS)
    .optional()
    .meta({ description: 'ONCE, every so many DAYS, or on WEEKDAYS; default ONCE' }),
  every_days: z.int().min(1).max(366).nullish().describe('With DAYS only: from one due day to the next'),
  days_of_week: daysOfWeek
    .min(1)
    .nullish()
    .describe('With WEEKDAYS only: 1 Monday to 7 Sunday, in the zone of the farm'),
  first_day: dayInput.optional().describe('Day of the farm before which it is not due; default today'),
  ended_on: dayInput.nullish().describe('Day of the farm after which it is not due any more'),
  remind_at: timeOfDay
    .nullish()
    .describe('HH:MM in the zone of the farm: who is to do it is reminded then, on due days without a mark'),
  assignee_id: idOrNumber
    .nullish()
    .describe('A person who may record on the farm; null: whoever comes first'),
};

/** POST /farms/{farm_id}/tasks */
export const taskCreate = z.object({ id: ownId, ...fields });
export type TaskCreate = z.infer<typeof taskCreate>;

/** PUT /tasks/{task_id}: fields left out stay. */
export const taskUpdate = z.object({ ...fields, text: fields.text.optional() });
export type TaskUpdate = z.infer<typeof taskUpdate>;

/** GET /farms/{farm_id}/tasks */
export const tasksQuery = pageQuery.extend({
  ended: flagInQuery.optional().describe('Also those that are not due any more; default false'),
});

/** GET /farms/{farm_id}/tasks/due */
export const dueQuery = z.object({
  day: dayInput.optional().describe('Day of the farm; default today'),
});

/** POST /tasks/{task_id}/marks */
export const taskMarkCreate = z.object({
  due_on: dayInput.optional().describe('The due day that it is of; default the last one up to today'),
  state: wordOf(['DONE', 'SKIPPED']).optional().meta({ description: 'Default DONE' }),
  done_at: instantInput.optional().describe('Default now'),
  note: z.string().trim().max(MOST_NOTES).nullish(),
  ticked: z
    .array(item)
    .max(MOST_ITEMS)
    .optional()
    .describe('Lines of the checklist that were done, as they are called'),
});
export type TaskMarkCreate = z.infer<typeof taskMarkCreate>;

export const taskMarkParams = z.object({ task_id: idInput, due_on: dayInput });

/** GET /farms/{farm_id}/task-marks */
export const taskMarksQuery = pageQuery.extend({ task_id: idInput.optional() });

export const taskMarkAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  task_id: z.uuid(),
  text: z.string().describe('Of the task, as it is called now'),
  due_on: z.string(),
  state: z.enum(MARK_STATES).describe('OPEN: the mark was taken back'),
  done_at: z.string(),
  done_by: z.uuid().nullable(),
  done_by_name: z.string().nullable(),
  note: z.string().nullable(),
  ticked: z.array(z.string()).describe('Lines of the checklist that were done, as they were called then'),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});
export type TaskMarkAnswer = z.infer<typeof taskMarkAnswer>;

/** GET /farms/{farm_id}/tasks/people */
export const taskPerson = z.object({ user_id: z.uuid(), name: z.string() });

export const taskAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  pond_cod: z.string().nullable(),
  text: z.string(),
  notes: z.string().nullable(),
  items: z.array(z.string()),
  repeat: z.enum(TASK_REPEATS),
  every_days: z.int().nullable(),
  days_of_week: z.array(z.int()).nullable(),
  first_day: z.string(),
  ended_on: z.string().nullable(),
  remind_at: z.string().nullable(),
  assignee_id: z.uuid().nullable(),
  assignee_name: z
    .string()
    .nullable()
    .describe('null: anybody, or somebody who does not work on the farm any more'),
  due_on: z.string().nullable().describe('The last due day up to today; null: none yet'),
  next_due_on: z.string().nullable().describe('The first due day after today; null: none any more'),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type TaskAnswer = z.infer<typeof taskAnswer>;

export const dueAnswer = z.object({
  farm_id: z.uuid(),
  day: z.string().describe('Day of the farm'),
  tasks: z
    .array(
      taskAnswer.extend({
        due_on: z.string().describe('The last due day up to that day'),
        is_overdue: z.boolean().describe('Of a day before, and without a mark'),
        mark: taskMarkAnswer.nullable().describe('Of that due day; null: nobody marked it'),
      }),
    )
    .describe('Due on that day, or overdue until the next due day; what was marked on it stays to be seen'),
});
type DueAnswer = z.infer<typeof dueAnswer>;
export type DueTask = DueAnswer['tasks'][number];
