import * as z from 'zod';
import { dayInput, idInput, idOrNumber, wordOf } from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { BATCH_STATUSES } from '../words.ts';
import { batchEnd } from './batches.ts';
import { RECORD_KINDS } from './farm-records.ts';

/** How the file is written; without any of it as the interface says: commas, and nothing before the header. */
export const csvForm = z.object({
  bom: z.enum(['0', '1']).optional().describe('1: begins with a byte order mark, as Excel wants it'),
  separator: z
    .enum(['comma', 'semicolon'])
    .optional()
    .describe('semicolon: numbers have a decimal comma, as spreadsheets in Portuguese want it'),
});
export type CsvForm = z.infer<typeof csvForm>;

const days = z.object({
  start_date: dayInput.optional().describe('First day, in the zone of the farm'),
  end_date: dayInput.optional().describe('Last day, itself included'),
});

const inOrder = {
  message: 'must not be before start_date',
  path: ['end_date'],
};
const isInOrder = ({ start_date, end_date }: z.infer<typeof days>): boolean =>
  start_date === undefined || end_date === undefined || start_date <= end_date;

const columns = z
  .enum(['interface', 'all'])
  .optional()
  .describe('all: behind the columns of the interface those that are known besides');

// what is asked of each register; as a workbook it has all that is known
const ofBatch = z.object({ batch_id: idOrNumber });
const ofBatchDays = ofBatch.extend(days.shape);
const ofPondDays = z.object({ pond_id: idOrNumber, ...days.shape });
const ofFarmDays = z.object({ farm_id: idInput, ...days.shape });
const recordsOf = ofFarmDays.extend({ kind: wordOf(RECORD_KINDS).optional() });

export const biometriesExportQuery = csvForm.extend({ ...ofBatch.shape, columns });
export const feedingExportQuery = csvForm.extend(ofBatchDays.shape).refine(isInOrder, inOrder);
export const waterExportQuery = csvForm.extend({ ...ofPondDays.shape, columns }).refine(isInOrder, inOrder);
export const recordsExportQuery = csvForm.extend(recordsOf.shape).refine(isInOrder, inOrder);
export const feedStockExportQuery = csvForm.extend(ofFarmDays.shape).refine(isInOrder, inOrder);
export const lossesExportQuery = csvForm.extend(ofBatchDays.shape).refine(isInOrder, inOrder);

export const biometriesSheetQuery = ofBatch;
export const batchSheetQuery = ofBatchDays.refine(isInOrder, inOrder);
export const waterSheetQuery = ofPondDays.refine(isInOrder, inOrder);
export const recordsSheetQuery = recordsOf.refine(isInOrder, inOrder);
export const feedStockSheetQuery = ofFarmDays.refine(isInOrder, inOrder);

export const farmSheetQuery = days.refine(isInOrder, inOrder);

export const archiveFile = z
  .string()
  .describe('A zip: a CSV file for each register, schema.json with the meaning of each column, README.txt');
export const workbookFile = z
  .string()
  .describe('A workbook (xlsx): numbers are numbers, days and times are those of the farm, text is text');
export const csvFile = z.string().describe('UTF-8, RFC 4180, lines end with CRLF, with a header row');
export const htmlPage = z
  .string()
  .describe('A page to read and to print; nothing in it is loaded from elsewhere');

export const batchSummary = z.object({
  batch_id: z.int(),
  batch_name: z.string(),
  species: z.string(),
  start_date: z.string(),
  end_date: z.string().nullable(),
  status: z.enum(BATCH_STATUSES),
  initial_population: z.int(),
  current_population: z.int().describe('Alive now: of a batch that has ended 0'),
  ...batchEnd,
  survival_rate: z.number(),
  total_feed_kg: z.number(),
  current_biomass_kg: z
    .number()
    .describe(
      'Of the animals alive; of a batch that has ended, in which none are, what it weighed at its end',
    ),
  fcr: z.number().nullable().describe('null: no feed recorded, or no gain'),
  average_weight_g: z.number(),
  days_of_culture: z.int(),
  cost_per_kg: z
    .number()
    .nullable()
    .describe('null: no biomass, no cost was recorded, or your role does not see money'),
  missing_costs: missingFacts.describe('FEED, EXPENSES: what the cost is without'),
});
export type BatchSummary = z.infer<typeof batchSummary>;
