import { useState } from 'preact/hooks';
import type { RecordLogAnswer } from '#contract/resources/logs.ts';
import type { AlertType } from '#contract/words.ts';
import { aerationWords } from '#words/aeration.ts';
import { componentWords } from '#words/components.ts';
import { storyWords } from '#words/pond.ts';
import { troubleText } from '../../components/alarm-text.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { nameOf } from '../../data/people.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime, figure, percent } from '../../i18n/format.ts';
import { reasonText } from '../aeration/reason-text.ts';
import { differences } from './differences.ts';

const PAGE = 20;

/** What was done at the pond and by whom, newest first: its motors, alarms, batches, and what was corrected or deleted. */
export const PondStory = ({ pond }: { pond: Pond }) => <Story path={`/logs/ponds/${pond.id}`} />;

/** What a part of the audit log tells, newest first. */
export function Story({ path }: { path: string }) {
  const words = storyWords();
  const [limit, setLimit] = useState(PAGE);
  const log = useGet<RecordLogAnswer[]>(path, { limit });
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
