import type { SwitchState } from '#contract/words.ts';
import type { ScheduleBody } from '../history.ts';

// What a set of schedules says at an instant, told once more and from scratch: all occurrences are written out, and
// who decides is looked up among them. The farm's zone has no summer time.

export type Rules = ReadonlyMap<string, ScheduleBody>;
/** From `at` on this schedule decides. */
export type Saying = { id: string; at: number; target: SwitchState; isWindow: boolean };

type Occurrence = { id: string; action: SwitchState; from: number; to: number | null };

const DAY_MS = 86_400_000;
const opposite = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

/** Every instant after one and up to another at which who decides changes, in order. */
export function sayings(rules: Rules, after: number, until: number): Saying[] {
  const all = writtenOut(rules, until);
  let before = decidingAt(all, after)?.name ?? '';
  return instantsOf(all).flatMap((at): Saying[] => {
    if (at <= after || at > until) return [];
    const deciding = decidingAt(all, at);
    if (deciding === null || deciding.name === before) return [];
    before = deciding.name;
    return [{ ...deciding, at }];
  });
}

/** Who decides at an instant, since when; null: nobody yet. */
export function sayingAt(rules: Rules, until: number): Saying | null {
  const all = writtenOut(rules, until);
  const deciding = decidingAt(all, until);
  if (deciding === null) return null;
  let since = until;
  for (const at of instantsOf(all)
    .filter((instant) => instant <= until)
    .toReversed()) {
    if (decidingAt(all, at)?.name !== deciding.name) break;
    since = at;
  }
  return { ...deciding, at: since };
}

function writtenOut(rules: Rules, until: number): Occurrence[] {
  return [...rules].flatMap(([id, rule]) => occurrencesOf(id, rule, until));
}

function instantsOf(all: readonly Occurrence[]): number[] {
  const instants = new Set(all.flatMap(({ from, to }) => (to === null ? [from] : [from, to])));
  return [...instants].sort((a, b) => a - b);
}

function occurrencesOf(id: string, rule: ScheduleBody, until: number): Occurrence[] {
  if (!rule.is_active) return [];
  const start = Date.parse(rule.start_time);
  const length = rule.end_time === null ? null : Date.parse(rule.end_time) - start;
  const occurrences: Occurrence[] = [];
  for (let from = start; from <= until; from += DAY_MS) {
    occurrences.push({ id, action: rule.action, from, to: length === null ? null : from + length });
    if (rule.repeat_pattern === 'ONCE') break;
  }
  return occurrences;
}

type Deciding = { id: string; name: string; target: SwitchState; isWindow: boolean };

function decidingAt(all: readonly Occurrence[], at: number): Deciding | null {
  const covering = all.filter(({ from, to }) => to !== null && from <= at && at < to);
  const [window] = covering.sort((a, b) => b.from - a.from || onFirst(a.action, b.action) || byId(a, b));
  if (window !== undefined)
    return { id: window.id, name: `in ${window.from} ${window.id}`, target: window.action, isWindow: true };
  const [point] = all
    .filter(({ from, to }) => (to ?? from) <= at)
    .map(({ id, action, from, to }) => ({
      id,
      at: to ?? from,
      target: to === null ? action : opposite(action),
    }))
    .sort((a, b) => b.at - a.at || onFirst(a.target, b.target) || byId(a, b));
  if (point === undefined) return null;
  return { id: point.id, name: `after ${point.at} ${point.id}`, target: point.target, isWindow: false };
}

const onFirst = (a: SwitchState, b: SwitchState) => (a === b ? 0 : a === 'ON' ? -1 : 1);
const byId = (a: { id: string }, b: { id: string }) => (a.id > b.id ? -1 : 1);
