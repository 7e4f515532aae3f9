import { computed } from '@preact/signals';
import { type Alarm, alarmsOf, isStanding } from '../state/alarm-state.ts';
import { post } from './api.ts';
import { now } from './clock.ts';
import { type Alert, alerts } from './farm-store.ts';
import { steady } from './live.ts';

/**
 * Every alarm that stands or waits for an answer, of all farms, what must be answered first in front. Until one changes it
 * is the same list.
 */
export const alarms = computed(steady(() => alarmsOf<Alert>(alerts.value.values(), now.value), isSameList));
/** What is there and nobody has answered: these are heard. */
export const unanswered = computed(() => alarms.value.filter(({ state }) => state === 'unanswered'));
/** What a person still has to answer, whether it is there or was. */
export const toAnswer = computed(() =>
  alarms.value.filter(({ state }) => state === 'unanswered' || state === 'returned'),
);
/** What is there, answered or not, and was not put off: it colours its place. */
export const standing = computed(() => alarms.value.filter(isStanding));

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

/** Answers an alarm: the gateway marks all alerts of its episode. */
export const acknowledge = ({ newest }: Alarm<Alert>, note?: string): Promise<unknown> =>
  post(`/alerts/${newest.id}/acknowledge`, note === undefined ? undefined : { note });
