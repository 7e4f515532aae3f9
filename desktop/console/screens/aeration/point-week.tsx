import { scheduleWords } from '#words/aeration.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { type Segment, spansOfWeek } from '../../data/outlook.ts';
import { plannedRuleOf, type Schedule, timeOf } from '../../data/schedules.ts';
import { dayAndTime } from '../../i18n/format.ts';
import {
  addDays,
  type Block,
  blocksOfWeek,
  isOffCalendar,
  type Span,
  type Waiting,
  waitingParts,
} from '../../state/week-outlook.ts';
import { ruleText } from './reason-text.ts';

/**
 * The week of one control point: each block opens its time, and so does the list below, which needs no sure hand. Where
 * the motor will not do what a block asks for it is hatched; the thin line beneath is what it will do, as known now.
 */
export function PointWeek({
  cod,
  monday,
  today,
  schedules,
  segments,
  onOpen,
}: {
  cod: string;
  monday: string;
  today: string;
  schedules: readonly Schedule[];
  /** What is known of the days ahead. */
  segments: readonly Segment[];
  onOpen: (schedule: Schedule) => void;
}) {
  const words = scheduleWords();
  const active = schedules.filter(({ is_active }) => is_active);
  const blocks = blocksOfWeek(active.map(plannedRuleOf), monday).toSorted(
    (a, b) => a.dayIndex - b.dayIndex || a.fromMinute - b.fromMinute,
  );
  const spans = spansOfWeek(segments, monday);
  return (
    <>
      <div class="week" role="group" aria-label={words.weekOf(cod)} data-week={cod}>
        {words.weekdays.map((name, index) => {
          const ofDay = spans.filter(({ dayIndex }) => dayIndex === index);
          return (
            <div key={name} class={`week-day ${addDays(monday, index) === today ? 'today' : ''}`}>
              <span class="small muted">{name}</span>
              <div class="week-line">
                {blocks
                  .filter(({ dayIndex }) => dayIndex === index)
                  .map((block) => (
                    <DayBlock
                      key={`${block.ruleId} ${block.fromMinute}`}
                      block={block}
                      schedule={active.find(({ id }) => id === block.ruleId)}
                      waiting={waitingParts(block, ofDay)}
                      isFirst={block === blocks[0]}
                      onOpen={onOpen}
                    />
                  ))}
              </div>
              <DayAhead spans={ofDay} />
            </div>
          );
        })}
      </div>
      <OffCalendar segments={segments} />
      <ul class="row">
        {schedules.map((schedule) => (
          <li key={schedule.id}>
            {mayOperate.value ? (
              <button
                type="button"
                class="button small"
                data-schedule={schedule.id}
                onClick={() => onOpen(schedule)}
              >
                {ruleText(schedule)}
              </button>
            ) : (
              <span class="chip">{ruleText(schedule)}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const placeOf = ({ fromMinute, toMinute }: { fromMinute: number; toMinute: number }) => ({
  insetInlineStart: `${(fromMinute / 1_440) * 100}%`,
  width: `${((toMinute - fromMinute) / 1_440) * 100}%`,
});

/** One of them is in the order of the Tab key; the arrows lead to the others. */
function DayBlock({
  block,
  schedule,
  waiting,
  isFirst,
  onOpen,
}: {
  block: Block;
  schedule: Schedule | undefined;
  waiting: readonly Waiting[];
  isFirst: boolean;
  onOpen: (schedule: Schedule) => void;
}) {
  const words = scheduleWords();
  const place = placeOf(block);
  const look = `week-block ${block.action === 'ON' ? 'on' : 'off'}`;
  const hatched = waiting.map((part) => (
    <span
      key={`${block.ruleId} ${part.fromMinute}`}
      class="week-waits"
      style={placeOf(part)}
      aria-hidden="true"
      data-waits={part.cause}
    />
  ));
  if (schedule === undefined || !mayOperate.value)
    return (
      <>
        <span class={look} style={place} aria-hidden="true" />
        {hatched}
      </>
    );
  const timesOf = ({ fromMinute, toMinute }: Waiting | Block) => `${timeOf(fromMinute)}–${timeOf(toMinute)}`;
  const reasons = waiting.map((part) => ` · ${timesOf(part)} ${words.waits(words.causes[part.cause])}`);
  const label = `${words.weekdays[block.dayIndex]} ${timesOf(block)}: ${ruleText(schedule)}${reasons.join('')}`;
  return (
    <>
      <button
        type="button"
        class={look}
        style={place}
        tabIndex={isFirst ? 0 : -1}
        title={label}
        aria-label={label}
        data-block={block.ruleId}
        onClick={() => onOpen(schedule)}
      />
      {hatched}
    </>
  );
}

/** What the motor will do on that day, as known now; told in words below, where it is not what the calendar says. */
function DayAhead({ spans }: { spans: readonly Span[] }) {
  return (
    <div class="week-ahead" aria-hidden="true">
      {spans
        .filter(({ target }) => target === 'ON')
        .map((span) => (
          <span
            key={span.fromMinute}
            class={isOffCalendar(span) ? 'other' : ''}
            style={placeOf(span)}
            data-ahead={span.cause}
          />
        ))}
    </div>
  );
}

/** People, water and lock-outs that decide instead of the calendar. */
function OffCalendar({ segments }: { segments: readonly Segment[] }) {
  const words = scheduleWords();
  const others = segments.filter(isOffCalendar);
  if (others.length === 0) return null;
  // the last goes on for as long as anybody can say
  const endOf = (segment: Segment) => (segment === segments.at(-1) ? null : dayAndTime(segment.until));
  return (
    <ul class="small" data-off-calendar>
      {others.map((segment) => (
        <li key={segment.from}>
          {words.willBe(
            dayAndTime(segment.from),
            endOf(segment),
            words.states[segment.target],
            words.causes[segment.cause],
          )}
        </li>
      ))}
    </ul>
  );
}

const STEPS: ReadonlyMap<string, { by: number; isRow: boolean }> = new Map([
  ['ArrowRight', { by: 1, isRow: false }],
  ['ArrowLeft', { by: -1, isRow: false }],
  ['ArrowDown', { by: 1, isRow: true }],
  ['ArrowUp', { by: -1, isRow: true }],
]);

/** Left and right go through the blocks of a control point, up and down to the next one that has any. */
export function moveAmongBlocks(event: KeyboardEvent): void {
  const from = event.target;
  if (!(from instanceof HTMLElement) || from.dataset['block'] === undefined) return;
  const week = from.closest('[data-week]');
  const weeks = [...document.querySelectorAll('[data-week]')].filter((each) => blocksIn(each).length > 0);
  if (week === null) return;
  const row = blocksIn(week);
  const step = STEPS.get(event.key);
  if (step === undefined) return;
  const to = step.isRow
    ? blocksIn(weeks[weeks.indexOf(week) + step.by])[0]
    : row[row.indexOf(from) + step.by];
  if (to === undefined) return;
  event.preventDefault();
  to.focus();
}

const blocksIn = (week: Element | undefined): HTMLElement[] =>
  week === undefined ? [] : [...week.querySelectorAll<HTMLElement>('[data-block]')];
