import type { ImportKind } from '#contract/resources/imports.ts';
import { grams, type Language } from '#science/advice/language.ts';
import { plausibilityText } from '#science/advice/plausibility-text.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { WaterSample } from '#science/water-limits.ts';
import type { CellNote, PlannedRow } from './ports.ts';

export type Judging = { science: Pick<ScienceConstants, 'growth' | 'water'>; language: Language };

/**
 * What is unlikely in a row, but comes in as it stands: a shrimp as heavy as its whole sample, saturation in the column
 * of mg/L. A slip of a whole column shows here before it is imported.
 */
export function unlikelyIn(kind: ImportKind, { content }: PlannedRow, judging: Judging): CellNote[] {
  if (kind === 'measurements') return unlikelyWater(content, judging);
  return kind === 'biometries' ? unlikelyWeight(content, judging) : [];
}

function unlikelyWater(content: PlannedRow['content'], { science, language }: Judging): CellNote[] {
  const value = (field: keyof WaterSample) => {
    const cell = content[field];
    return typeof cell === 'number' ? cell : null;
  };
  const sample: WaterSample = {
    temperature: value('temperature'),
    dissolved_oxygen: value('dissolved_oxygen'),
    ph: value('ph'),
    salinity: value('salinity'),
    alkalinity: value('alkalinity'),
    ammonia: value('ammonia'),
    nitrite: value('nitrite'),
    nitrate: value('nitrate'),
    transparency: value('transparency'),
  };
  return implausibilitiesOf(science.water, sample).map((found) => ({
    column: found.parameter,
    code: found.kind,
    message: plausibilityText(found, language),
  }));
}

const TOO_HEAVY: Readonly<Record<Language, (weight: string) => string>> = {
  'pt-BR': (weight) =>
    `${weight} por camarão é mais do que se alcança em viveiro: confira a amostra e se o peso está em gramas.`,
  en: (weight) =>
    `${weight} per shrimp is more than ponds bring forth: check the sample, and whether the weight is in grams.`,
};

function unlikelyWeight(
  { total_weight_g: total, sample_size: size }: PlannedRow['content'],
  { science, language }: Judging,
): CellNote[] {
  if (typeof total !== 'number' || typeof size !== 'number') return [];
  const weightG = total / size;
  if (weightG <= 2 * science.growth.largestProjectedWeightG) return [];
  const message = TOO_HEAVY[language](grams(weightG, language));
  return [{ column: 'total_weight_g', code: 'IMPLAUSIBLE_WEIGHT', message }];
}
