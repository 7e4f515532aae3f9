import type { Point, Publish, Sight, StepDone, Violation, Write } from '../history.ts';
import type { OnDisk } from '../ledger.ts';
import { noAlertStorm } from './alerts.ts';
import { changeLogIsWhole } from './change-log.ts';
import { motorsRest, ordersActOnce } from './controllers.ts';
import { durablePublishes, durableWrites } from './durable.ts';
import { triggersAreTold } from './triggers.ts';
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
