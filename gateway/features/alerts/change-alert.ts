import type * as z from 'zod';
import { alert, type alertCreate } from '#contract/resources/alerts.ts';
import { asParent, update } from '#core/changes.ts';
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

type Mark = { action: string; set: Partial<Omit<AlertRow, 'id'>>; details?: Record<string, unknown> };

export function acknowledged(deps: Pick<Kernel, 'now'>, caller: Caller, current: Alert): Mark | null {
  if (current.acknowledged_at !== null) return null;
  const set = { acknowledged_at: isoOf(deps.now()), acknowledged_by: caller.userId };
  return { action: 'alert_acknowledged', set };
}

export function silenced(
  deps: Pick<Kernel, 'now'>,
  caller: Caller,
  { minutes, reason }: { minutes: number; reason: string },
): Mark {
  const silenced_until = isoOf(deps.now() + minutes * 60_000);
  return {
    action: 'alert_silenced',
    set: { silenced_until, silenced_by: caller.userId, silence_reason: reason },
    details: { until: silenced_until, reason },
  };
}

export function shelved(
  deps: Pick<Kernel, 'now'>,
  caller: Caller,
  { minutes, reason }: { minutes: number; reason: string },
): Mark {
  const shelved_until = isoOf(deps.now() + minutes * 60_000);
  return {
    action: 'alert_shelved',
    set: { shelved_until, shelved_by: caller.userId, shelve_reason: reason },
    details: { until: shelved_until, reason },
  };
}

/** What each mark is without it. */
export const UNDONE = {
  acknowledge: {
    action: 'alert_unacknowledged',
    set: { acknowledged_at: null, acknowledged_by: null },
  },
  silence: {
    action: 'alert_unsilenced',
    set: { silenced_until: null, silenced_by: null, silence_reason: null },
  },
  shelve: {
    action: 'alert_unshelved',
    set: { shelved_until: null, shelved_by: null, shelve_reason: null },
  },
} as const satisfies Record<string, Mark>;

/**
 * Decides a mark on an ACTIVE alert, and on the newest of its episode, which is the one lists show and new alerts
 * inherit from. null or an equal mark changes nothing. Throws 409 for an alert that is over.
 */
export async function markAlert(
  deps: ChangeAlertDeps,
  caller: Caller,
  current: Alert,
  mark: Mark | null,
): Promise<Decision<Alert>> {
  if (current.status === 'RESOLVED') throw conflict('This alert is resolved already', 'ALERT_RESOLVED');
  if (mark === null || isMarked(current, mark)) return { answer: current };
  const names = await deps.queries.namesOf(current);
  if (names === null) throw notFound('Alert');
  const set = { ...mark.set, updated_at: isoOf(deps.now()) };
  const marked = new Map([[current.id, current]]);
  for (const row of await alsoMarked(deps, current, mark)) marked.set(row.id, row);
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [
      ...[...marked.values()].map((row) => update(alert, row, set)),
      logged(deps, current, names, { ...mark, userId: caller.userId }),
    ],
  };
}

async function alsoMarked(deps: ChangeAlertDeps, current: Alert, mark: Mark): Promise<Alert[]> {
  const newest = await deps.queries.openOfEpisode(current.farm_id, current.episode_id, 1);
  // a shelf outlives episodes: the last word on it counts for the earlier ones, too
  const isOnShelf = 'shelved_until' in mark.set && current.source === 'automatic';
  const shelvedBefore = isOnShelf
    ? await deps.queries.shelvedAlerts(current.type, current, isoOf(deps.now()))
    : [];
  return [...newest, ...shelvedBefore];
}

function isMarked(current: Alert, { set }: Mark): boolean {
  // both are fields of the same row
  const row: Readonly<Record<string, unknown>> = current;
  return Object.entries(set).every(([field, value]) => row[field] === value);
}
