import { mayOperate } from '../../data/farm-store.ts';
import { plannedRuleOf, type Schedule, timeOf } from '../../data/schedules.ts';
import { addDays, type Block, blocksOfWeek, contradictions } from '../../state/schedule-week.ts';
import { ruleText } from './rule-text.ts';
import { scheduleWords } from './schedule-words.ts';

/** The week of one control point: each block opens its time, and so does the list below, which needs no sure hand. */
export function PointWeek({
  cod,
  monday,
  today,
  schedules,
  onOpen,
}: {
  cod: string;
  monday: string;
  today: string;
  schedules: readonly Schedule[];
  onOpen: (schedule: Schedule) => void;
}) {
  const words = scheduleWords();
  const active = schedules.filter(({ is_active }) => is_active);
  const blocks = blocksOfWeek(active.map(plannedRuleOf), monday).toSorted(
    (a, b) => a.dayIndex - b.dayIndex || a.fromMinute - b.fromMinute,
  );
  const wrong = contradictions(blocks);
  return (
    <>
      <div class="week" role="group" aria-label={words.weekOf(cod)} data-week={cod}>
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
                    schedule={active.find(({ id }) => id === block.ruleId)}
                    isWrong={wrong.has(block.ruleId)}
                    isFirst={block === blocks[0]}
                    onOpen={onOpen}
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

/** One of them is in the order of the Tab key; the arrows lead to the others. */
function DayBlock({
  block,
  schedule,
  isWrong,
  isFirst,
  onOpen,
}: {
  block: Block;
  schedule: Schedule | undefined;
  isWrong: boolean;
  isFirst: boolean;
  onOpen: (schedule: Schedule) => void;
}) {
  const words = scheduleWords();
  const place = {
    insetInlineStart: `${(block.fromMinute / 1_440) * 100}%`,
    width: `${((block.toMinute - block.fromMinute) / 1_440) * 100}%`,
  };
  const look = `week-block ${block.action === 'ON' ? 'on' : 'off'} ${isWrong ? 'wrong' : ''}`;
  if (schedule === undefined || !mayOperate.value)
    return <span class={look} style={place} aria-hidden="true" />;
  const times = `${timeOf(block.fromMinute)}–${timeOf(block.toMinute)}`;
  const label = `${words.weekdays[block.dayIndex]} ${times}: ${ruleText(schedule)}${isWrong ? ` · ${words.conflict}` : ''}`;
  return (
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
