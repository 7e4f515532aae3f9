import { inEach } from '#core/each-language.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { localDay, timeOfDayOfWall, wallOf, zoneClocks } from '#core/zone-clock.ts';
import { isDueOn, reminderAt } from './due-days.ts';
import { markIdOf } from './mark-task.ts';
import type { RemindedTask, ReminderQueries } from './ports.ts';

type RemindDeps = Kernel & {
  queries: ReminderQueries;
  notify: Notify;
  /** A farm with a gateway is reminded by that: it knows first what was done. */
  isRunHere: (farmId: string) => boolean;
};

/** Each has a bounded number of open tasks, all of which are read together. */
const FARMS_AT_ONCE = 50;

/** What was told lately; what falls out is found told by its cause. */
const MOST_TOLD = 20_000;

/**
 * Reminds people of what is due today once its hour has come, each due day once. It looks at what stands, not at the minute:
 * a gateway that was off at the hour tells it when it is back, of that day alone.
 */
export function createReminders(deps: RemindDeps): { tick: () => Promise<void> } {
  const toldOn = new NewestMap<string, string>(MOST_TOLD);
  const clockOf = zoneClocks();

  async function remindOn(farmIds: readonly string[], zone: string): Promise<void> {
    const clock = clockOf(zone);
    const now = deps.now();
    const day = localDay(isoOf(now), clock);
    const waiting = await deps.queries.remindersUntil(farmIds, { day, time: timeNow(wallOf(clock, now)) });
    const due = waiting.filter(
      (task) =>
        toldOn.get(task.id) !== day &&
        isDueOn(task, day) &&
        isComing(task, reminderAt(day, task.remind_at ?? '', clock), now),
    );
    const marks = await deps.queries.marksOf(due.map(({ id }) => markIdOf(deps, id, day)));
    const marked = new Set(marks.flatMap(({ state, task_id }) => (state === 'OPEN' ? [] : [task_id])));
    for (const task of due) {
      if (marked.has(task.id)) continue;
      await tell(deps, task, day);
      toldOn.set(task.id, day);
      await deps.pause(1);
    }
  }

  return {
    async tick() {
      const farms = await deps.queries.farmsWithReminders();
      const here = Map.groupBy(
        farms.filter(({ id }) => deps.isRunHere(id)),
        ({ timezone }) => timezone,
      );
      for (const [zone, found] of here)
        for (let at = 0; at < found.length; at += FARMS_AT_ONCE) {
          await remindOn(
            found.slice(at, at + FARMS_AT_ONCE).map(({ id }) => id),
            zone,
          );
          await deps.pause(1);
        }
    },
  };
}

/** Who sets a task after its hour knows of it today. */
const isComing = ({ created_at }: RemindedTask, at: number, now: number): boolean =>
  at <= now && Date.parse(created_at) <= at;

function timeNow(wallMs: number): string {
  return new Date(timeOfDayOfWall(wallMs)).toISOString().slice(11, 16);
}

async function tell(deps: RemindDeps, task: RemindedTask, day: string): Promise<void> {
  await perform(deps, null, async () => {
    const guard = await deps.guard('farm', task.farm_id);
    const { assignee_id: person, farm_id: farmId } = task;
    // of somebody who left it is everybody's again
    const assignee = person === null ? null : await deps.queries.recorderOn(farmId, person);
    const to = assignee === null ? ({ farmId, who: 'recorders' } as const) : { userIds: [assignee.id] };
    const changes = await deps.notify(to, {
      type: 'SYSTEM',
      title: (language) => titleOf(task)[language],
      message: (language) => messageOf(task)[language],
      data: { event: 'task_due', farm_id: farmId, task_id: task.id, due_on: day },
      cause: `task:${task.id}:${day}`,
      farmId,
    });
    return { answer: undefined, changes, guards: [guard], isBackground: true as const };
  });
}

const titleOf = ({ text }: RemindedTask) => inEach(`Tarefa: ${text}`, `Task: ${text}`, `Tarea: ${text}`);

function messageOf({ farm_name: farm, pond_cod: pond, remind_at: hour }: RemindedTask) {
  if (pond === null)
    return inEach(
      `Para hoje às ${hour}, ${farm}.`,
      `For today at ${hour}, ${farm}.`,
      `Para hoy a las ${hour}, ${farm}.`,
    );
  return inEach(
    `Para hoje às ${hour}, no viveiro ${pond}, ${farm}.`,
    `For today at ${hour}, at pond ${pond}, ${farm}.`,
    `Para hoy a las ${hour}, en la piscina ${pond}, ${farm}.`,
  );
}
