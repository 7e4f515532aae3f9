import { localDay, startOfDay } from '#core/zone-clock.ts';
import { lastDueDay } from './due-days.ts';
import { markIdOf } from './mark-task.ts';
import type { NamedMark, NamedTask, TaskDeps, TaskFarm } from './ports.ts';

export type DueTaskRow = { row: NamedTask; due_on: string; is_overdue: boolean; mark: NamedMark | null };

/**
 * What is to be done on a day: the last due day of each task up to it, for as long as nobody marked it; and what was marked
 * on it. The longest overdue in front, then by the hour.
 */
export async function dueTasks(
  deps: Pick<TaskDeps, 'idOf' | 'queries'>,
  { id: farmId, timezone }: TaskFarm,
  day: string,
): Promise<DueTaskRow[]> {
  const rows = await deps.queries.tasksUntil(farmId, { day, beganAt: startOfDay(day, timezone) });
  const due = rows.flatMap((row) => {
    const dueOn = lastDueDay(row, day);
    return dueOn === null ? [] : [{ row, due_on: dueOn, markId: markIdOf(deps, row.id, dueOn) }];
  });
  const marks = new Map(
    (await deps.queries.marksOf(due.map(({ markId }) => markId))).map((mark) => [mark.id, mark]),
  );
  return due
    .flatMap(({ row, due_on, markId }) => {
      const found = marks.get(markId);
      const mark = found === undefined || found.state === 'OPEN' ? null : found;
      const isOfDay = due_on === day || (mark !== null && localDay(mark.done_at, timezone) === day);
      if (mark !== null && !isOfDay) return [];
      return [{ row, due_on, is_overdue: mark === null && due_on < day, mark }];
    })
    .toSorted(
      (a, b) => compare(a.due_on, b.due_on) || compare(a.row.remind_at ?? '~', b.row.remind_at ?? '~'),
    );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
