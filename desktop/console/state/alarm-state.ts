import { priorityOf } from '#contract/alert-priority.ts';
import { type AlertType, RETURNED_FOR_MS, type Severity } from '#contract/words.ts';
import { byCod } from './code-order.ts';
import { conditionAt, isNewer } from './standing-alerts.ts';

// Alarms as a person must answer them: how urgent, in which state, which one first. Pure.

export type AlarmFacts = {
  id: string;
  type: AlertType;
  severity: Severity;
  parameter: string | null;
  value: number | null;
  farm_id: string;
  pond_id: string | null;
  control_point_id: string | null;
  status: 'ACTIVE' | 'RESOLVED';
  episode_id: string;
  triggered_at: string;
  resolved_at: string | null;
  acknowledged_at: string | null;
  silenced_until: string | null;
  shelved_until: string | null;
  folded_into: string | null;
  episode_count?: number | undefined;
  episode_since?: string | undefined;
};

export type Priority = ReturnType<typeof priorityOf>;

/** `returned`: it ended by itself before somebody answered it; it is seen until then, and not heard. */
type AlarmState = 'unanswered' | 'silenced' | 'returned' | 'acknowledged' | 'shelved';

function alarmStateOf(alarm: AlarmFacts, now: number): AlarmState {
  if (isUntil(alarm.shelved_until, now)) return 'shelved';
  if (alarm.acknowledged_at !== null) return 'acknowledged';
  if (alarm.status === 'RESOLVED') return 'returned';
  return isUntil(alarm.silenced_until, now) ? 'silenced' : 'unanswered';
}

const isUntil = (until: string | null, now: number): boolean => until !== null && Date.parse(until) > now;

/** One alarm for the person: all alerts of an episode, the newest in front. */
export type Alarm<Facts extends AlarmFacts = AlarmFacts> = {
  key: string;
  newest: Facts;
  count: number;
  priority: Priority;
  state: AlarmState;
  since: number;
};

/**
 * Folds by episode, of which the newest alert speaks: new ones take over what was answered, and what a person answers is
 * answered for all. Leaves out what is folded into another. What ended by itself is one alarm for each condition at its
 * place, until somebody answers it, a day is over or it is there again.
 */
export function alarmsOf<Facts extends AlarmFacts>(alerts: Iterable<Facts>, now: number): Alarm<Facts>[] {
  const shown = [...alerts].filter(({ folded_into }) => folded_into === null);
  const standing = newestBy(
    shown.filter(({ status }) => status === 'ACTIVE'),
    ({ episode_id }) => episode_id,
  );
  const conditions = new Set(standing.map(conditionAt));
  const ended = shown.filter(
    (alert) =>
      alert.status === 'RESOLVED' &&
      !conditions.has(conditionAt(alert)) &&
      now - Date.parse(alert.resolved_at ?? '') <= RETURNED_FOR_MS,
  );
  return [...standing, ...newestBy(ended, conditionAt)]
    .map((alert) => alarmOf(alert, now))
    .filter(({ newest, state }) => newest.status === 'ACTIVE' || state === 'returned')
    .sort(inOrder);
}

function newestBy<Facts extends AlarmFacts>(
  alerts: readonly Facts[],
  keyOf: (alert: Facts) => string,
): Facts[] {
  const newest = new Map<string, Facts>();
  for (const alert of alerts) {
    const known = newest.get(keyOf(alert));
    if (known === undefined || isNewer(alert, known)) newest.set(keyOf(alert), alert);
  }
  return [...newest.values()];
}

function alarmOf<Facts extends AlarmFacts>(newest: Facts, now: number): Alarm<Facts> {
  return {
    key: newest.episode_id,
    newest,
    count: newest.episode_count ?? 1,
    priority: priorityOf(newest),
    state: alarmStateOf(newest, now),
    since: Date.parse(newest.episode_since ?? newest.triggered_at),
  };
}

/** What stands needs somebody, also where it was answered; what is over only waits to be seen. */
const RANK: Readonly<Record<AlarmState, number>> = {
  unanswered: 0,
  silenced: 1,
  acknowledged: 2,
  returned: 3,
  shelved: 4,
};

/** Whether it is there, and nobody put it off: it colours what it is about. */
export const isStanding = ({ state }: Pick<Alarm, 'state'>): boolean =>
  state === 'unanswered' || state === 'silenced' || state === 'acknowledged';

/** Unanswered first, what stands before what is over, then by priority, then the oldest: what began it all stands in front. */
function inOrder(a: Alarm, b: Alarm): number {
  return RANK[a.state] - RANK[b.state] || a.priority - b.priority || a.since - b.since;
}

const FLOOD = { beginsAbove: 10, endsBelow: 5, withinMs: 10 * 60_000 } as const;

/** More alarms than a person can read: the list says so and groups them. */
export function isFlood(beganAt: readonly number[], now: number, wasFlood: boolean): boolean {
  const recent = beganAt.filter((at) => now - at <= FLOOD.withinMs).length;
  return wasFlood ? recent >= FLOOD.endsBelow : recent > FLOOD.beginsAbove;
}

export type Sound = 'none' | 'soft' | 'two-beeps' | 'three-beeps';

/** What is heard, and the alarms it is for: the worst that nobody answered, silenced or put off. */
export function heardOf(alarms: readonly Alarm[]): { sound: Sound; keys: readonly string[] } {
  const open = alarms.filter(({ state }) => state === 'unanswered');
  const worst = Math.min(...open.map(({ priority }) => priority));
  return {
    sound: worst === 1 ? 'three-beeps' : worst === 2 ? 'two-beeps' : worst === 3 ? 'soft' : 'none',
    keys: open.filter(({ priority }) => priority === worst).map(({ key }) => key),
  };
}

/** How loud what is not critical is by night, in hundredths of how loud it is by day. None of them is silence. */
export const NIGHT_VOLUMES = ['100', '60', '30'] as const;
export type NightVolume = (typeof NIGHT_VOLUMES)[number];

/** Whoever listens to a station is not beside it. */
const LEAST_AT_A_STATION = 60;
/** When the day's shift comes. */
const SHIFT_HOUR_MS = 6 * 3_600_000;

/** From 0 to 1. What is critical, and the tone of a screen that is blind, nobody can make softer. */
export function loudnessOf(
  sound: Exclude<Sound, 'none'> | 'blind',
  { chosen, isNight, isStation }: { chosen: NightVolume; isNight: boolean; isStation: boolean },
): number {
  if (!isNight || sound === 'three-beeps' || sound === 'blind') return 1;
  return Math.max(Number(chosen), isStation ? LEAST_AT_A_STATION : 0) / 100;
}

/** Whether nobody has heard the test since the shift of this day began; `dayOf` tells the farm's day of an instant. */
export function isSoundTestDue(
  testedAt: number | null,
  now: number,
  dayOf: (instant: number) => string,
): boolean {
  return testedAt === null || dayOf(testedAt - SHIFT_HOUR_MS) !== dayOf(now - SHIFT_HOUR_MS);
}

// Which pond is to be looked at first. Pure.

type PondConcern = {
  cod: string;
  priority: Priority | null;
  inProduction: boolean;
  /** null: not known, or too old to trust. */
  oxygen: number | null;
};

/** What nobody has measured is as worrying as oxygen at the edge of what is good. */
const UNKNOWN_OXYGEN = 5;
const NOTHING_TO_LOSE = 99;

const concern = ({ inProduction, oxygen }: PondConcern): number =>
  inProduction ? (oxygen ?? UNKNOWN_OXYGEN) : NOTHING_TO_LOSE;

/** By alarm, then by how little oxygen there is, then by code. */
export const byConcern = (a: PondConcern, b: PondConcern): number =>
  (a.priority ?? 9) - (b.priority ?? 9) || concern(a) - concern(b) || byCod(a, b);
