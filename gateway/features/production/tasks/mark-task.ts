import { type TaskMarkCreate, taskMark } from '#contract/resources/tasks.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { asParent, insert, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead, requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { requireRight } from '#core/request-checks.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm } from '#core/zone-clock.ts';
import { isDueOn, lastDueDay } from './due-days.ts';
import type { MarkRow, NamedTask, TaskDeps } from './ports.ts';
import { requireFarm, todayOn } from './write-task.ts';

/** The same on every instance: a day has one mark, whoever sets it where. */
export const markIdOf = ({ idOf }: Pick<Kernel, 'idOf'>, taskId: string, dueOn: string): string =>
  idOf(`task_mark:${taskId}:${dueOn}`);

type Who = { caller: Caller; role: FarmAccess['role'] };

/**
 * Decides that a due day was done or skipped. Marked so already: what is told anew is added, and nothing anybody told is lost.
 * Throws 422 for a day on which the task is not due; 409 for a skip of what somebody else has done.
 *
 * @param sentDate the instant as it came: a bare day begins on the farm, not in UTC
 */
export async function markTask(
  deps: TaskDeps,
  { caller, role }: Who,
  task: NamedTask,
  { input, sentDate }: { input: TaskMarkCreate; sentDate: unknown },
): Promise<Decision<MarkRow> & { isNew: boolean }> {
  const guard = asParent(await deps.guard('farm', task.farm_id));
  const farm = await requireFarm(deps, task.farm_id);
  const now = isoOf(deps.now());
  const dueOn = input.due_on ?? lastDueDay(task, todayOn(deps, farm));
  // who did it before the task was ended elsewhere has done it
  if (dueOn === null || !isDueOn({ ...task, ended_on: null }, dueOn))
    throw invalidField(422, 'due_on', 'the task is not due on that day', 'NOT_DUE');
  requireNotAhead(deps, 'due_on', dueOn, farm.timezone);
  const doneAt =
    input.done_at === undefined
      ? now
      : notAhead(deps, 'done_at', instantOnFarm(input.done_at, sentDate, farm.timezone), farm.timezone);
  const id = markIdOf(deps, task.id, dueOn);
  const said = {
    state: input.state ?? 'DONE',
    done_at: doneAt,
    done_by: caller.userId,
    note: input.note || null,
    ticked: [...new Set(input.ticked ?? [])],
    clock_quality: deps.clockQuality(),
  };
  const current = await deps.queries.markById(id);
  if (current === null) {
    const row = { id, farm_id: farm.id, task_id: task.id, due_on: dueOn, ...said, created_at: now };
    const mark = { ...row, updated_at: null };
    return {
      answer: { ...mark, rev: 1 },
      changes: [insert(taskMark, mark)],
      guards: [guard],
      isNew: true,
    };
  }
  const changed = changesOf(current, besideWhatStands(current, said, { caller, role }));
  if (changed === null) return { answer: current, isNew: false };
  const set = { ...changed.after, updated_at: now };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [
      update(taskMark, current, set),
      correctionEntry(deps, { ...entryOf(caller, task, current), ...changed }),
    ],
    guards: [guard],
    isNew: false,
  };
}

type Said = Pick<MarkRow, 'state' | 'done_at' | 'done_by' | 'note' | 'ticked' | 'clock_quality'>;

/** What the mark says when somebody marks the day once more. */
function besideWhatStands(current: MarkRow, said: Said, { caller, role }: Who): Partial<Said> {
  const isOwn = current.done_by === caller.userId;
  if (current.state === 'OPEN') return said;
  if (current.state === said.state)
    return {
      note: isOwn ? (said.note ?? current.note) : (current.note ?? said.note),
      ticked: [...new Set([...current.ticked, ...said.ticked])].slice(0, MOST_TICKED),
    };
  // a deed counts more than a word that it will not be done
  if (said.state === 'SKIPPED' && !isOwn && !mayOnFarm(role, 'manage'))
    throw conflict('Somebody else has marked this day as done', 'TASK_MARKED');
  return said;
}

/** A checklist that was written anew meanwhile may have other lines. */
const MOST_TICKED = 60;

/** Decides that a mark was a mistake; what it said stays in the audit. Throws 403 for that of another, unless one manages. */
export async function takeBack(
  deps: TaskDeps,
  { caller, role }: Who,
  task: NamedTask,
  dueOn: string,
): Promise<Decision<void>> {
  const current = await deps.queries.markById(markIdOf(deps, task.id, dueOn));
  if (current === null || current.state === 'OPEN') throw notFound('Mark');
  if (current.done_by !== caller.userId) requireRight(role, 'manage');
  const set = { state: 'OPEN' as const, updated_at: isoOf(deps.now()) };
  const entry = correctionEntry(deps, {
    ...entryOf(caller, task, current),
    before: { state: current.state, done_at: current.done_at, done_by: current.done_by, note: current.note },
    after: { state: set.state },
  });
  return { answer: undefined, changes: [update(taskMark, current, set), entry] };
}

function entryOf({ userId }: Caller, { text }: NamedTask, { id, farm_id: farmId, due_on }: MarkRow) {
  return { kind: 'task_mark' as const, id, name: `Task: ${text}, ${due_on}`, farmId, userId };
}
