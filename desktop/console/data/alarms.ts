import { computed } from '@preact/signals';
import { type Alarm, alarmsOf } from '../state/alarm-state.ts';
import { post } from './api.ts';
import { now } from './clock.ts';
import { type Alert, alerts } from './farm-store.ts';
import { steady } from './steady.ts';

/** Every alarm that stands, of all farms, what must be answered first in front. Until one changes it is the same list. */
export const alarms = computed(steady(() => alarmsOf<Alert>(alerts.value.values(), now.value), isSameList));
export const unanswered = computed(() => alarms.value.filter(({ state }) => state === 'unanswered'));

const ALL = [
  'key',
  'newest',
  'count',
  'priority',
  'state',
  'since',
] as const satisfies readonly (keyof Alarm)[];

function isSameList(before: readonly Alarm<Alert>[], after: readonly Alarm<Alert>[]): boolean {
  return (
    before.length === after.length &&
    before.every((alarm, index) => {
      const other = after[index];
      return other !== undefined && ALL.every((field) => alarm[field] === other[field]);
    })
  );
}

/** Answers every alert of an episode. */
export async function acknowledge(episodeId: string): Promise<void> {
  const together = [...alerts.value.values()].filter(
    ({ episode_id, acknowledged_at }) => episode_id === episodeId && acknowledged_at === null,
  );
  await Promise.all(together.map(({ id }) => post(`/alerts/${id}/acknowledge`)));
}
