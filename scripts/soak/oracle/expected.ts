import type { SwitchState } from '#contract/words.ts';
import type { Point, ScheduleBody } from '../history.ts';
import type { Effect } from '../resolve.ts';

// What a set of schedules says at an instant, told once more and from scratch: all occurrences are written out, and
// who decides is looked up among them. The farm's zone has no summer time.

type Rules = ReadonlyMap<string, ScheduleBody>;
/** From `at` on this schedule decides. */
type Saying = { id: string; at: number; target: SwitchState; isWindow: boolean };

type Occurrence = { id: string; action: SwitchState; from: number; to: number | null };

const opposite = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

/** Every instant after one and up to another at which who decides changes, in order. */
function sayings(rules: Rules, after: number, until: number): Saying[] {
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
function sayingAt(rules: Rules, until: number): Saying | null {
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

// What a control point should do, told once more and from scratch: its life is played from the beginning, write by
// write and event by event. Nothing of the gateway's own rules is used.

export type Life = { point: Point; effects: readonly Effect[] };

type Order = { at: number; target: SwitchState; until: number | null };
/** How it stands from an instant on: what the schedules left, and the orders that lie over it. */
type Page = { at: number; level: SwitchState; standing: readonly Order[] };

const DAY_MS = 86_400_000;

/** The life of a control point up to an instant, page by page. */
export function played({ point, effects }: Life, until: number): Page[] {
  const rules = new Map<string, ScheduleBody>();
  const enteredAt = new Map<string, number>();
  const pages: Page[] = [{ at: point.made_at, level: point.made_target, standing: [] }];
  const write = (at: number, change: Partial<Page>) => {
    const last = pages.at(-1) ?? { level: point.made_target, standing: [] };
    pages.push({ level: last.level, standing: last.standing, ...change, at });
  };
  const standing = () => pages.at(-1)?.standing ?? [];
  /** Events strictly after the last change of the schedules, up to an instant, that are not played yet. */
  const happen = (after: number, upTo: number) => {
    for (const { at, target } of sayings(rules, after, upTo)) {
      write(at, { level: target, standing: standing().filter((order) => order.until !== null) });
    }
  };
  let playedTo = point.made_at;
  for (const effect of inOrder(effects, until)) {
    const { at } = effect;
    // at one instant the event comes first, and the write answers it
    happen(playedTo, at);
    playedTo = Math.max(playedTo, at);
    if (effect.write.kind === 'order') {
      const { target, for_s } = effect.write;
      const order = { at, target, until: for_s === null ? null : at + for_s * 1000 };
      write(at, { standing: order.until === null ? [order] : [...standing(), order] });
      continue;
    }
    const before = sayingAt(rules, at);
    if ('schedule' in effect.write) rules.set(effect.write.id, effect.write.schedule);
    else rules.delete(effect.write.id);
    if (!enteredAt.has(effect.write.id)) enteredAt.set(effect.write.id, at);
    // a change acts at once where the schedules now say ON, over orders older than that; else what holds goes on
    const says = sayingAt(rules, at);
    if (says?.target === 'ON') {
      const isOver = (order: Order) => order.until === null && order.target === 'OFF' && order.at < says.at;
      write(at, { level: 'ON', standing: standing().filter((order) => !isOver(order)) });
    }
    // a pause that is taken away with nobody left to say anything ends, unless it was entered in its own middle
    const isPause = before?.isWindow === true && before.target === 'OFF';
    if (says === null && isPause && before.at >= (enteredAt.get(before.id) ?? at)) write(at, { level: 'ON' });
  }
  happen(playedTo, until);
  return pages;
}

function inOrder(effects: readonly Effect[], until: number): Effect[] {
  return effects
    .filter(({ write, at }) => at <= until && (write.kind === 'order' || write.kind.startsWith('schedule_')))
    .sort((a, b) => a.at - b.at || (a.version ?? 0) - (b.version ?? 0));
}

/** The state at an instant, given the pages up to it. */
function stateAt(pages: readonly Page[], at: number): SwitchState {
  const page = pages.findLast((each) => each.at <= at) ?? pages[0];
  const order = page?.standing.findLast(({ until }) => until === null || until > at);
  return order?.target ?? page?.level ?? 'OFF';
}

/** The state at an instant, and since when it has been that. */
export function expectedAt(life: Life, at: number): { target: SwitchState; since: number } {
  const pages = played(life, at);
  const target = stateAt(pages, at);
  const ends = pages.flatMap(({ standing }) => standing.flatMap(({ until }) => until ?? []));
  const turns = [...new Set([...pages.map((page) => page.at), ...ends])].filter((turn) => turn <= at);
  turns.sort((a, b) => b - a);
  let since = life.point.made_at;
  for (const [place, turn] of turns.entries()) {
    const before = turns[place + 1] ?? life.point.made_at;
    since = turn;
    if (stateAt(pages, before) !== target) break;
    since = before;
    // far enough back: nobody asks further
    if (place > 50) break;
  }
  return { target, since };
}

/** An event of a schedule. `ruleUntil`: when the schedule that made it was changed or deleted. */
export type ScheduleEvent = { scheduleId: string; at: number; event: SwitchState; ruleUntil: number };

/** What the schedules of one control point did up to an instant, as they were at each time. */
export function scheduleEvents(effects: readonly Effect[], until: number): ScheduleEvent[] {
  const rules = new Map<string, { from: number; rule: ScheduleBody | null }[]>();
  for (const { write, at } of effects) {
    if (!write.kind.startsWith('schedule_')) continue;
    const known = rules.get(write.id) ?? [];
    known.push({ from: at, rule: 'schedule' in write ? write.schedule : null });
    rules.set(write.id, known);
  }
  return [...rules].flatMap(([scheduleId, versions]) =>
    versions.flatMap(({ from, rule }, place) => {
      if (rule === null || !rule.is_active) return [];
      const ruleUntil = versions[place + 1]?.from ?? Number.POSITIVE_INFINITY;
      const events = occurrences(rule, from, Math.min(ruleUntil, until + 1));
      return events.map((event) => ({ ...event, scheduleId, ruleUntil }));
    }),
  );
}

/** Events of a rule from an instant on and before another. The farm's zone has no summer time. */
function occurrences(rule: ScheduleBody, from: number, to: number): { at: number; event: SwitchState }[] {
  const opposite = rule.action === 'ON' ? 'OFF' : 'ON';
  const edges = [
    { at: Date.parse(rule.start_time), event: rule.action },
    ...(rule.end_time === null ? [] : [{ at: Date.parse(rule.end_time), event: opposite } as const]),
  ];
  return edges.flatMap(({ at, event }) => {
    if (rule.repeat_pattern === 'ONCE') return at >= from && at < to ? [{ at, event }] : [];
    const first = at + Math.max(0, Math.ceil((from - at) / DAY_MS)) * DAY_MS;
    const events: { at: number; event: SwitchState }[] = [];
    for (let next = first; next < to; next += DAY_MS) events.push({ at: next, event });
    return events;
  });
}
