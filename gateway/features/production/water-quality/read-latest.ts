import type { LatestWater } from '#contract/resources/water-quality.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#science/advice/language.ts';
import { waterStatus } from '#science/water-status.ts';
import { answerMeasurement } from './answer-measurement.ts';
import { judged } from './judge-water.ts';
import type { PondName, RecordQueries, ScienceOf, WaterReadQueries } from './ports.ts';
import { salinityFor } from './record-measurement.ts';
import { timeSince, waterAlertOf } from './water-answers.ts';

export type ReadLatestDeps = Pick<Kernel, 'now'> & {
  queries: Pick<WaterReadQueries, 'latestReadings' | 'activeAlerts'> & Pick<RecordQueries, 'salinityBefore'>;
  scienceOf: ScienceOf;
};

/**
 * Per pond its newest measurement; ponds that were never measured are left out. The status is that of the values and of
 * what is still open: a reading of pH alone does not make low oxygen normal.
 */
export async function latestWaterOf(
  deps: ReadLatestDeps,
  ponds: readonly PondName[],
  language: Language,
): Promise<LatestWater[]> {
  const ids = ponds.map(({ id }) => id);
  const [latest, alerts] = await Promise.all([
    deps.queries.latestReadings(ids),
    deps.queries.activeAlerts(ids),
  ]);
  const answers: LatestWater[] = [];
  for (const pond of ponds) {
    const row = latest.get(pond.id);
    if (row === undefined) continue;
    const open = alerts.get(pond.id) ?? [];
    const { water } = await deps.scienceOf(pond.farm_id);
    const own = judged(water, row, await salinityFor(deps.queries, row)).violations;
    answers.push({
      ...(await answerMeasurement(deps, pond.farm_id, row)),
      pond_cod: pond.cod,
      time_since_measurement: timeSince(row.measurement_date, deps.now(), language),
      status: waterStatus([...own, ...open]),
      alerts: open.map((alert) => waterAlertOf(alert, { water, language })),
    });
  }
  return answers;
}
