import { useState } from 'preact/hooks';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { codeOf, SimulatedMark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import { farm, farmAirPoints, isKnown, mayOperate } from '../../data/farm-store.ts';
import { plannedRuleOf, type Schedule, useSchedules } from '../../data/schedules.ts';
import { dayAndTime, isoDay, plainDay } from '../../i18n/format.ts';
import {
  addDays,
  type Block,
  blocksOfWeek,
  contradictions,
  daysMore,
  mondayOf,
} from '../../state/schedule-week.ts';
import { AerationTabs } from './control-board.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { scheduleWords } from './schedule-words.ts';
import { aerationWords } from './words.ts';

const UPCOMING = 10;

/** A week of switching, a row for each control point that airs, by the farm's clock. */
export function WeekCalendar() {
  const words = scheduleWords();
  const points = farmAirPoints.value;
  const schedules = useSchedules(points.map(({ id }) => id));
  const today = isoDay(now.value);
  const [monday, setMonday] = useState(() => mondayOf(today));
  const [open, setOpen] = useState<{ schedule: Schedule | null } | null>(null);
  const all = [...schedules.values()].flatMap(({ data }) => data ?? []);
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
        <span class="row">
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
      <div class="stack">
        {points.map((point) => {
          const { id, cod } = point;
          const known = schedules.get(id);
          return (
            <section key={id} class="card stack">
              <h2>
                {cod} <SimulatedMark is={point.is_simulated} />
              </h2>
              {known === undefined ? null : (
                <Answer
                  of={known}
                  isEmpty={(found) => found.length === 0}
                  empty={<p class="muted">{words.none}</p>}
                >
                  {(found) => (
                    <PointWeek
                      monday={monday}
                      today={today}
                      schedules={found}
                      onOpen={(schedule) => setOpen({ schedule })}
                    />
                  )}
                </Answer>
              )}
            </section>
          );
        })}
      </div>
      <Upcoming
        schedules={all}
        codOf={(id) => {
          const point = points.find((one) => one.id === id);
          return point === undefined ? '' : codeOf(point);
        }}
      />
      {open === null ? null : (
        <ScheduleDialog schedule={open.schedule} points={points} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}

function PointWeek({
  monday,
  today,
  schedules,
  onOpen,
}: {
  monday: string;
  today: string;
  schedules: readonly Schedule[];
  onOpen: (schedule: Schedule) => void;
}) {
  const words = scheduleWords();
  const active = schedules.filter(({ is_active }) => is_active);
  const blocks = blocksOfWeek(active.map(plannedRuleOf), monday);
  const wrong = contradictions(blocks);
  return (
    <>
      <div class="week" aria-hidden="true">
        {words.weekdays.map((name, index) => (
          <div key={name} class={`week-day ${addDays(monday, index) === today ? 'today' : ''}`}>
            <span class="small muted">{name}</span>
            <div class="week-line">
              {blocks
                .filter(({ dayIndex }) => dayIndex === index)
                .map((block) => (
                  <DayBlock
                    key={`${block.ruleId} ${block.fromMinute}`}
                    block={block}
                    isWrong={wrong.has(block.ruleId)}
                  />
                ))}
            </div>
          </div>
        ))}
      </div>
      <ul class="row">
        {schedules.map((schedule) => (
          <li key={schedule.id}>
            <button
              type="button"
              class="button small"
              disabled={!mayOperate.value}
              data-schedule={schedule.id}
              onClick={() => onOpen(schedule)}
            >
              {ruleText(schedule)}
              {wrong.has(schedule.id) ? ` · ▲ ${words.conflict}` : ''}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function DayBlock({ block, isWrong }: { block: Block; isWrong: boolean }) {
  return (
    <span
      class={`week-block ${block.action === 'ON' ? 'on' : 'off'} ${isWrong ? 'wrong' : ''}`}
      style={{
        insetInlineStart: `${(block.fromMinute / 1_440) * 100}%`,
        width: `${((block.toMinute - block.fromMinute) / 1_440) * 100}%`,
      }}
    />
  );
}

/** `Ligar 18:00–06:00 · todo dia` */
export function ruleText(schedule: Schedule): string {
  const words = scheduleWords();
  const rule = plannedRuleOf(schedule);
  const time = (minute: number) =>
    `${String(Math.floor(minute / 60) % 24).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const more = daysMore(rule);
  const end =
    rule.lengthMinutes === null
      ? ''
      : `–${time(rule.startMinute + rule.lengthMinutes)}${more > 0 ? ` ${words.moreDays(more)}` : ''}`;
  const days =
    rule.pattern === 'WEEKLY' && rule.daysOfWeek !== null
      ? rule.daysOfWeek.map((day) => words.weekdays[day - 1]).join(' ')
      : words.patterns[rule.pattern];
  const state = schedule.is_active ? '' : ` · ${words.inactive}`;
  return `${rule.action === 'ON' ? words.on : words.off} ${time(rule.startMinute)}${end} · ${days}${state}`;
}

function Upcoming({ schedules, codOf }: { schedules: readonly Schedule[]; codOf: (id: string) => string }) {
  const words = scheduleWords();
  const next = schedules
    .filter(({ next_event_at }) => next_event_at !== null)
    .toSorted((a, b) => ((a.next_event_at ?? '') < (b.next_event_at ?? '') ? -1 : 1))
    .slice(0, UPCOMING);
  if (next.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.upcoming}</h2>
      <ol class="stack">
        {next.map((schedule) => (
          <li key={schedule.id} class="row apart">
            <span>
              <strong>{codOf(schedule.control_point_id)}</strong> {ruleText(schedule)}
            </span>
            <span class="muted">{dayAndTime(schedule.next_event_at)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
