import { troubleText } from '../../components/alarm-words.ts';
import type { Meal, WaterEpisode } from '../../data/pond-events.ts';
import { dayAndTime, quantity } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

/** The marks of the charts in words, newest first. */
export function WaterEvents({ alarms, meals }: { alarms: readonly WaterEpisode[]; meals: readonly Meal[] }) {
  const words = pondWords();
  const events = [
    ...alarms.map((alarm) => ({
      key: alarm.id,
      at: alarm.at,
      mark: '▼',
      told: `${troubleText(alarm)}${alarm.resolved ? '' : ` · ${words.stillOpen}`}`,
    })),
    ...meals.map(({ at, kg }, index) => ({
      key: `${at} ${index}`,
      at,
      mark: '❘',
      told: `${words.meal}: ${quantity(kg, 2, 'kg')}`,
    })),
  ].toSorted((a, b) => b.at - a.at);
  if (events.length === 0) return null;
  return (
    <details class="card" data-events={events.length}>
      <summary>{words.events(alarms.length, meals.length)}</summary>
      <ol class="event-list">
        {events.map(({ key, at, mark, told }) => (
          <li key={key}>
            <span aria-hidden="true">{mark}</span>
            <span class="muted">{dayAndTime(at)}</span>
            <span>{told}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
