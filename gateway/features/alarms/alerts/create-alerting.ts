import { alert } from '#contract/resources/alerts.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import {
  type AlertingDeps,
  type AlertRow,
  logged,
  MOST_AT_ONCE,
  newAlert,
  noticeOf,
  resolveAlerts,
  storedAlert,
} from './alerting.ts';
import { inheritedBy, isQuiet, isToBeTold, isWorse } from './episode-rules.ts';
import type { Alert } from './ports.ts';

/** The one way alerts of the program itself come and go. */
export function createAlerting(deps: AlertingDeps): Alerting {
  return {
    async raise(cause, known) {
      const by = { id: deps.idOf(cause.cause), userId: null };
      const raised = known ? await storedAlert(deps, cause, by, known) : await newAlert(deps, cause, by);
      return raised?.changes ?? [];
    },
    async resolve({ at, ...which }) {
      const { control_point_id, pond_id, farm_id } = which;
      // of nothing in particular would be of everything
      if ((control_point_id ?? pond_id ?? farm_id) === undefined) return [];
      const open = await deps.queries.openAlerts(which, MOST_AT_ONCE);
      return resolveAlerts(deps, open, { userId: null, at: at ?? deps.now() });
    },
    revise: (cause, now) => reviseAlert(deps, deps.idOf(cause), now),
    restate: async (alertId, now) => (await reviseAlert(deps, alertId, now)) ?? [],
  };
}

/**
 * Changes that make an alert say what is so, now that the value behind it was corrected; null when there is none of that
 * id. What a person resolved stays resolved; what is worse than what they answered, silenced or put off is heard again.
 */
async function reviseAlert(
  deps: AlertingDeps,
  id: string,
  cause: AlertCause | null,
): Promise<Change[] | null> {
  const row = await deps.queries.alertById(id);
  if (row === null) return null;
  const now = deps.now();
  if (cause === null) {
    return row.status === 'ACTIVE' ? resolveAlerts(deps, [row], { userId: null, at: now }) : [];
  }
  const marks = isWorse(cause.severity, row.severity)
    ? inheritedBy(cause.severity, row, await deps.queries.shelvedAlerts(row.type, row, isoOf(now)), now)
    : {};
  const revised = { ...row, ...saying(cause, row), ...standing(cause, row, now), ...marks };
  if (isSame(row, revised)) return [];
  const names = await deps.queries.namesOf(row);
  if (names === null) return [];
  const isTold =
    revised.status === 'ACTIVE' &&
    (cause.as ?? 'news') === 'news' &&
    !isQuiet(revised, now) &&
    isToBeTold(row, cause.severity, now);
  const told: Partial<AlertRow> = isTold ? { told_at: isoOf(now), told_severity: cause.severity } : {};
  const { id: _id, rev: _rev, ...set } = { ...revised, ...told, updated_at: isoOf(now) };
  return [
    update(alert, row, set),
    logged(deps, revised, names, { action: actionOf(row, revised), userId: null, details: wasOf(row) }),
    ...(isTold ? await noticeOf(deps, cause, revised, { names, news: `alert:${row.id}:${isoOf(now)}` }) : []),
  ];
}

function saying(cause: AlertCause, row: Alert) {
  return {
    severity: cause.severity,
    message: cause.message,
    value: cause.value ?? null,
    threshold: cause.threshold ?? null,
    triggered_at: cause.at === undefined ? row.triggered_at : isoOf(cause.at),
  };
}

function standing(cause: AlertCause, row: Alert, now: number): Partial<AlertRow> {
  const isOver = cause.as === 'past';
  if (row.status === 'ACTIVE' && isOver) return { status: 'RESOLVED', resolved_at: isoOf(now) };
  const isBack = row.status === 'RESOLVED' && row.resolved_by === null && !isOver;
  return isBack ? { status: 'ACTIVE', resolved_at: null } : {};
}

function isSame(row: Alert, revised: Alert): boolean {
  const { severity, message, value, threshold, triggered_at, status } = revised;
  return (
    severity === row.severity &&
    message === row.message &&
    value === row.value &&
    threshold === row.threshold &&
    triggered_at === row.triggered_at &&
    status === row.status
  );
}

function actionOf(row: Alert, revised: Alert): string {
  if (row.status === revised.status) return 'update';
  return revised.status === 'ACTIVE' ? 'alert_created' : 'alert_resolved';
}

function wasOf({ value, severity, status }: Alert): Record<string, unknown> {
  return { before: { value, severity, status } };
}
