import type { SwitchState } from '#contract/words.ts';
import type { Point, ScheduleBody } from '../history.ts';
import type { Effect } from '../resolve.ts';

// What a control point should do, told once more and from scratch: its life is played from the beginning, write by
// write and event by event. Nothing of the gateway's own rules is used.

export type Life = { point: Point; effects: readonly Effect[] };

type Order = { target: SwitchState; until: number | null };
type Moment =
  | { at: number; rank: 0 | 1; event: SwitchState }
  | { at: number; rank: 2; order: Order; version: number };

const DAY_MS = 86_400_000;

/** All that decides, in order, up to an instant. */
export function momentsOf({ effects }: Life, until: number): Moment[] {
  return [...ordersIn(effects), ...eventsIn(effects, until)]
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at || a.rank - b.rank || versionOf(a) - versionOf(b));
}

/** The state at an instant, given its moments. */
export function stateAt({ point }: Life, moments: readonly Moment[], at: number): SwitchState {
  let rules = point.made_target;
  let standing: Order[] = [];
  for (const moment of moments) {
    if (moment.at > at) break;
    if (moment.rank === 2) {
      standing = moment.order.until === null ? [moment.order] : [...standing, moment.order];
    } else {
      rules = moment.event;
      standing = standing.filter(({ until }) => until !== null);
    }
  }
  return standing.findLast(({ until }) => until === null || until > at)?.target ?? rules;
}

/** The state at an instant, and since when it has been that. */
export function expectedAt(life: Life, at: number): { target: SwitchState; since: number } {
  const moments = momentsOf(life, at);
  const target = stateAt(life, moments, at);
  const turns = [...moments.map((moment) => moment.at), ...ends(moments)].filter((turn) => turn <= at);
  turns.sort((a, b) => b - a);
  let since = life.point.made_at;
  for (const [place, turn] of turns.entries()) {
    const before = turns[place + 1] ?? life.point.made_at;
    since = turn;
    if (stateAt(life, moments, before) !== target) break;
    since = before;
    // far enough back: nobody asks further
    if (place > 50) break;
  }
  return { target, since };
}

function ends(moments: readonly Moment[]): number[] {
  return moments.flatMap((moment) =>
    moment.rank === 2 && moment.order.until !== null ? [moment.order.until] : [],
  );
}

function versionOf(moment: Moment): number {
  return moment.rank === 2 ? moment.version : 0;
}

function ordersIn(effects: readonly Effect[]): Moment[] {
  return effects.flatMap(({ write, at, version }): Moment[] => {
    if (write.kind !== 'order') return [];
    const until = write.for_s === null ? null : at + write.for_s * 1000;
    return [{ at, rank: 2, order: { target: write.target, until }, version: version ?? 0 }];
  });
}

/** ON wins at the same instant: it comes later. */
function eventsIn(effects: readonly Effect[], until: number): Moment[] {
  return scheduleEvents(effects, until).map(({ at, event }) => ({ at, event, rank: event === 'ON' ? 1 : 0 }));
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
