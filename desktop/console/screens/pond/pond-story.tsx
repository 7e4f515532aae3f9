import { useState } from 'preact/hooks';
import type { RecordLogAnswer } from '#contract/resources/logs.ts';
import type { AlertType } from '#contract/words.ts';
import { aerationWords, pointWords } from '#words/aeration.ts';
import { componentWords } from '#words/components.ts';
import { unkeyedWords } from '#words/devices.ts';
import { farmWords } from '#words/farms.ts';
import { spoken } from '#words/language.ts';
import { peopleWords } from '#words/people.ts';
import { storyWords } from '#words/pond.ts';
import { troubleText } from '../../components/alarm-text.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { nameOf } from '../../data/people.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import type { Schedule } from '../../data/schedules.ts';
import { asTyped, dayAndTime, figure, percent } from '../../i18n/format.ts';
import { reasonText, ruleText } from '../aeration/reason-text.ts';

const PAGE = 20;

/** What was done at the pond and by whom, newest first: its motors, alarms, batches, and what was corrected or deleted. */
export const PondStory = ({ pond }: { pond: Pond }) => <Story path={`/logs/ponds/${pond.id}`} />;

/** What a part of the audit log tells, newest first. */
export function Story({ path }: { path: `/logs/${'ponds' | 'farms'}/${string}` }) {
  const words = storyWords();
  const [limit, setLimit] = useState(PAGE);
  const log = useGet(path, { limit });
  return (
    <section class="card stack" data-story>
      <h2>{words.title}</h2>
      <Answer of={log} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.none}</p>}>
        {(rows) => (
          <>
            <ol class="event-list wide">
              {rows.map((entry) => (
                <li key={entry.id} data-act={entry.action}>
                  <span class="muted">{dayAndTime(entry.timestamp)}</span>
                  <span>
                    <strong>{thingOf(entry)}</strong> {tellOf(entry).join(' · ')}{' '}
                    <span class="muted small">{whoOf(entry)}</span>
                  </span>
                </li>
              ))}
            </ol>
            {rows.length < limit ? null : (
              <div>
                <Button onClick={() => setLimit(limit + PAGE)}>{componentWords().more}</Button>
              </div>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

/** What the log calls by a word of its own is called as on its screen; a role is that of a person. */
function thingOf({ entity_name, details }: RecordLogAnswer): string {
  const { records } = storyWords();
  const { record, member_id } = details ?? {};
  if (record === 'farm_member') return nameOf(textOf(member_id)) ?? records.farm_member;
  return record === 'farm_console' || record === 'farm_science' ? records[record] : entity_name;
}

/** A controller that reports is not somebody who switched it: why it stands as it does is told by `moreOf`. */
function whoOf({ user_name, origin }: RecordLogAnswer): string {
  const words = storyWords();
  if (user_name !== null) return user_name;
  if (origin === null) return words.system;
  return origin === 'DEVICE' ? words.controller : aerationWords().origins[origin];
}

/** What was done, and what is known about it; of a kind that this page does not know, the log's own word. */
function tellOf(entry: RecordLogAnswer): string[] {
  const words = storyWords();
  const told = entry.details ?? {};
  const name = entry.action === 'lock_out' && told['lifted'] === true ? 'lock_out_lifted' : entry.action;
  const who = whoOf(entry);
  // "schedule, by the schedule" says it once
  const more = moreOf(entry.action, told).filter((part) => part !== '' && part !== who);
  return [words.acts[name] ?? entry.action, ...more];
}

type Details = Readonly<Record<string, unknown>>;

/** One line may stand for many of the same. */
const timesOf = (told: Details): string =>
  typeof told['folded'] === 'number' ? `${figure(told['folded'])} ×` : '';

function moreOf(action: string, told: Details): string[] {
  const words = storyWords();
  const state = (value: unknown) => words.states[textOf(value)] ?? textOf(value);
  if (action.startsWith('device_')) return [timesOf(told)];
  if (action.startsWith('alert_')) return [alarmOf(told), textOf(told['note']), textOf(told['reason'])];
  switch (action) {
    case 'turn_on':
    case 'turn_off':
    case 'lock_out':
      return [typeof told['reason'] === 'string' ? reasonText(told['reason']) : ''];
    case 'status_changed':
      return [
        [told['from'], told['to']]
          .map(state)
          .filter((word) => word !== '')
          .join(' → '),
        timesOf(told),
        told['to'] === told['target'] ? '' : (words.causes[textOf(told['source'])] ?? words.onItsOwn),
      ];
    case 'schedule_trigger':
      return [state(told['action'])];
    case 'transfer':
      return typeof told['quantity'] === 'number' ? [words.animals(figure(told['quantity']))] : [];
    case 'survival_adjusted':
      return [
        `${rateOf(told['old_survival_rate'])} → ${rateOf(told['new_survival_rate'])}`,
        textOf(told['description']),
      ];
    case 'update':
      return differences(told);
    default:
      return [textOf(told['reason'])];
  }
}

/** The log keeps what the interface knew then: what is missing is left out. */
function alarmOf(told: Details): string {
  const { type, value, threshold, message } = told;
  if (typeof type !== 'string') return '';
  return troubleText({
    // one that is not known here is told by its own sentence
    type: type as AlertType,
    value: typeof value === 'number' ? value : null,
    threshold: typeof threshold === 'number' ? threshold : null,
    message: textOf(message),
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const rateOf = (value: unknown): string => percent(typeof value === 'number' ? value : null, 1);

/** What an `update` of the audit log changed, field by field as their forms name them: before → after. */
function differences(told: Details): string[] {
  if ('schedule' in told) return [ruleChange(told['before'], told['schedule'])];
  if ('settings' in told) return changes(settingNames(), partOf(told['before']), partOf(told['settings']));
  if ('to' in told) return changes(codeNames(), partOf(told['from']), partOf(told['to']));
  const [before, after] = [partOf(told['before']), partOf(told['after'])];
  switch (told['record']) {
    case 'farm':
      return changes(farmNames(), before, after);
    case 'farm_member':
      return [`${roleOf(before['role'])} → ${roleOf(after['role'])}`];
    default:
      return changes(storyWords().fields, before, after);
  }
}

/** A rule that was not told, because the log of then did not keep it, is left out. */
function ruleChange(before: unknown, after: unknown): string {
  const words = storyWords().schedule;
  const was = ruleOf(before);
  if (after === 'deleted') return was === null ? words.gone : `${words.gone}: ${was}`;
  const is = ruleOf(after) ?? '—';
  return was === null ? `${words.set}: ${is}` : `${words.changed}: ${was} → ${is}`;
}

function ruleOf(told: unknown): string | null {
  const rule = partOf(told);
  // the log keeps the rule of a schedule, which is all that its text is made of
  return typeof rule['start_time'] === 'string' ? ruleText(rule as unknown as Schedule) : null;
}

type Named = Readonly<Record<string, string | Field>>;
type Field = { label: string; unit?: string; of?: (value: unknown) => string };

function changes(names: Named, before: Details, after: Details): string[] {
  return Object.entries(names).flatMap(([name, known]) => {
    if (!(name in after)) return [];
    const { label, unit = '', of = valueOf } = typeof known === 'string' ? { label: known } : known;
    const is = `${of(after[name])} ${unit}`.trim();
    // what an earlier version did not keep is not told as empty
    return [name in before ? `${label}: ${of(before[name])} → ${is}` : `${label}: ${is}`];
  });
}

function settingNames(): Named {
  const words = pointWords();
  const oxygen = (label: string): Field => ({ label, unit: 'mg/L' });
  return {
    fail_safe: {
      label: words.failSafe,
      of: (value) => Object.entries(words.failSafes).find(([word]) => word === value)?.[1] ?? valueOf(value),
    },
    min_on_s: { label: words.minOn, unit: 's' },
    min_off_s: { label: words.minOff, unit: 's' },
    start_group: words.startGroup,
    start_order: words.startOrder,
    do_on: oxygen(words.doOn),
    do_off: oxygen(words.doOff),
    do_emergency: oxygen(words.doEmergency),
    is_siren: storyWords().siren,
    allow_unkeyed: unkeyedWords().label,
  };
}

const codeNames = (): Named => ({ cod: farmWords().code, device_id: storyWords().fields['device_id'] ?? '' });

function farmNames(): Named {
  const words = farmWords();
  // kept as text with a point, shown as people write figures here
  const degrees = (value: unknown) =>
    typeof value === 'string' ? value.replace('.', spoken.decimalSign) : valueOf(value);
  return {
    name: words.name,
    description: words.description,
    timezone: {
      label: words.zone,
      of: (value) => valueOf(value).replace('America/', '').replaceAll('_', ' '),
    },
    lat: { label: words.lat, of: degrees },
    lng: { label: words.lng, of: degrees },
  };
}

function roleOf(value: unknown): string {
  const { role: roles } = peopleWords();
  return Object.entries(roles).find(([role]) => role === value)?.[1] ?? storyWords().noRole;
}

const partOf = (part: unknown): Details => (typeof part === 'object' && part !== null ? { ...part } : {});
/** Of a text as long as a page its beginning tells which one it is. */
const MOST_TEXT = 120;
const INSTANT = /^\d{4}-\d\d-\d\dT/;

function valueOf(value: unknown): string {
  if (typeof value === 'number') return asTyped(value);
  if (typeof value === 'boolean') return value ? storyWords().yes : storyWords().no;
  if (typeof value !== 'string' || value === '') return '—';
  if (INSTANT.test(value)) return dayAndTime(value);
  return value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value;
}
