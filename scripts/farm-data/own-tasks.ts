import type { RowOf } from '#contract/resource.ts';
import { task, taskMark } from '#contract/resources/tasks.ts';
import { isDueOn } from '#features/production/tasks/due-days.ts';
import { markIdOf } from '#features/production/tasks/mark-task.ts';
import { idOfCause } from '#runtime/world.ts';
import type { Deps } from './batch-life.ts';
import { createChance, idNumber } from './chance.ts';
import { at, dateOf, iso, UNTOUCHED } from './grown.ts';
import { recorderOf } from './places.ts';

const SET_DAYS_AGO = 30;
const DONE = 0.92;

type Set = Pick<
  RowOf<typeof task>,
  'text' | 'repeat' | 'every_days' | 'days_of_week' | 'items' | 'remind_at'
>;

const SETS: readonly Set[] = [
  {
    text: 'Ronda da manhã',
    repeat: 'DAYS',
    every_days: 1,
    days_of_week: null,
    items: ['Aeradores ligados', 'Comportas e telas', 'Aves e predadores', 'Bandejas recolhidas'],
    remind_at: '06:00',
  },
  {
    text: 'Limpar e calibrar a sonda de oxigênio',
    repeat: 'WEEKDAYS',
    every_days: null,
    days_of_week: [1, 4],
    items: [],
    remind_at: '08:00',
  },
  {
    text: 'Trocar o óleo do gerador',
    repeat: 'DAYS',
    every_days: 21,
    days_of_week: null,
    items: [],
    remind_at: null,
  },
];

/** Tasks of the last month and what became of their days, by dice of their own; the last day is still to do. */
export function keepTasks({ emit, places, day }: Deps, lastDay: number): void {
  const firstDay = lastDay - SET_DAYS_AGO;
  if (day < firstDay) return;
  SETS.forEach((set, n) => {
    const setAt = at(firstDay, 5, n);
    const row = {
      ...UNTOUCHED,
      id: createChance(firstDay * 1_000 + 881 + n + idNumber(places.farmId)).uuid(setAt),
      farm_id: places.farmId,
      pond_id: null,
      notes: null,
      first_day: dateOf(firstDay),
      ended_on: null,
      assignee_id: null,
      created_by: recorderOf(places),
      created_at: iso(setAt),
      ...set,
    };
    if (day === firstDay) emit(task, row);
    const dueOn = dateOf(day);
    const chance = createChance(day * 1_000 + 891 + n);
    if (day === lastDay || !isDueOn(row, dueOn) || !chance.happens(DONE)) return;
    const doneAt = iso(at(day, 7 + n, chance.whole(0, 50)));
    emit(taskMark, {
      ...UNTOUCHED,
      id: markIdOf({ idOf: idOfCause }, row.id, dueOn),
      farm_id: places.farmId,
      task_id: row.id,
      due_on: dueOn,
      state: 'DONE',
      done_at: doneAt,
      done_by: recorderOf(places),
      note: null,
      ticked: set.items,
      created_at: doneAt,
    });
  });
}
