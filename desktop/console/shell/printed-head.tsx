import { signal } from '@preact/signals';
import { farm } from '../data/farm-store.ts';
import { calendarDay, clockTime } from '../i18n/format.ts';
import { part } from './page-change.ts';

const printedAt = signal('');
addEventListener('beforeprint', () => {
  const now = Date.now();
  printedAt.value = [farm.value?.name, part.value, `${calendarDay(now)} ${clockTime(now)}`]
    .filter((text) => text)
    .join(' · ');
});

/** On paper alone: of which farm, which part of the page, and when. */
export const PrintedHead = () => <p class="printed">{printedAt}</p>;
