import type { RowOf, Stored } from '#contract/resource.ts';
import type { task, taskMark } from '#contract/resources/tasks.ts';
import type { Kernel } from '#core/kernel.ts';

export type TaskRow = Stored<RowOf<typeof task>>;
export type MarkRow = Stored<RowOf<typeof taskMark>>;

export type TaskFarm = { id: string; name: string; timezone: string };

/** A task with what its pond and its person are called. */
export type NamedTask = TaskRow & { pond_cod: string | null; assignee_name: string | null };
export type NamedMark = MarkRow & { text: string; done_by_name: string | null };

/** Tasks of a farm; `openOn`: those alone that are due on that day or later, or stand undone from before. */
export type TaskFilter = { farmId: string; openOn: string | null };
export type MarkFilter = { farmId: string; taskId: string | null };

/** Facts that tasks ask for; only what is seen is answered: not deleted, and not of a pond that is. */
export type TaskQueries = {
  farmOf: (farmId: string) => Promise<TaskFarm | null>;
  taskById: (id: string) => Promise<NamedTask | null>;
  /** True for every id ever used, deleted tasks included. */
  taskIdTaken: (id: string) => Promise<boolean>;
  /** In the order in which they were entered. */
  tasksOf: (filter: TaskFilter, page: { skip: number; limit: number }) => AsyncIterable<NamedTask>;
  countTasks: (filter: TaskFilter) => Promise<number>;
  /** That may be due on a day; what was done once, before that instant, is not among them. */
  tasksUntil: (farmId: string, day: { day: string; beganAt: string }) => Promise<NamedTask[]>;
  markById: (id: string) => Promise<MarkRow | null>;
  /** Of these ids. */
  marksOf: (ids: readonly string[]) => Promise<NamedMark[]>;
  /** Newest first; those that were taken back are not among them. */
  marksPage: (filter: MarkFilter, page: { skip: number; limit: number }) => AsyncIterable<NamedMark>;
  countMarks: (filter: MarkFilter) => Promise<number>;
  /** A pond of that farm by UUID or number. */
  pondOn: (farmId: string, ref: string) => Promise<{ id: string; cod: string } | null>;
  /** A person who may record on that farm, by UUID or number. */
  recorderOn: (farmId: string, ref: string) => Promise<{ id: string; name: string } | null>;
  /** Everybody who may record on that farm, by name. */
  recordersOn: (farmId: string) => Promise<{ id: string; name: string }[]>;
  nameOf: (userId: string) => Promise<string | null>;
};

/** A task with an hour, and the farm that it is of. */
export type RemindedTask = NamedTask & { farm_name: string; timezone: string };

export type ReminderQueries = Pick<TaskQueries, 'marksOf' | 'recorderOn'> & {
  /** Farms with an hour in any of their tasks. */
  farmsWithReminders: () => Promise<{ id: string; timezone: string }[]>;
  /** Tasks of these farms with an hour up to that one that may be due on the day. */
  remindersUntil: (
    farmIds: readonly string[],
    wall: { day: string; time: string },
  ) => Promise<RemindedTask[]>;
};

export type TaskDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: TaskQueries;
};
