import * as z from 'zod';

import { dayInput, longText, shortText, wordOf } from '../fields.ts';

// What is done to a pond between two cycles: from when until when, with what and how much of it.

export const PREPARATION_STEPS = [
  'DRAINING',
  'DRYING',
  'SLUDGE_REMOVAL',
  'TILLING',
  'LIMING',
  'DISINFECTION',
  'FILLING',
  'FERTILIZATION',
  'OTHER',
] as const;

/** As they are stored: columns that came after the table, so that each has a value for "nothing was said". */
export const preparationColumns = {
  step: z.enum(PREPARATION_STEPS).nullable().default(null),
  /** Last day of it; null: it goes on, or nobody said. */
  ended_on: z.iso.date().nullable().default(null),
};

export const preparationGroups = { step: { fields: ['step', 'ended_on'] } };

const step = wordOf(PREPARATION_STEPS);
const endedOn = dayInput.nullish().describe('Last day of it on the farm; null: it goes on, or nobody said');

export const preparationFields = {
  step,
  ended_on: endedOn,
  product: shortText.nullish().describe('What was given, as the kind of lime'),
  product_lot: shortText.nullish(),
  source: shortText.nullish().describe('Where the water of a filling came from'),
  responsible: shortText.nullish(),
  text: longText.nullish(),
};

/** What a correction may say of them. */
export const preparationUpdate = { step: step.optional(), ended_on: endedOn };

export const preparationAnswer = {
  step: z
    .enum(PREPARATION_STEPS)
    .nullable()
    .describe('Of a preparation: what was done to the pond between two cycles'),
  ended_on: z.string().nullable().describe('Of a preparation; null: it goes on, or nobody said'),
};
