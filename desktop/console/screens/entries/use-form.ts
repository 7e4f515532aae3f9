import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { now } from '../../data/clock.ts';
import type { Wanted } from '../../data/outbox.ts';
import { TIME } from '../../data/schedules.ts';
import { clockTime, instantAt, isoDay } from '../../i18n/format.ts';
import { formWords } from './form-words.ts';
import { useEnter } from './use-enter.ts';

/** Day and time by the farm's clock, now to begin with. */
export function useWhen() {
  const words = formWords();
  const [day, setDay] = useState(() => isoDay(now.value));
  const [time, setTime] = useState(() => clockTime(now.value));
  const isRight = TIME.test(time) && day !== '';
  return {
    day,
    setDay,
    time,
    setTime,
    isRight,
    fault: TIME.test(time) ? null : words.badTime,
    instant: () => instantAt(day, time),
  };
}

/** Puts an entry on its way, says so with the way back, and returns to the choice of entries. */
export function useSubmit(): (entry: Wanted) => Promise<void> {
  const words = formWords();
  const { put } = useEnter();
  const [, go] = useLocation();
  return async (entry) => {
    if (await put([entry], { text: words.queued(entry.label) })) go('/lancar');
  };
}
