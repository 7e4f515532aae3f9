import type { Alerting } from '#core/alerting.ts';
import { type AlertingDeps, MOST_AT_ONCE, newAlert, resolveAlerts, storedAlert } from './alerting.ts';
import { reviseAlert } from './revise-alert.ts';

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
