import type { Point, Publish, Sight, StepDone, Violation, Write } from '../history.ts';
import type { OnDisk } from '../ledger.ts';
import { type Effect, effectsOf, emptyFound, find } from '../resolve.ts';
import { noAlertStorm } from './alerts.ts';
import { changeLogIsWhole } from './change-log.ts';
import { motorsRest, ordersActOnce } from './controllers.ts';
import { durablePublishes, durableWrites } from './durable.ts';
import { scheduleEvents } from './expected.ts';
import { logsTellTheStory } from './true-story.ts';

/** All that a campaign left behind. */
export type Evidence = {
  points: readonly Point[];
  userId: string;
  writes: readonly Write[];
  publishes: readonly Publish[];
  sights: readonly Sight[];
  steps: readonly StepDone[];
  disk: OnDisk;
};

/** Every rule over everything, at the end. What has to be right at its time is judged after each step. */
export function judge({ points, userId, writes, publishes, sights, steps, disk }: Evidence): Violation[] {
  return [
    ...durableWrites(writes, disk),
    ...durablePublishes(publishes, points, disk),
    ...changeLogIsWhole(disk),
    ...motorsRest(sights, points),
    ...ordersActOnce(sights),
    ...logsTellTheStory(writes, disk, userId),
    ...triggersAreTold({ writes, points, steps }, disk),
    ...noAlertStorm(disk, steps, points),
  ];
}

// Every event of a schedule is in the audit, once, whatever was broken when it came.

function triggersAreTold(
  {
    writes,
    points,
    steps,
  }: { writes: readonly Write[]; points: readonly Point[]; steps: readonly StepDone[] },
  disk: OnDisk,
): Violation[] {
  const told = new Map<string, number>();
  for (const { action, entity_id, details } of disk.logs) {
    if (action !== 'schedule_trigger') continue;
    // the audit writes an object
    const { schedule_id, due_at, edge } = JSON.parse(details ?? '{}') as Record<string, string>;
    told.set(
      `${entity_id} ${schedule_id} ${due_at} ${edge}`,
      1 + (told.get(`${entity_id} ${schedule_id} ${due_at} ${edge}`) ?? 0),
    );
  }
  const twice = [...told].filter(([, times]) => times > 1);
  const found = emptyFound();
  find(found, disk.changes);
  const effects = Map.groupBy(effectsOf(writes, found), ({ write }) => write.pointId);
  const known = new Set([...told.keys()].map((name) => name.split(' ').slice(0, 3).join(' ')));
  return [
    ...twice.map(([name, times]) => ({
      rule: 'a trigger is told once',
      what: `it is told ${times} times`,
      context: name,
    })),
    ...points.flatMap((point) => untold({ point, effects: effects.get(point.id) ?? [] }, steps, known)),
  ];
}

/** Those that nobody could still miss: the step they fell into was over before their schedule was changed. */
function untold(
  { point, effects }: { point: Point; effects: readonly Effect[] },
  steps: readonly StepDone[],
  known: ReadonlySet<string>,
): Violation[] {
  const lastEnd = steps.at(-1)?.to ?? 0;
  return scheduleEvents(effects, lastEnd).flatMap((event) => {
    const next = steps.findIndex(({ from }) => from > event.at);
    const settledAt = steps[next]?.from ?? Number.POSITIVE_INFINITY;
    if (event.ruleUntil < settledAt) return [];
    if (known.has(`${point.id} ${event.scheduleId} ${new Date(event.at).toISOString()}`)) return [];
    const during = steps[next === -1 ? steps.length - 1 : next - 1]?.step.kind;
    return [
      {
        rule: 'every trigger is told',
        what: `an event during ${during ?? 'the start'} is not in the audit`,
        context: { device: point.device_id, event },
      },
    ];
  });
}
