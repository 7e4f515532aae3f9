import { type TaskCreate, type TaskUpdate, task } from '#contract/resources/tasks.ts';
import { asParent, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Rule } from './due-days.ts';
import type { NamedTask, TaskDeps, TaskFarm, TaskRow } from './ports.ts';

/** Open at a time: more than that nobody looks through, and all of them are read for each list of a day. */
const MOST_OPEN = 200;

export async function requireFarm(
  { queries }: { queries: Pick<TaskDeps['queries'], 'farmOf'> },
  farmId: string,
): Promise<TaskFarm> {
  const farm = await queries.farmOf(farmId);
  if (farm === null) throw notFound('Farm');
  return farm;
}

export const todayOn = ({ now }: Pick<TaskDeps, 'now'>, { timezone }: TaskFarm): string =>
  localDay(isoOf(now()), timezone);

/**
 * Decides a task. Throws 409 for an id that is taken, or beside MOST_OPEN others; 422 for a rule that says too little, a pond
 * of another farm, or a person who may not record on this one.
 */
export async function createTask(
  deps: TaskDeps,
  caller: Caller,
  farmId: string,
  input: TaskCreate,
): Promise<Decision<NamedTask>> {
  const guard = asParent(await deps.guard('farm', farmId));
  const farm = await requireFarm(deps, farmId);
  if (input.id !== undefined && (await deps.queries.taskIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const room = await requireRoom(deps, farm);
  const [pond, assignee] = [
    await pondOf(deps, farm, input.pond_id ?? null),
    await assigneeOf(deps, farm, input.assignee_id ?? null),
  ];
  const rule: Rule = {
    repeat: input.repeat ?? 'ONCE',
    every_days: input.every_days ?? null,
    days_of_week: daysOf(input.days_of_week ?? null),
    first_day: input.first_day ?? todayOn(deps, farm),
    ended_on: input.ended_on ?? null,
  };
  requireRule(rule);
  const row = {
    id: input.id ?? deps.newId(),
    farm_id: farm.id,
    pond_id: pond?.id ?? null,
    text: input.text,
    notes: input.notes || null,
    items: itemsOf(input.items ?? []),
    ...rule,
    remind_at: input.remind_at ?? null,
    assignee_id: assignee?.id ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: { ...row, rev: 1, pond_cod: pond?.cod ?? null, assignee_name: assignee?.name ?? null },
    changes: [insert(task, row)],
    guards: [guard, room],
  };
}

/** Decides new words, another rule or an end. Fields left out stay; what changes nothing leaves no entry. */
export async function changeTask(
  deps: TaskDeps,
  caller: Caller,
  current: NamedTask,
  input: TaskUpdate,
): Promise<Decision<NamedTask>> {
  const farm = await requireFarm(deps, current.farm_id);
  const { pond_id, assignee_id, notes, items, ...fields } = input;
  const pond = pond_id === undefined ? undefined : await pondOf(deps, farm, pond_id);
  const assignee = assignee_id === undefined ? undefined : await assigneeOf(deps, farm, assignee_id);
  const changed = changesOf<TaskRow>(rowOf(current), {
    ...fields,
    ...ruleAfter(current, input),
    ...(notes === undefined ? {} : { notes: notes || null }),
    ...(items === undefined ? {} : { items: itemsOf(items) }),
    ...(pond === undefined ? {} : { pond_id: pond?.id ?? null }),
    ...(assignee === undefined ? {} : { assignee_id: assignee?.id ?? null }),
  });
  if (changed === null) return { answer: current };
  const today = todayOn(deps, farm);
  const isOpened = isEnded(current, today) && !isEnded({ ...current, ...changed.after }, today);
  const guards = isOpened ? [await requireRoom(deps, farm)] : [];
  requireRule({ ...current, ...changed.after });
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  return {
    answer: {
      ...current,
      ...set,
      rev: current.rev + 1,
      ...(pond === undefined ? {} : { pond_cod: pond?.cod ?? null }),
      ...(assignee === undefined ? {} : { assignee_name: assignee?.name ?? null }),
    },
    changes: [
      update(task, rowOf(current), set),
      correctionEntry(deps, { ...entryOf(caller, current), ...changed }),
    ],
    guards,
  };
}

/** Decides that a task was never meant; its values stay in the audit. One that was done for a time is ended instead. */
export function deleteTask(deps: TaskDeps, caller: Caller, current: NamedTask): Decision<void> {
  const { rev: _rev, ...before } = rowOf(current);
  const entry = correctionEntry(deps, { ...entryOf(caller, current), before, after: null });
  return { answer: undefined, changes: [remove(task, rowOf(current)), entry] };
}

const rowOf = ({ pond_cod: _cod, assignee_name: _name, ...row }: NamedTask): TaskRow => row;

function entryOf({ userId }: Caller, { id, farm_id: farmId, text }: TaskRow) {
  return { kind: 'task' as const, id, name: `Task: ${text}`, farmId, userId };
}

/** Another repeat takes with it what only the one before had. */
function ruleAfter(current: TaskRow, { repeat, every_days, days_of_week }: TaskUpdate): Partial<Rule> {
  const days = days_of_week === undefined ? {} : { days_of_week: daysOf(days_of_week) };
  if (repeat === undefined || repeat === current.repeat) return days;
  return { repeat, every_days: every_days ?? null, days_of_week: daysOf(days_of_week ?? null) };
}

function requireRule({ repeat, every_days, days_of_week }: Rule): void {
  if (repeat === 'DAYS' && every_days === null)
    throw invalidField(422, 'every_days', 'is required with DAYS', 'NO_RULE');
  if (repeat !== 'DAYS' && every_days !== null)
    throw invalidField(422, 'every_days', 'goes with DAYS only', 'OTHER_KIND');
  if (repeat === 'WEEKDAYS' && (days_of_week === null || days_of_week.length === 0))
    throw invalidField(422, 'days_of_week', 'is required with WEEKDAYS', 'NO_RULE');
  if (repeat !== 'WEEKDAYS' && days_of_week !== null)
    throw invalidField(422, 'days_of_week', 'goes with WEEKDAYS only', 'OTHER_KIND');
}

const daysOf = (days: readonly number[] | null): number[] | null =>
  days === null ? null : [...new Set(days)].toSorted((a, b) => a - b);

/** Each once: by its words a line is ticked. */
const itemsOf = (items: readonly string[]): string[] => [...new Set(items)];

const isEnded = ({ ended_on }: Pick<TaskRow, 'ended_on'>, today: string): boolean =>
  ended_on !== null && ended_on < today;

async function pondOf({ queries }: TaskDeps, { id }: TaskFarm, ref: string | null) {
  if (ref === null) return null;
  const pond = await queries.pondOn(id, ref);
  if (pond === null) throw invalidField(422, 'pond_id', 'no such pond on this farm');
  return pond;
}

async function assigneeOf({ queries }: TaskDeps, { id }: TaskFarm, ref: string | null) {
  if (ref === null) return null;
  const person = await queries.recorderOn(id, ref);
  if (person === null) throw invalidField(422, 'assignee_id', 'nobody who may record on this farm');
  return person;
}

/** Counted and opened are one step, behind the guard that it answers: of many at the same moment none is one too many. */
async function requireRoom(deps: TaskDeps, farm: TaskFarm): Promise<GuardSeen> {
  const guard = await deps.guard('tasks', farm.id);
  const open = await deps.queries.countTasks({ farmId: farm.id, openOn: todayOn(deps, farm) });
  if (open < MOST_OPEN) return guard;
  throw conflict(`The farm has ${MOST_OPEN} open tasks already: end some of them`, 'TOO_MANY_TASKS');
}
