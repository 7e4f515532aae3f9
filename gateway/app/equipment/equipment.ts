import { controlPointQueries } from '#adapters/sql/queries/control/control-points.ts';
import { personOfEmail } from '#adapters/sql/queries/equipment/home-assistant.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import {
  createControlPoint,
  deleteControlPoint,
} from '#features/control/control-points/create-control-point.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import type { Whereabouts } from '#features/equipment/bench/ports.ts';
import { simulatorRoutes } from '#features/equipment/simulator/routes.ts';
import { createSimulatorDesk } from '#features/equipment/simulator/simulator-desk.ts';
import { openHomeAssistant } from '#operations/equipment/home-assistant.ts';
import { type FleetAt, fleetBeside } from '#workers/fleet/fleet-process.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { ControlArea } from '../control/control.ts';
import type { Control } from '../control/controllers.ts';
import type { Platform } from '../kernel.ts';
import type { Production } from '../production/production.ts';
import { wireAdoption } from './adoption.ts';
import { wireBench } from './bench.ts';
import { wireFirmware } from './firmware.ts';
import { wireProbes } from './probes.ts';
import { wireRelays } from './relays.ts';

const LAST_WORDS_MS = 500;

type Needs = {
  alarms: Pick<Alarms, 'alerts'>;
  control: Pick<ControlArea, 'control' | 'rollouts'>;
  production: Pick<Production, 'scienceOf'>;
  trust: { gatewayId: string; whereabouts: () => Whereabouts };
};
type Shared = Platform & { control: Control };

export type EquipmentArea = NonNullable<Awaited<ReturnType<typeof wireEquipment>>>;

/** What hangs on the box and who sets it up: boards, relays, firmware, probes, the bench. A hosted instance has none. */
export async function wireEquipment(platform: Platform, areas: Needs) {
  const { control, rollouts } = areas.control;
  if (rollouts === null) return null;
  const { kernel, database } = platform;
  const { gatewayId, whereabouts } = areas.trust;
  const shared: Shared = { ...platform, control };
  const adoption = wireAdoption({ ...shared, gatewayId, whereabouts });
  const relays = await wireRelays(shared);
  const firmware = await wireFirmware({
    ...shared,
    rollouts,
    // a canary that is simulated proves nothing
    takesFirmware: (id) => !relays.isRelay(id) && control.registry.byId(id)?.row.is_simulated !== true,
  });
  const probes = wireProbes({
    ...shared,
    alerting: areas.alarms.alerts.alerting,
    scienceOf: areas.production.scienceOf,
    heardUnsaved: control.oxygen.hear,
  });
  const bench = await wireBench({ ...shared, whereabouts });
  const simulator = wireSimulator(shared);
  const homeAssistant = openHomeAssistant({
    ...shared,
    gatewayId,
    personOf: personOfEmail(database.read),
  });
  const connected = { homeAssistant: null as Awaited<ReturnType<typeof homeAssistant.start>> };
  return {
    technicians: { adoption, relays, firmware, probes, bench, simulator, homeAssistant },
    routes: [firmware, adoption, bench, simulator, relays, homeAssistant, probes].flatMap(
      ({ routes }) => routes,
    ),
    ticks: [
      { name: 'home assistant', everyS: 1, run: homeAssistant.look },
      { name: 'relays', everyS: 1, run: relays.tick },
      { name: 'meters of relays', everyS: 300, run: relays.saveMeters },
      { name: 'provisioning window', everyS: 2, run: adoption.look },
      { name: 'firmware', everyS: 2, run: firmware.look },
      { name: 'probe windows', everyS: 5, run: probes.watch.look },
      { name: 'probes in trouble', everyS: 60, run: probes.tell },
    ],
    async start(): Promise<void> {
      connected.homeAssistant = await homeAssistant.start();
      await probes.watch
        .start()
        .catch((error: unknown) => kernel.log.error({ err: error }, 'the probes were not begun to be read'));
    },
    stop: {
      async whileOpen(): Promise<void> {
        // a board under way is let go; a job that does not end by then ends with this process
        await Promise.race([Promise.all([bench.stop(), simulator.stop()]), kernel.pause(LAST_WORDS_MS)]);
        await probes.stop();
      },
      withPorts: async () => connected.homeAssistant?.stop(),
      last: () =>
        relays
          .saveMeters()
          .catch((error: unknown) => kernel.log.warn({ err: error }, 'the meters of relays were not saved')),
    },
  };
}

/** Virtual controllers on this gateway: real to broker and rules, marked to everybody who looks. */
function wireSimulator({ kernel, database, control, tellChanged }: Shared) {
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
    /** Whether this control point is played now. */
    plays(id: string): boolean {
      const row = registry.byId(id)?.row;
      return row !== undefined && desk.plays(row);
    },
    /** The broker stands. */
    attach(at: FleetAt): void {
      opened.at = at;
    },
    stop: desk.stopAll,
  };
}
