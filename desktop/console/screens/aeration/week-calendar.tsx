import { useState } from 'preact/hooks';
import { aerationWords, scheduleWords } from '#words/aeration.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { codeOf, SimulatedMark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import { farm, farmAirPoints, isKnown, mayOperate } from '../../data/farm-store.ts';
import { type TimelineByPoint, useTimeline } from '../../data/outlook.ts';
import { type Schedule, schedulesAt, useSchedules } from '../../data/schedules.ts';
import { dayAndTime, isoDay, plainDay } from '../../i18n/format.ts';
import { addDays, mondayOf, nextTurns, weekdayOf } from '../../state/week-outlook.ts';
import { AerationTabs } from './control-board.tsx';
import { moveAmongBlocks, PointWeek } from './point-week.tsx';
import { ruleText } from './reason-text.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

const SHOWN = 10;

/** A week of switching, a row for each control point that airs, by the farm's clock. */
export function WeekCalendar() {
  const words = scheduleWords();
  const points = farmAirPoints.value;
  const schedules = useSchedules();
  const timeline = useTimeline();
  const today = isoDay(now.value);
  const [monday, setMonday] = useState(() => mondayOf(today));
  const [open, setOpen] = useState<{ schedule: Schedule | null } | null>(null);
  const { data: known } = schedules;
  const all = known === undefined ? [] : points.flatMap(({ id }) => schedulesAt(known, id));
  return (
    <div class="page">
      <div class="page-head">
        <h1>{aerationWords().title}</h1>
        {mayOperate.value && points.length > 0 ? (
          <Button big look="main" onClick={() => setOpen({ schedule: null })}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <AerationTabs />
      <div class="row apart">
        <span class="row week-choice">
          <Button aria-label={words.before} onClick={() => setMonday(addDays(monday, -7))}>
            <Icon name="back" />
          </Button>
          <strong>{words.week(plainDay(monday), plainDay(addDays(monday, 6)))}</strong>
          <Button aria-label={words.after} onClick={() => setMonday(addDays(monday, 7))}>
            <Icon name="next" />
          </Button>
          {monday === mondayOf(today) ? null : (
            <Button onClick={() => setMonday(mondayOf(today))}>{words.today}</Button>
          )}
        </span>
        <span class="muted small">{words.zone(farm.value?.timezone ?? '')}</span>
      </div>
      {points.length > 0 ? null : isKnown.value ? <Empty text={words.none} /> : <Awaited of={[]} />}
      <div class="stack" onKeyDown={moveAmongBlocks}>
        {points.map((point) => {
          const { id, cod } = point;
          return (
            <section key={id} class="card stack">
              <h2>
                {cod} <SimulatedMark is={point.is_simulated} />
              </h2>
              <Answer
                of={schedules}
                isEmpty={(found) => schedulesAt(found, id).length === 0}
                empty={<p class="muted">{words.none}</p>}
              >
                {(found) => (
                  <PointWeek
                    cod={cod}
                    monday={monday}
                    today={today}
                    schedules={schedulesAt(found, id)}
                    segments={timeline.data?.get(id) ?? []}
                    onOpen={(schedule) => setOpen({ schedule })}
                  />
                )}
              </Answer>
            </section>
          );
        })}
      </div>
      {timeline.data === undefined ? null : (
        <Upcoming
          timeline={timeline.data}
          schedules={all}
          points={new Map(points.map((point) => [point.id, codeOf(point)]))}
        />
      )}
      {open === null ? null : (
        <ScheduleDialog schedule={open.schedule} points={points} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}

/** When motors will next be switched, of all control points, in the farm's time: by schedules, and after orders. */
function Upcoming({
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
