import { now } from '../../data/clock.ts';
import type { TimelineByPoint } from '../../data/outlook.ts';
import type { Schedule } from '../../data/schedules.ts';
import { dayAndTime, isoDay } from '../../i18n/format.ts';
import { weekdayOf } from '../../state/schedule-week.ts';
import { nextTurns } from '../../state/week-outlook.ts';
import { ruleText } from './rule-text.ts';
import { scheduleWords } from './schedule-words.ts';

const SHOWN = 10;

/** When motors will next be switched, of all control points, in the farm's time: by schedules, and after orders. */
export function Upcoming({
  timeline,
  schedules,
  points,
}: {
  timeline: TimelineByPoint;
  schedules: readonly Schedule[];
  /** Their codes, by id. */
  points: ReadonlyMap<string, string>;
}) {
  const words = scheduleWords();
  const next = nextTurns(timeline, [...points.keys()], now.value).slice(0, SHOWN);
  if (next.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.upcoming}</h2>
      <ol class="stack">
        {next.map(({ pointId, target, at, scheduleId }) => {
          const schedule = schedules.find(({ id }) => id === scheduleId);
          return (
            <li key={`${pointId} ${at}`} class="row apart" data-upcoming={target}>
              <span>
                <strong>{points.get(pointId)}</strong> {target === 'ON' ? words.on : words.off}{' '}
                {schedule === undefined ? null : <span class="muted small">{ruleText(schedule)}</span>}
              </span>
              <span>
                {words.weekdays[weekdayOf(isoDay(at)) - 1]} {dayAndTime(at)}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
