import { computed } from '@preact/signals';
import { alarmsOf } from '../state/alarm-state.ts';
import { post } from './api.ts';
import { now } from './clock.ts';
import { type Alert, alerts } from './farm-store.ts';

/** Every alarm that stands, of all farms, what must be answered first in front. */
export const alarms = computed(() => alarmsOf<Alert>(alerts.value.values(), now.value));
export const unanswered = computed(() => alarms.value.filter(({ state }) => state === 'unanswered'));

/** Answers every alert of an episode. */
export async function acknowledge(episodeId: string): Promise<void> {
  const together = [...alerts.value.values()].filter(
    ({ episode_id, acknowledged_at }) => episode_id === episodeId && acknowledged_at === null,
  );
  await Promise.all(together.map(({ id }) => post(`/alerts/${id}/acknowledge`)));
}
