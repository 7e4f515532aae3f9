import { pointWords } from '#words/aeration.ts';
import { unkeyedWords } from '#words/devices.ts';
import { farmWords } from '#words/farms.ts';
import { spoken } from '#words/language.ts';
import { peopleWords } from '#words/people.ts';
import { storyWords } from '#words/pond.ts';
import type { Schedule } from '../../data/schedules.ts';
import { asTyped, dayAndTime } from '../../i18n/format.ts';
import { ruleText } from '../aeration/reason-text.ts';

type Details = Readonly<Record<string, unknown>>;

/** What an `update` of the audit log changed, field by field as their forms name them: before → after. */
export function differences(told: Details): string[] {
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
