import type { Database } from '#adapters/sql/database.ts';
import { controlPointQueries } from '#adapters/sql/queries/control/control-points.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { createControlPoint } from '#features/control/control-points/create-control-point.ts';
import { deleteControlPoint } from '#features/control/control-points/delete-control-point.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { simulatorRoutes } from '#features/equipment/simulator/routes.ts';
import { createSimulatorDesk } from '#features/equipment/simulator/simulator-desk.ts';
import { type FleetAt, fleetBeside } from '#workers/fleet/fleet-process.ts';
import type { Control } from '../control/control.ts';

export type SimulatorWiring = {
  kernel: Kernel;
  database: Database;
  control: Control;
  tellChanged: TellChanged;
};

/** Virtual controllers on this gateway: real to broker and rules, marked to everybody who looks. */
export function wireSimulator({ kernel, database, control, tellChanged }: SimulatorWiring) {
  const { registry } = control;
  const { keyDeps, mqttIdOf } = control.adopting;
  const opened: { at: FleetAt | null } = { at: null };
  const simulated = () => [...registry.all()].filter(({ row }) => row.is_simulated);
  const desk = createSimulatorDesk({
    ...kernel,
    startFleet: fleetBeside(() => {
      if (opened.at === null) throw new Error('the broker is not open');
      return opened.at;
    }),
    simulated,
    changed: (farmId) => tellChanged('simulator', { farmId, who: 'operators' }),
  });
  control.simulator.plays = (id) => {
    const row = registry.byId(id)?.row;
    return row !== undefined && desk.plays(row);
  };
  database.onRows(
    onTables([controlPoint], (committed) => {
      for (const { before, after, hidden } of rowsOf(committed, controlPoint)) {
        if (!after.is_simulated) continue;
        if (hidden) desk.forget(after);
        if (hidden || before === null) tellChanged('simulator', { farmId: after.farm_id, who: 'operators' });
      }
    }),
  );
  const queries = controlPointQueries(database.read, 'gateway');
  const pointDeps = { ...kernel, queries, epoch: control.epoch, gateways: NO_GATEWAYS };
  return {
    routes: simulatorRoutes({
      ...kernel,
      desk,
      simulatedOn: (farmId) => simulated().filter(({ row }) => row.farm_id === farmId),
      isReady: () => opened.at !== null,
      isCodeFree: async (ownerId, cod) => (await queries.codTaken(ownerId, cod)) === null,
      createPoint: (caller, input) =>
        createControlPoint(pointDeps, caller, { ...input, target_status: 'OFF' }, { isSimulated: true }),
      deletePoint: (caller, view) => deleteControlPoint(pointDeps, caller, async () => view),
      issueKey(row, by) {
        const { answer, changes = [] } = issueKey(keyDeps, { row, keys: [] }, by, { to: 'its controller' });
        return { key: answer.key, changes };
      },
      mqttIdOf,
    }),
    /** The broker stands. */
    attach(at: FleetAt): void {
      opened.at = at;
    },
    stop: desk.stopAll,
  };
}
