import type * as z from 'zod';
import { alert, type alertAcknowledge, type alertCreate } from '#contract/resources/alerts.ts';
import { RETURNED_FOR_MS } from '#contract/words.ts';
import { asParent, type Change, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { SEVERITY_BY_TYPE } from './alert-words.ts';
import {
  type AlertingDeps,
  type AlertRow,
  logged,
  MOST_AT_ONCE,
  newAlert,
  resolveAlerts,
} from './alerting.ts';
import { isWorse } from './episode-rules.ts';
import type { Alert, AlertQueries } from './ports.ts';

export type ChangeAlertDeps = AlertingDeps & Pick<Kernel, 'guard'> & { queries: AlertQueries };

/** Decides a person's alert on a control point. It notifies and is logged like any other. */
export async function createAlert(
  deps: ChangeAlertDeps,
  caller: Caller,
  { controlPointId, farm }: { controlPointId: string; farm: FarmAccess },
  input: z.infer<typeof alertCreate>,
): Promise<Decision<AlertRow>> {
  const guards = [
    asParent(await deps.guard('farm', farm.farmId)),
    asParent(await deps.guard('control_point', controlPointId)),
  ];
  const id = input.id ?? deps.newId();
  if (input.id !== undefined && (await deps.queries.idTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const made = await newAlert(
    deps,
    {
      farm_id: farm.farmId,
      control_point_id: controlPointId,
      pond_id: null,
      type: input.type,
      severity: input.severity ?? SEVERITY_BY_TYPE[input.type],
      message: input.message,
      cause: `manual:${id}`,
    },
    { id, userId: caller.userId },
  );
  if (made === null) throw notFound('Control point');
  return { answer: made.row, changes: made.changes, guards };
}

/** Decides the end of an alert and of its whole episode, which lists show as one. A RESOLVED one stays as it is. */
export async function resolveAlert(
  deps: ChangeAlertDeps,
  caller: Caller,
  current: Alert,
): Promise<Decision<Alert>> {
  if (current.status === 'RESOLVED') return { answer: current };
  const at = deps.now();
  const open = await deps.queries.openOfEpisode(current.farm_id, current.episode_id, MOST_AT_ONCE);
  const all = open.some(({ id }) => id === current.id) ? open : [current, ...open];
  const changes = await resolveAlerts(deps, all, { userId: caller.userId, at });
  const resolved_at = isoOf(at);
  return {
    answer: {
      ...current,
      status: 'RESOLVED',
      resolved_at,
      resolved_by: caller.userId,
      updated_at: resolved_at,
      rev: current.rev + 1,
    },
    changes,
  };
}

type Fields = Partial<Omit<AlertRow, 'id'>>;
/** What a person says of an alarm. `setOn`: what that changes on one of its alerts; null: nothing. */
export type Mark = {
  action: string;
  setOn: (row: Alert, current: Alert) => Fields | null;
  details?: Record<string, unknown>;
  /** It also answers what ended by itself before anybody did. */
  isForReturned?: true;
  /** It is about the alarm itself, in this and other episodes. */
  isForShelf?: true;
  /** It is meant for what the person saw: not for what is newer and worse than that. */
  isForSeen?: true;
};

/** Somebody is on it. Whoever was before stays named; a note may come later. */
export function acknowledged(
  deps: Pick<Kernel, 'now'>,
  caller: Pick<Caller, 'userId'>,
  { note }: z.infer<typeof alertAcknowledge>,
): Mark {
  const acknowledged_at = isoOf(deps.now());
  const said = note === undefined ? {} : { acknowledge_note: note };
  return {
    action: 'alert_acknowledged',
    isForReturned: true,
    isForSeen: true,
    details: note === undefined ? {} : { note },
    setOn: (row) =>
      differing(
        row,
        row.acknowledged_at === null ? { acknowledged_at, acknowledged_by: caller.userId, ...said } : said,
      ),
  };
}

type ForAWhile = { minutes: number; reason: string };

export function silenced(deps: Pick<Kernel, 'now'>, caller: Caller, { minutes, reason }: ForAWhile): Mark {
  const silenced_until = isoOf(deps.now() + minutes * 60_000);
  const set = { silenced_until, silenced_by: caller.userId, silence_reason: reason };
  return {
    action: 'alert_silenced',
    isForSeen: true,
    setOn: (row) => differing(row, set),
    details: { until: silenced_until, reason },
  };
}

export function shelved(deps: Pick<Kernel, 'now'>, caller: Caller, { minutes, reason }: ForAWhile): Mark {
  const shelved_until = isoOf(deps.now() + minutes * 60_000);
  const shelf = { shelved_until, shelved_by: caller.userId, shelve_reason: reason };
  // what was worse before it got better is only silent: on the shelf it would keep the next one as bad from being heard
  const silence = { silenced_until: shelved_until, silenced_by: caller.userId, silence_reason: reason };
  return {
    action: 'alert_shelved',
    isForShelf: true,
    isForSeen: true,
    setOn: (row, current) => differing(row, isWorse(row.severity, current.severity) ? silence : shelf),
    details: { until: shelved_until, reason },
  };
}

/** Takes each mark back. */
export const UNDONE = {
  acknowledge: {
    action: 'alert_unacknowledged',
    setOn: (row) => differing(row, { acknowledged_at: null, acknowledged_by: null, acknowledge_note: null }),
  },
  silence: {
    action: 'alert_unsilenced',
    setOn: (row) => differing(row, { silenced_until: null, silenced_by: null, silence_reason: null }),
  },
  shelve: {
    action: 'alert_unshelved',
    isForShelf: true,
    setOn: (row) => differing(row, { shelved_until: null, shelved_by: null, shelve_reason: null }),
  },
} as const satisfies Record<string, Mark>;

function differing(row: Alert, set: Fields): Fields | null {
  // both are fields of the same row
  const now: Readonly<Record<string, unknown>> = row;
  return Object.entries(set).some(([field, value]) => now[field] !== value) ? set : null;
}

/**
 * Decides a mark on an alarm: on every open alert of its episode, the newest of a very long one, so that whoever watches
 * any of them sees it. What got worse behind the back of that person stays open. Nothing changes where it stands already. Throws 409 for an alert that is over, unless the mark is
 * for what ended by itself.
 */
export async function markAlert(
  deps: ChangeAlertDeps,
  caller: Pick<Caller, 'userId'>,
  current: Alert,
  mark: Mark,
): Promise<Decision<Alert>> {
  const isOver = current.status === 'RESOLVED';
  if (isOver && !(mark.isForReturned && current.resolved_by === null))
    throw conflict('This alert is resolved already', 'ALERT_RESOLVED');
  const updated_at = isoOf(deps.now());
  const changes: Change[] = [];
  let answer = current;
  for (const row of await markedTogether(deps, current, mark)) {
    const set = mark.setOn(row, current);
    if (set === null) continue;
    changes.push(update(alert, row, { ...set, updated_at }));
    if (row.id === current.id) answer = { ...current, ...set, updated_at, rev: current.rev + 1 };
  }
  if (changes.length === 0) return { answer: current };
  const names = await deps.queries.namesOf(current);
  if (names === null) throw notFound('Alert');
  const { action, details = {} } = mark;
  return {
    answer,
    changes: [...changes, logged(deps, current, names, { action, details, userId: caller.userId })],
  };
}

const isNewer = (a: Alert, b: Alert): boolean =>
  a.triggered_at === b.triggered_at ? a.id > b.id : a.triggered_at > b.triggered_at;

/** The alert itself, its episode, and what of the same alarm the mark is for besides. */
async function markedTogether(deps: ChangeAlertDeps, current: Alert, mark: Mark): Promise<Alert[]> {
  const { farm_id, episode_id, type } = current;
  const now = deps.now();
  const isOnShelf = mark.isForShelf === true && current.source === 'automatic';
  const together = [
    current,
    ...(current.status === 'ACTIVE'
      ? await deps.queries.openOfEpisode(farm_id, episode_id, MOST_AT_ONCE)
      : []),
    // a shelf outlives episodes: the last word on it counts for the earlier ones, too
    ...(isOnShelf ? await deps.queries.shelvedAlerts(type, current, isoOf(now)) : []),
    ...(mark.isForReturned ? await deps.queries.returned(type, current, isoOf(now - RETURNED_FOR_MS)) : []),
  ];
  const isMeant = (row: Alert): boolean =>
    !mark.isForSeen || !isNewer(row, current) || !isWorse(row.severity, current.severity);
  return [...new Map(together.map((row) => [row.id, row])).values()].filter(isMeant);
}

/** Decides that this person is on it, told by another way than the screen. */
export async function acknowledgeAlert(
  deps: ChangeAlertDeps,
  alertId: string,
  caller: Pick<Caller, 'userId'>,
): Promise<Decision<Alert>> {
  const current = await deps.queries.alertById(alertId);
  if (current === null) throw notFound('Alert');
  return markAlert(deps, caller, current, acknowledged(deps, caller, {}));
}
