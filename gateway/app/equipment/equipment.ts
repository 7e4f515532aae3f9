import { join } from 'node:path';
import { busPolicy } from '#adapters/delivery/address-policy.ts';
import { keepTurning, openBus } from '#adapters/modbus/open-bus.ts';
import { controlPointQueries } from '#adapters/sql/queries/control/control-points.ts';
import { boardLabelsOf } from '#adapters/sql/queries/equipment/board-labels.ts';
import { personOfEmail } from '#adapters/sql/queries/equipment/home-assistant.ts';
import { probeQueries } from '#adapters/sql/queries/equipment/probes.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { boardLabel, deviceKey } from '#contract/resources/local-tables.ts';
import { probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import type { MeasurementCreate } from '#contract/resources/water-quality.ts';
import type { Alerting } from '#core/alerting.ts';
import { onTables, purge, put, rowsOf } from '#core/changes.ts';
import { notFound, StorageUnavailable } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import {
  createControlPoint,
  deleteControlPoint,
} from '#features/control/control-points/create-control-point.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { createHeartbeatWatch, createJobDesk } from '#features/equipment/bench/job-desk.ts';
import type { Whereabouts } from '#features/equipment/bench/ports.ts';
import { benchRoutes } from '#features/equipment/bench/routes.ts';
import { probeRoutes } from '#features/equipment/probes/routes.ts';
import { createScans } from '#features/equipment/probes/scan-bus.ts';
import { createProbeTeller } from '#features/equipment/probes/tell-probes.ts';
import { createProbeWatch } from '#features/equipment/probes/watch-probes.ts';
import { simulatorRoutes } from '#features/equipment/simulator/routes.ts';
import { createSimulatorDesk } from '#features/equipment/simulator/simulator-desk.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { MeasurementRow } from '#features/production/water-quality/ports.ts';
import { recordMeasurement } from '#features/production/water-quality/record-measurement.ts';
import { openHomeAssistant } from '#operations/equipment/home-assistant.ts';
import { type FleetAt, fleetBeside } from '#workers/fleet/fleet-process.ts';
import { backupFile, drawnLabels, portsOf, runBeside } from '../../bench/gateway-bench.ts';
import { newClaimCode } from '../../bench/identity.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { ControlArea } from '../control/control.ts';
import type { Control } from '../control/controllers.ts';
import type { Platform } from '../kernel.ts';
import type { Production } from '../production/production.ts';
import { wireAdoption } from './adoption.ts';
import { wireFirmware } from './firmware.ts';
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

type ProbesDeps = Platform & {
  alerting: Alerting;
  scienceOf: ScienceOf;
  /** Control hears of a measurement that the disk did not take. */
  heardUnsaved: (row: MeasurementRow) => void;
};

/** Probes in the water: polled on their buses, made into measurements with all those mean for alarms and aeration. */
function wireProbes(deps: ProbesDeps) {
  const { kernel, monotonic, database, alerting, notify, scienceOf, heardUnsaved } = deps;
  const queries = probeQueries(database.read);
  const isOnFarmNetwork = busPolicy(deps.config.outboundNetworks);
  const water = { ...kernel, queries: measurementQueries(database.read), alerting, scienceOf };

  async function recordWater(measured: MeasurementCreate): Promise<void> {
    const decided: { row: MeasurementRow | null } = { row: null };
    try {
      await perform(kernel, null, async () => {
        const decision = await recordMeasurement(water, { userId: null, language: 'pt-BR' }, measured);
        decided.row = decision.answer.row;
        return decision;
      });
    } catch (error) {
      // the shrimp cannot wait for room on the disk
      if (error instanceof StorageUnavailable && decided.row !== null) heardUnsaved(decided.row);
      throw error;
    }
  }

  const changed = (farmId: string) => deps.tellChanged('probes', { farmId, who: 'viewers' });
  const watch = createProbeWatch({
    ...kernel,
    monotonic,
    queries,
    scienceOf,
    recordWater,
    openBus: (address) => openBus({ monotonic, isOnFarmNetwork }, address),
    keepTurning,
    changed,
  });
  database.onRows(watch.follow);
  const shown = [probe, probeBus, probeProfile];
  database.onRows(
    onTables(shown, (committed) => {
      const rows = shown.flatMap((of) => rowsOf<{ id: string; farm_id: string }>(committed, of));
      for (const { after } of rows) changed(after.farm_id);
    }),
  );
  const scans = createScans({ now: kernel.now, changed });
  const teller = createProbeTeller({ ...kernel, monotonic, queries, watch, notify });
  return {
    routes: probeRoutes({ ...kernel, monotonic, queries, scienceOf, watch, scans }),
    watch,
    tell: teller.look,
    async stop() {
      await watch.stop();
      await scans.settled();
    },
  };
}

type BenchWiring = Platform & { control: Control; whereabouts: () => Whereabouts };

/** The technician's bench of a gateway: boards at the serial ports of its own box. Nothing is loaded before a job. */
async function wireBench(deps: BenchWiring) {
  const { config, kernel, database, control } = deps;
  const { registry } = control;
  const folder = join(config.data, 'bench');
  const firmwareKeys = config.firmwareKeys ?? join(config.data, 'firmware-keys.pem');
  const desk = createJobDesk({ ...kernel, changed: () => deps.tellChanged('bench', 'operators') });
  const watch = createHeartbeatWatch({ views: registry, later });
  deps.signals.on('presence', watch.heard);
  database.onRows(
    onTables([deviceKey], (committed) => {
      for (const { after } of rowsOf(committed, deviceKey)) watch.heard(after.control_point_id);
    }),
  );
  const routes = benchRoutes({
    ...kernel,
    desk,
    monotonic: deps.monotonic,
    views: registry,
    accessTo: deps.accessTo,
    whereabouts: deps.whereabouts,
    run: runBeside,
    firstHeartbeat: watch.first,
    listPorts: () => portsOf(config.benchPorts),
    async firmware() {
      const { firmwareIn } = await import('../../bench/firmware-folder.ts');
      return firmwareIn(join(folder, 'firmware'), firmwareKeys);
    },
    firmwareKeys,
    backupFile: (port) => backupFile(join(folder, 'backups'), port, isoOf(kernel.now())),
    lockedOut: () => [...registry.all()].filter(({ row }) => row.locked_out).map(({ row }) => row.device_id),
    issueKey: (id, userId) => issued(deps, id, userId),
    newClaim: newClaimCode,
    keptLabels: (ids) => boardLabelsOf(database.read, ids),
    async keepLabel(id, label, userId) {
      await perform(kernel, userId, async () => ({
        answer: undefined,
        changes: [label === null ? purge(boardLabel, id) : put(boardLabel, label)],
      }));
    },
    drawLabels: drawnLabels,
    async labelPage(labels, language) {
      const { LABEL_PAGE_STYLE: style, labelPage } = await import('../../bench/label-sheet.ts');
      return { html: labelPage(labels, language), style };
    },
  });
  return { routes, stop: desk.stop };
}

async function issued(
  { kernel, control }: Pick<BenchWiring, 'kernel' | 'control'>,
  id: string,
  userId: string,
) {
  const { answer } = await perform(kernel, userId, async () => {
    const view = await control.registry.refresh(id);
    if (view === null) throw notFound('Control point');
    const decision = issueKey(control.adopting.keyDeps, view, userId);
    return { ...decision, answer: { ...decision.answer, view } };
  });
  return { keyId: answer.row.id, key: answer.key, view: answer.view };
}

const later = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
