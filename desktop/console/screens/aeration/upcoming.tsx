import { useMemo } from 'preact/hooks';
import { now } from '../../data/clock.ts';
import { nextRunsOf, type Schedule } from '../../data/schedules.ts';
import { dayAndTime, isoDay } from '../../i18n/format.ts';
import { weekdayOf } from '../../state/schedule-week.ts';
import { ruleText } from './rule-text.ts';
import { scheduleWords } from './schedule-words.ts';

const SHOWN = 10;

/** The next switchings by the calendar, of all control points, in the farm's time; also the ends of its times. */
export function Upcoming({
  schedules,
  codOf,
}: {
  schedules: readonly Schedule[];
  codOf: (id: string) => string;
}) {
  const words = scheduleWords();
  const minute = Math.floor(now.value / 60_000);
  // the list is a new one with every drawing
  const version = schedules.map(({ id, updated_at }) => `${id} ${updated_at}`).join();
  const next = useMemo(() => nextRunsOf(schedules, now.value, SHOWN), [version, minute]);
  if (next.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.upcoming}</h2>
      <ol class="stack">
        {next.map(({ schedule, action, at, isContradicted }) => (
          <li key={`${schedule.id} ${at}`} class="row apart" data-upcoming={action}>
            <span>
              <strong>{codOf(schedule.control_point_id)}</strong> {action === 'ON' ? words.on : words.off}{' '}
              <span class="muted small">{ruleText(schedule)}</span>
              {isContradicted ? <span class="small"> · ▲ {words.conflict}</span> : null}
            </span>
            <span>
              {words.weekdays[weekdayOf(isoDay(at)) - 1]} {dayAndTime(at)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
