import { busPolicy } from '#adapters/delivery/address-policy.ts';
import { keepTurning, openBus } from '#adapters/modbus/open-bus.ts';
import { probeQueries } from '#adapters/sql/queries/equipment/probes.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import type { MeasurementCreate } from '#contract/resources/water-quality.ts';
import type { Alerting } from '#core/alerting.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { perform } from '#core/use-case.ts';
import { probeRoutes } from '#features/equipment/probes/routes.ts';
import { createScans } from '#features/equipment/probes/scan-bus.ts';
import { createProbeTeller } from '#features/equipment/probes/tell-probes.ts';
import { createProbeWatch } from '#features/equipment/probes/watch-probes.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { MeasurementRow } from '#features/production/water-quality/ports.ts';
import { recordMeasurement } from '#features/production/water-quality/record-measurement.ts';
import type { Platform } from '../kernel.ts';

export type ProbesDeps = Platform & {
  alerting: Alerting;
  scienceOf: ScienceOf;
  /** Control hears of a measurement that the disk did not take. */
  heardUnsaved: (row: MeasurementRow) => void;
};

/** Probes in the water: polled on their buses, made into measurements with all those mean for alarms and aeration. */
export function wireProbes(deps: ProbesDeps) {
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
