import * as z from 'zod';

import { dayInput, longText, shortText, wordOf } from '../fields.ts';

// What a farm writes down of the health of its animals: what was seen at a pond, and what a laboratory found. A disease that no
// laboratory found is suspected, and a laboratory that did not find one says nothing of the others.

/** Signs of a sick Penaeus vannamei that are seen at the pond or on the tray. */
export const SIGNS = [
  'LETHARGY',
  'ERRATIC_SWIMMING',
  'AT_THE_EDGES',
  'AT_THE_SURFACE',
  'NOT_FEEDING',
  'EMPTY_GUT',
  'WHITE_GUT',
  'WHITE_FAECES',
  'PALE_HEPATOPANCREAS',
  'WHITE_SPOTS',
  'RED_BODY',
  'RED_TAIL',
  'DARK_SPOTS',
  'SOFT_SHELL',
  'DEFORMED_ROSTRUM',
  'OPAQUE_MUSCLE',
  'MUSCLE_NECROSIS',
  'FOULED_GILLS',
  'BROWN_GILLS',
  'BROKEN_ANTENNAE',
  'UNEVEN_SIZE',
  'SLOW_GROWTH',
] as const;
export type Sign = (typeof SIGNS)[number];

/** null in their place: nobody knows. */
export const DISEASES = [
  'WSSV',
  'AHPND',
  'IHHNV',
  'IMNV',
  'NHP',
  'EHP',
  'VIBRIOSIS',
  'TSV',
  'YHV',
  'DIV1',
  'WHITE_FAECES_SYNDROME',
  'GREGARINES',
  'FOULING',
  'OTHER',
] as const;
export type Disease = (typeof DISEASES)[number];

/** Diseases of crustaceans in the list of the World Organisation for Animal Health (Aquatic Code, chapter 1.3). */
export const LISTED_DISEASES: readonly Disease[] = [
  'WSSV',
  'AHPND',
  'IHHNV',
  'IMNV',
  'NHP',
  'TSV',
  'YHV',
  'DIV1',
];

export const SEVERITIES = ['MILD', 'MODERATE', 'SEVERE'] as const;
export const SAMPLES = [
  'TISSUE',
  'HAEMOLYMPH',
  'POSTLARVAE',
  'FAECES',
  'WATER',
  'SEDIMENT',
  'OTHER',
] as const;
export const METHODS = [
  'PCR',
  'RT_PCR',
  'HISTOLOGY',
  'BACTERIOLOGY_TCBS',
  'MICROSCOPY',
  'RAPID_TEST',
  'OTHER',
] as const;
export const RESULTS = ['POSITIVE', 'NEGATIVE', 'INCONCLUSIVE'] as const;
export const LAB_UNITS = ['CFU/mL', 'CFU/g', 'Ct', 'copies/uL', 'copies/ng'] as const;

/** As they are stored: columns that came after the table, so that each has a value for "nothing was said". */
export const healthColumns = {
  signs: z.array(z.enum(SIGNS)).nullable().default(null),
  /** Share of the animals that showed them. */
  affected_percent: z.number().nullable().default(null),
  severity: z.enum(SEVERITIES).nullable().default(null),
  /** Suspected, or looked for. */
  disease: z.enum(DISEASES).nullable().default(null),
  disease_name: z.string().nullable().default(null),
  sample: z.enum(SAMPLES).nullable().default(null),
  method: z.enum(METHODS).nullable().default(null),
  /** null: it gave a figure alone, or none has come yet. */
  result: z.enum(RESULTS).nullable().default(null),
  result_on: z.iso.date().nullable().default(null),
  report_number: z.string().nullable().default(null),
};

export const healthGroups = {
  seen: { fields: ['signs', 'affected_percent', 'severity'] },
  disease: { fields: ['disease', 'disease_name'] },
  sampled: { fields: ['sample', 'method'] },
  result: { fields: ['result', 'result_on', 'report_number'] },
};

const signs = z
  .array(wordOf(SIGNS))
  .max(SIGNS.length)
  .refine((all) => new Set(all).size === all.length, 'name a sign once')
  .describe('What was seen; one that is not named was not looked for, or not seen');
const affectedPercent = z
  .number()
  .min(0)
  .max(100)
  .nullish()
  .describe('Share of the animals that showed them, in percent; null: nobody counted');
const diseaseName = shortText
  .nullish()
  .describe('Species or strain; what it is, or what was looked for, where disease is OTHER');
/** None counted is a finding, and viruses are counted by the thousand million. */
const figure = z.number().min(0).max(1e12);

export const signsFields = {
  signs: signs.default([]),
  affected_percent: affectedPercent,
  severity: wordOf(SEVERITIES).nullish(),
  disease: wordOf(DISEASES).nullish().describe('What is suspected; null: nobody knows'),
  disease_name: diseaseName,
  responsible: shortText.nullish().describe('Who saw it'),
  text: longText.nullish().describe('What was seen besides'),
};

export const labFields = {
  source: shortText.describe('The laboratory'),
  sample: wordOf(SAMPLES),
  method: wordOf(METHODS),
  disease: wordOf(DISEASES).describe('What was looked for'),
  disease_name: diseaseName,
  result: wordOf(RESULTS)
    .nullish()
    .describe('Of what was looked for alone; null: a figure alone, or none has come yet'),
  amount: figure.nullish().describe('The figure, with its unit'),
  unit: z.enum(LAB_UNITS).nullish(),
  result_on: dayInput.nullish().describe('Day of the farm on which the result came'),
  report_number: shortText.nullish(),
  responsible: shortText.nullish().describe('Who took the sample'),
  text: longText.nullish(),
};

/** What a correction may say of them; which of it a record has depends on its kind. */
export const healthUpdate = {
  signs: signs.optional(),
  affected_percent: affectedPercent,
  severity: wordOf(SEVERITIES).nullish(),
  disease: wordOf(DISEASES).nullish(),
  disease_name: diseaseName,
  sample: wordOf(SAMPLES).optional(),
  method: wordOf(METHODS).optional(),
  result: wordOf(RESULTS).nullish(),
  result_on: dayInput.nullish(),
  report_number: shortText.nullish(),
};

export const healthAnswer = {
  signs: z
    .array(z.enum(SIGNS))
    .nullable()
    .describe('Of signs of disease: what was seen; one that is not named may not have been looked for'),
  affected_percent: z.number().nullable().describe('null: nobody counted'),
  severity: z.enum(SEVERITIES).nullable(),
  disease: z
    .enum(DISEASES)
    .nullable()
    .describe('Suspected, where signs were seen; looked for, of a laboratory result; null: nobody knows'),
  disease_name: z.string().nullable(),
  sample: z.enum(SAMPLES).nullable(),
  method: z.enum(METHODS).nullable(),
  result: z
    .enum(RESULTS)
    .nullable()
    .describe('Of that disease alone; null: it gave a figure alone, or none has come yet'),
  result_on: z.string().nullable(),
  report_number: z.string().nullable(),
};

/** The same of a row, for an answer. */
export const healthOf = (row: z.infer<z.ZodObject<typeof healthAnswer>>) => ({
  signs: row.signs,
  affected_percent: row.affected_percent,
  severity: row.severity,
  disease: row.disease,
  disease_name: row.disease_name,
  sample: row.sample,
  method: row.method,
  result: row.result,
  result_on: row.result_on,
  report_number: row.report_number,
});
