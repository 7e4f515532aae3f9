import * as z from 'zod';
import { idInput, idOrNumber } from '../fields.ts';

export const IMPORT_KINDS = ['batches', 'biometries', 'feeding', 'measurements'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

const yesOrNo = z.enum(['true', 'false', '1', '0']);

export const importQuery = z.object({
  farm_id: idInput,
  dry_run: yesOrNo
    .default('true')
    .describe('true (as long as nothing else is said): look, and import nothing'),
  decimal: z
    .enum(['comma', 'point'])
    .optional()
    .describe('Decimal mark of the file; needed only where the file itself does not betray it'),
  batch_id: idOrNumber.optional().describe('Batch of all rows, for a file without such a column'),
  pond_id: idOrNumber.optional().describe('Pond of all rows, for a file without such a column'),
});
export type ImportQuery = z.infer<typeof importQuery>;

const rowNote = z.object({
  row: z.int().describe('As a spreadsheet numbers it: the header is row 1'),
  column: z.string().nullable(),
  code: z.string(),
  message: z.string(),
});
export type RowNote = z.infer<typeof rowNote>;

export const importReport = z.object({
  kind: z.enum(IMPORT_KINDS),
  dry_run: z.boolean(),
  rows: z.int().describe('Rows below the header'),
  to_import: z.int().describe('Rows that are new'),
  imported: z.int().describe('Rows that this request has imported'),
  already_there: z.int().describe('Rows that an earlier import of the same content has brought'),
  errors_total: z.int(),
  errors: z.array(rowNote).describe('The first 200'),
  warnings_total: z.int(),
  warnings: z.array(rowNote).describe('What is unlikely, and comes in all the same; the first 200'),
  ignored_columns: z.array(z.string()),
  format: z.object({
    separator: z.enum([',', ';', '\t']),
    decimal: z.enum(['comma', 'point']),
    encoding: z.enum(['utf-8', 'windows-1252', 'utf-16le']),
  }),
});
export type ImportReport = z.infer<typeof importReport>;
