import type { Database } from '#adapters/sql/database.ts';
import { alertQueries } from '#adapters/sql/queries/alarms/alerts.ts';
import { allSirenSettings } from '#adapters/sql/queries/alarms/sirens.ts';
import { sirenSettings } from '#contract/resources/sirens.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { isUnanswered } from '#features/alarms/alerts/escalate-alerts.ts';
import { sirenRoutes } from '#features/alarms/siren/routes.ts';
import { createSirens, createSirenTeller } from '#features/alarms/siren/sound-sirens.ts';
import { type ControlView, type ControlViews, isOnline } from '#features/control/control-view.ts';
import type { SafetyDemand } from '#features/control/schedules/wanted-state.ts';

const NOTHING: readonly SafetyDemand[] = [];

/** The sirens of a gateway, driven by the alerts in its own memory: they need neither internet nor a trusted clock. */
export async function openSirens(deps: {
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  /** Control points this instance runs itself. */
  views: ControlViews;
  onlineAfterMs: number;
  tellChanged: TellChanged;
}) {
  const { kernel, monotonic, database, views } = deps;
  const sirens = createSirens({
    ...kernel,
    monotonic,
    queries: {
      unanswered: alertQueries(database.read).unanswered,
      allSettings: allSirenSettings(database.read),
    },
    isUnanswered,
  });
  database.onRows(sirens.follow);
  await sirens.load();
  const all = () => [...views.all()].filter(({ row }) => row.is_siren);
  const online = ({ presence }: ControlView) => isOnline(presence, kernel.now(), deps.onlineAfterMs);
  const changed = (farmId: string) => deps.tellChanged('siren', { farmId, who: 'viewers' });
  database.onRows(
    onTables([sirenSettings], (committed) => {
      for (const { id } of rowsOf(committed, sirenSettings)) changed(id);
    }),
  );
  const teller = createSirenTeller({ sirens, all, isOnline: online, changed });
  return {
    /** Every second: tells viewers how their sirens stand. */
    tell: teller.look,
    followClockStep: sirens.followClockStep,
    /** What an alarm asks of a control point; null: it is no siren. */
    safetyOf(controlPointId: string): readonly SafetyDemand[] | null {
      const row = views.byId(controlPointId)?.row;
      if (row?.is_siren !== true) return null;
      const { isOn, state, alerts } = sirens.look(row.farm_id);
      if (!isOn) return NOTHING;
      const [first] = alerts;
      const reason =
        state === 'testing' || first === undefined ? 'test of the siren' : `alarm: ${first.message}`;
      const details = first === undefined ? {} : { alert_id: first.id };
      return [{ kind: 'ALARM', target: 'ON', since: kernel.now(), reason, details }];
    },
    routes: sirenRoutes({
      ...kernel,
      monotonic,
      sirens,
      sirensOn: (farmId) =>
        all()
          .filter(({ row }) => row.farm_id === farmId)
          .sort((a, b) => (a.row.cod < b.row.cod ? -1 : 1)),
      isOnline: online,
    }),
  };
}
