import type { AlertType, Severity } from '#contract/words.ts';

// Alarms as a person must answer them: how urgent, in which state, which one first. Pure.

export type AlarmFacts = {
  id: string;
  type: AlertType;
  severity: Severity;
  parameter: string | null;
  value: number | null;
  pond_id: string | null;
  control_point_id: string | null;
  episode_id: string;
  triggered_at: string;
  acknowledged_at: string | null;
  silenced_until: string | null;
  shelved_until: string | null;
  folded_into: string | null;
};

/** 1: minutes count. 2: within half an hour. 3: this shift. */
export type Priority = 1 | 2 | 3;

const CRITICAL_OXYGEN = 3;

export function priorityOf(alarm: Pick<AlarmFacts, 'type' | 'severity' | 'value'>): Priority {
  switch (alarm.type) {
    case 'POWER_FAILURE':
    case 'GATEWAY_OFFLINE':
      return 1;
    case 'LOW_OXYGEN':
      return alarm.severity === 'HIGH' || (alarm.value !== null && alarm.value < CRITICAL_OXYGEN) ? 1 : 2;
    case 'COMMAND_NOT_CONFIRMED':
    case 'NO_CURRENT':
      return alarm.severity === 'HIGH' ? 1 : 2;
    case 'DEVICE_OFFLINE':
    case 'HIGH_TEMPERATURE':
    case 'LOW_OXYGEN_FORECAST':
    case 'DISK_FULL':
      return alarm.severity === 'LOW' ? 3 : 2;
    case 'CLOCK_UNTRUSTED':
    case 'LOW_TEMPERATURE':
    case 'LOW_PH':
    case 'HIGH_PH':
    case 'LOW_ALKALINITY':
    case 'HIGH_AMMONIA':
    case 'HIGH_NITRITE':
    case 'HIGH_NITRATE':
      return alarm.severity === 'HIGH' ? 2 : 3;
  }
}

export type AlarmState = 'unanswered' | 'acknowledged' | 'silenced' | 'shelved';

export function alarmStateOf(alarm: AlarmFacts, now: number): AlarmState {
  if (isUntil(alarm.shelved_until, now)) return 'shelved';
  if (alarm.acknowledged_at !== null) return 'acknowledged';
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

/** Folds by episode, leaves out what is folded into another, and puts first what must be answered first. */
export function alarmsOf<Facts extends AlarmFacts>(alerts: Iterable<Facts>, now: number): Alarm<Facts>[] {
  const byEpisode = new Map<string, Facts[]>();
  for (const alert of alerts) {
    if (alert.folded_into !== null) continue;
    const together = byEpisode.get(alert.episode_id) ?? [];
    together.push(alert);
    byEpisode.set(alert.episode_id, together);
  }
  return [...byEpisode].map(([key, together]) => alarmOf(key, together, now)).sort(inOrder);
}

function alarmOf<Facts extends AlarmFacts>(
  key: string,
  together: readonly Facts[],
  now: number,
): Alarm<Facts> {
  const ordered = together.toSorted((a, b) => (a.triggered_at < b.triggered_at ? 1 : -1));
  const [newest] = ordered;
  if (newest === undefined) throw new Error('an alarm has at least one alert');
  const priorities = together.map(priorityOf);
  // one alert that nobody answered keeps the whole alarm open
  const states = together.map((alert) => alarmStateOf(alert, now));
  const open = (['unanswered', 'silenced', 'acknowledged', 'shelved'] as const).find((state) =>
    states.includes(state),
  );
  return {
    key,
    newest,
    count: together.length,
    priority: Math.min(...priorities) as Priority,
    state: open ?? 'unanswered',
    since: Date.parse(ordered.at(-1)?.triggered_at ?? newest.triggered_at),
  };
}

const RANK: Readonly<Record<AlarmState, number>> = {
  unanswered: 0,
  silenced: 1,
  acknowledged: 2,
  shelved: 3,
};

/** Unanswered first, then by priority, then the oldest: what began it all stands in front. */
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

/** What is heard: the worst alarm that nobody answered, silenced or put off. */
export function soundOf(alarms: readonly Alarm[]): Sound {
  const worst = Math.min(
    ...alarms.filter(({ state }) => state === 'unanswered').map(({ priority }) => priority),
  );
  return worst === 1 ? 'three-beeps' : worst === 2 ? 'two-beeps' : worst === 3 ? 'soft' : 'none';
}
