import { codeOrder } from './code-order.ts';

// What is to be done today, and what should have been done. Pure: instants in milliseconds come in.

const MIN = 60_000;
const H = 60 * MIN;
const D = 24 * H;

export type TaskKind = 'alarm' | 'oxygen' | 'meal' | 'weighing' | 'kit';

export type Task = {
  kind: TaskKind;
  /** Where: code of a pond, a batch or a control point. */
  place: string;
  /** Since when, or until when, it is due. */
  dueAt: number;
  isOverdue: boolean;
  /** When it was done last; null: never. */
  lastAt: number | null;
  /** The screen that does it. */
  href: string;
};

/** How long a figure serves before it must be taken again. */
export const EVERY = {
  oxygenByNight: 2 * H,
  oxygenByDay: 4 * H,
  weighing: 7 * D,
  kit: 7 * D,
  /** A meal counts as missed so long after its time. */
  mealGrace: 75 * MIN,
} as const;

/** Minutes count for alarms and oxygen; a kit can wait until somebody has the case in hand. */
const ORDER: Readonly<Record<TaskKind, number>> = { alarm: 0, oxygen: 1, meal: 2, weighing: 3, kit: 4 };

export type PondFacts = {
  cod: string;
  oxygenAt: number | null;
  /** undefined: not asked yet. */
  kitAt: number | null | undefined;
  stockedAt: number;
};

export type BatchFacts = {
  code: string;
  /** The ponds that hold it: what people call it by. */
  place: string;
  stockedAt: number;
  /** undefined: not asked yet. */
  weighedAt: number | null | undefined;
  /** Instants of today's meals, in order; empty: not known. */
  meals: readonly number[];
  mealsGiven: number;
};

type Day = { now: number; endsAt: number; isNight: boolean };

const link = (path: string, name: string, value: string) => `${path}?${name}=${encodeURIComponent(value)}`;

/** What a thing that must be done again every so often asks for before the day ends. */
function repeated(
  task: Pick<Task, 'kind' | 'place' | 'href' | 'lastAt'>,
  since: number,
  every: number,
  { now, endsAt }: Day,
): Task[] {
  const dueAt = since + every;
  return dueAt > endsAt ? [] : [{ ...task, dueAt, isOverdue: dueAt <= now }];
}

export function pondTasks({ cod, oxygenAt, kitAt, stockedAt }: PondFacts, day: Day): Task[] {
  const every = day.isNight ? EVERY.oxygenByNight : EVERY.oxygenByDay;
  const at = { place: cod, href: link('/lancar/agua', 'pond', cod) };
  return [
    ...repeated({ ...at, kind: 'oxygen', lastAt: oxygenAt }, oxygenAt ?? stockedAt, every, day),
    ...(kitAt === undefined
      ? []
      : repeated({ ...at, kind: 'kit', lastAt: kitAt }, kitAt ?? stockedAt, EVERY.kit, day)),
  ];
}

export function batchTasks(
  { code, place, stockedAt, weighedAt, meals, mealsGiven }: BatchFacts,
  day: Day,
): Task[] {
  const weighing =
    weighedAt === undefined
      ? []
      : repeated(
          {
            kind: 'weighing',
            place,
            lastAt: weighedAt,
            href: link('/lancar/biometria', 'batch', code),
          },
          weighedAt ?? stockedAt,
          EVERY.weighing,
          day,
        );
  // meals are given in order: what was given stands for the first of them
  const open = meals.slice(mealsGiven).map(
    (dueAt): Task => ({
      kind: 'meal',
      place,
      dueAt,
      isOverdue: dueAt + EVERY.mealGrace <= day.now,
      lastAt: null,
      href: link('/lancar/racao', 'batch', code),
    }),
  );
  return [...weighing, ...open];
}

export function alarmTask(place: string, raisedAt: number): Task {
  return { kind: 'alarm', place, dueAt: raisedAt, isOverdue: true, lastAt: null, href: '/alarmes' };
}

/** Overdue ones in front, then by what they are, then the longest due. */
export function inOrder(tasks: readonly Task[]): Task[] {
  return tasks.toSorted(
    (a, b) =>
      Number(b.isOverdue) - Number(a.isOverdue) ||
      ORDER[a.kind] - ORDER[b.kind] ||
      a.dueAt - b.dueAt ||
      codeOrder(a.place, b.place),
  );
}

/** Tasks of one kind that stand together in the list: one round, not ten lines. */
export function grouped(tasks: readonly Task[]): { kind: TaskKind; tasks: Task[] }[] {
  const groups: { kind: TaskKind; tasks: Task[] }[] = [];
  for (const task of tasks) {
    const last = groups.at(-1);
    if (last?.kind === task.kind) last.tasks.push(task);
    else groups.push({ kind: task.kind, tasks: [task] });
  }
  return groups;
}

/** Meals of one place stand on one line: the first time says when, the rest follow. */
export function byPlace(tasks: readonly Task[]): Task[][] {
  const places = new Map<string, Task[]>();
  for (const task of tasks) places.set(task.href, [...(places.get(task.href) ?? []), task]);
  return [...places.values()];
}

/** Ponds in production that were measured since the farm's midnight, of how many. */
export function roundOf(
  ponds: readonly Pick<PondFacts, 'oxygenAt'>[],
  dayBeganAt: number,
): { done: number; all: number } {
  const done = ponds.filter(({ oxygenAt }) => oxygenAt !== null && oxygenAt >= dayBeganAt).length;
  return { done, all: ponds.length };
}
