import type { AmmoniaAs, MeasurementAnswer } from '#contract/resources/water-quality.ts';
import { roundTo } from '#core/rounding.ts';
import { type AmmoniaGap, nh3ToActOn, tanOf } from '#science/ammonia.ts';
import { oxygenSaturationPercent } from '#science/oxygen-saturation.ts';
import { ammoniaWaterOf, nh3In, type Water } from '#science/water-limits.ts';
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
  const salinity = row.salinity ?? (await salinityFor(deps.queries, row));
  return { ...values, ammonia_as: ammoniaAs(water, { ...sampleOf(row), salinity, ammonia: row.ammonia }) };
}

/** Only from what was measured together: in an hour of sun the temperature of the morning says nothing. */
function saturationOf(row: MeasurementRow): number | null {
  const { dissolved_oxygen: oxygenMgL, temperature: temperatureC, salinity: salinityPpt } = row;
  if (oxygenMgL === null || temperatureC === null || salinityPpt === null) return null;
  return roundTo(oxygenSaturationPercent({ oxygenMgL, temperatureC, salinityPpt }), 1);
}

type Sample = { ammonia: number; temperature: number | null; ph: number | null; salinity: number | null };

function ammoniaAs(water: Water, sample: Sample): AmmoniaAs {
  const basis = water.ammoniaBasis;
  if (basis === 'TAN') {
    const nh3 = nh3In(water, sample);
    const tan = waterFigure(sample.ammonia);
    return { basis, tan, nh3_n: waterFigure(nh3ToActOn(nh3)), ...certaintyOf(nh3) };
  }
  const tan = tanOf(water.worstPlausible, sample.ammonia, ammoniaWaterOf(sample));
  const nh3_n = waterFigure(sample.ammonia);
  return { basis, nh3_n, tan: tan.isKnown ? waterFigure(tan.mgL) : null, ...certaintyOf(tan) };
}

type Known = { isKnown: true; isExtrapolated: boolean } | { isKnown: false; gaps: readonly AmmoniaGap[] };

function certaintyOf(found: Known): Pick<AmmoniaAs, 'certainty' | 'gaps'> {
  if (!found.isKnown) return { certainty: 'WORST_CASE', gaps: [...found.gaps] };
  return { certainty: found.isExtrapolated ? 'EXTRAPOLATED' : 'KNOWN', gaps: [] };
}
