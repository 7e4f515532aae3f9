import type { AmmoniaAs, MeasurementAnswer } from '#contract/resources/water-quality.ts';
import { roundTo } from '#core/rounding.ts';
import { oxygenSaturationPercent } from '#science/oxygen-saturation.ts';
import { type AmmoniaOnBoth, ammoniaOnBoth, type Water } from '#science/water-limits.ts';
import { sampleOf } from './judge-water.ts';
import type { MeasurementRow, RecordQueries, ScienceOf } from './ports.ts';
import { salinityFor } from './record-measurement.ts';
import { measurementValuesOf, waterFigure } from './water-answers.ts';

export type AnswerMeasurementDeps = {
  queries: Pick<RecordQueries, 'salinityBefore'>;
  scienceOf: ScienceOf;
};

/** A measurement as it is answered: as it was entered, its ammonia on both bases beside it. */
export async function answerMeasurement(
  deps: AnswerMeasurementDeps,
  farmId: string,
  row: MeasurementRow,
): Promise<MeasurementAnswer> {
  const values = { ...measurementValuesOf(row), oxygen_saturation_percent: saturationOf(row) };
  if (row.ammonia === null) return { ...values, ammonia_as: null };
  const { water } = await deps.scienceOf(farmId);
  return { ...values, ammonia_as: await ammoniaOfRow(deps, water, { ...row, ammonia: row.ammonia }) };
}

/** The ammonia of a measurement on both bases, by the water it was measured in. */
export async function ammoniaOfRow(
  { queries }: Pick<AnswerMeasurementDeps, 'queries'>,
  water: Water,
  row: MeasurementRow & { ammonia: number },
): Promise<AmmoniaAs> {
  const salinity = row.salinity ?? (await salinityFor(queries, row));
  return ammoniaAs(water, { ...sampleOf(row), salinity, ammonia: row.ammonia });
}

const CERTAINTIES = ['KNOWN', 'EXTRAPOLATED', 'WORST_CASE'] as const;

/** The mean of several, as certain as the least certain of them: where one has no total, the mean has none. */
export function meanAmmonia(found: readonly AmmoniaAs[]): AmmoniaAs | null {
  const [first] = found;
  if (first === undefined) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const totals = found.flatMap(({ tan }) => (tan === null ? [] : [tan]));
  const certainty =
    CERTAINTIES.findLast((each) => found.some((one) => one.certainty === each)) ?? 'WORST_CASE';
  return {
    basis: first.basis,
    nh3_n: waterFigure(mean(found.map(({ nh3_n }) => nh3_n))),
    tan: totals.length < found.length ? null : waterFigure(mean(totals)),
    certainty,
    gaps: [...new Set(found.flatMap(({ gaps }) => gaps))],
  };
}

/** Only from what was measured together: in an hour of sun the temperature of the morning says nothing. */
function saturationOf(row: MeasurementRow): number | null {
  const { dissolved_oxygen: oxygenMgL, temperature: temperatureC, salinity: salinityPpt } = row;
  if (oxygenMgL === null || temperatureC === null || salinityPpt === null) return null;
  return roundTo(oxygenSaturationPercent({ oxygenMgL, temperatureC, salinityPpt }), 1);
}

function ammoniaAs(water: Water, sample: Parameters<typeof ammoniaOnBoth>[1]): AmmoniaAs {
  const found = ammoniaOnBoth(water, sample);
  return {
    basis: water.ammoniaBasis,
    nh3_n: waterFigure(found.nh3N),
    tan: waterFigure(found.tan),
    ...certaintyOf(found),
  };
}

function certaintyOf(found: AmmoniaOnBoth): Pick<AmmoniaAs, 'certainty' | 'gaps'> {
  if (!found.isKnown) return { certainty: 'WORST_CASE', gaps: [...found.gaps] };
  return { certainty: found.isExtrapolated ? 'EXTRAPOLATED' : 'KNOWN', gaps: [] };
}
