import * as z from 'zod';
import { fileName, flagInQuery, idInput, idOrNumber, numberInQuery } from '../fields.ts';

export const IMPORT_KINDS = ['batches', 'biometries', 'feeding', 'measurements', 'meters'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Loggers whose files are known by their shape. */
export const LOGGERS = ['HOBO', 'YSI KorEXO', 'YSI ProDSS', 'Hanna', 'miniDOT', 'In-Situ', 'Atlas'] as const;

export const importQuery = z.object({
  farm_id: idInput,
  dry_run: flagInQuery
    .default(true)
    .describe('true (as long as nothing else is said): look, and import nothing'),
  background: flagInQuery
    .default(false)
    .describe('true: answer 202 with a record to follow (GET /imports/{import_id}) and go on beside it'),
  file_name: fileName.optional().describe('How the file is called where it comes from'),
  decimal: z
    .enum(['comma', 'point'])
    .optional()
    .describe('Decimal mark of the file; needed only where the file itself does not betray it'),
  date_order: z
    .enum(['day_first', 'month_first'])
    .optional()
    .describe('How dates such as 01/02/2026 are meant; needed only where no date of the column tells'),
  skip: z
    .string()
    .max(4_000)
    .regex(/^\d{1,7}(-\d{1,7})?(,\d{1,7}(-\d{1,7})?)*$/, 'must be rows such as 4,17,20-25')
    .optional()
    .describe('Rows to leave out, as the report numbers them: 4,17,20-25'),
  columns: z
    .string()
    .max(4_000)
    .regex(
      /^\d{1,4}=(-|\w+(@[^;]{1,40})?)(;\d{1,4}=(-|\w+(@[^;]{1,40})?))*$/,
      'must be such as 3=salinity@ppt;5=-',
    )
    .optional()
    .describe('What columns are, counted from 1, where the heading does not tell: 3=salinity@ppt;5=-'),
  sheet: z
    .string()
    .max(100)
    .optional()
    .describe('Sheet of a workbook; the one that names most columns unless said'),
  salinity: numberInQuery(z.number().min(0).max(40))
    .optional()
    .describe('ppt of rows without one, where oxygen in % of saturation is converted to mg/L'),
  cost_per_kg: numberInQuery(z.number().min(0).max(1e6))
    .optional()
    .describe('Price of feed of rows without one; 0 where it was free'),
  feed_type: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Feed of all rows, for a file without such a column'),
  species: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Species of all batches, for a file without such a column'),
  initial_avg_weight: numberInQuery(z.number().positive().max(1_000))
    .optional()
    .describe('Weight in g at which all batches were stocked, for a file without such a column'),
  sample_size: numberInQuery(z.number().int().min(1).max(100_000))
    .optional()
    .describe('Animals in each sample, for a file without such a column'),
  meter: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Electricity meter of all rows, for a file without such a column'),
  batch_id: idOrNumber.optional().describe('Batch of all rows, for a file without such a column'),
  pond_id: idOrNumber.optional().describe('Pond of all rows, for a file without such a column'),
});
export type ImportQuery = z.infer<typeof importQuery>;

const rowNote = z.object({
  row: z.int().describe('As a spreadsheet numbers it: the first is row 1'),
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
  skipped: z.int().describe('Rows left out because the caller named them'),
  left_out: z
    .int()
    .describe('Rows that are no records: totals, the example of the template, rows without any value'),
  notes_total: z.int(),
  notes: z.array(rowNote).describe('What was read in another way than it stands, or left out; the first 200'),
  questions: z
    .array(
      z.object({
        code: z.string(),
        column: z.string(),
        message: z.string(),
        proposed: z.string().describe('How it was read'),
        answer_with: z.string().describe('The query that answers it; until then nothing is imported'),
      }),
    )
    .describe('What the file does not tell'),
  ignored_columns: z.array(z.string()),
  format: z.object({
    separator: z.enum([',', ';', '\t', '|']).nullable().describe('null: a workbook'),
    decimal: z.enum(['comma', 'point']),
    encoding: z
      .enum(['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'macintosh', 'ibm850'])
      .nullable()
      .describe('null: a workbook'),
  }),
  reading: z
    .object({
      file: z.enum(['csv', 'xlsx', 'xls', 'ods']),
      sheet: z.string().nullable(),
      logger: z.enum(LOGGERS).nullable(),
      header_row: z.int(),
      date_order: z.enum(['day_first', 'month_first']).nullable().describe('null: its dates need none'),
      utc_offset_minutes: z
        .int()
        .nullable()
        .describe('Of its times, as a heading says; null: the clock of the farm'),
      columns: z.array(
        z.object({
          column: z.string(),
          heading: z.string(),
          position: z.int().describe('Counted from 1'),
          unit: z.string().nullable(),
          decimal: z.enum(['comma', 'point']).nullable(),
          time: z.string().nullable().describe('Of a column per hour'),
        }),
      ),
      preview: z
        .array(
          z.object({
            row: z.int(),
            before: z.record(z.string(), z.string()),
            after: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
          }),
        )
        .describe('The first five rows that can be read, before and after'),
    })
    .describe('How the file was read'),
});
export type ImportReport = z.infer<typeof importReport>;

export const lookQuery = importQuery.pick({ farm_id: true, columns: true, sheet: true }).extend({
  kind: z.enum(IMPORT_KINDS).optional().describe('What the rows are; proposed from the headings unless said'),
});

export const importLook = z.object({
  file: z.enum(['csv', 'xlsx', 'xls', 'ods']),
  sheets: z.array(
    z.object({
      name: z.string().nullable().describe('null: a file of text'),
      kind: z.enum(IMPORT_KINDS).nullable().describe('What its headings name; null: they do not tell'),
    }),
  ),
  sheet: z.string().nullable().describe('The one that was looked at'),
  kind: z.enum(IMPORT_KINDS).nullable().describe('As asked, or proposed; null: say it'),
  header_row: z.int().nullable(),
  columns: z.array(
    z.object({
      position: z.int().describe('Counted from 1'),
      heading: z.string(),
      column: z.string().nullable().describe('null: it is not read'),
      unit: z.string().nullable(),
      time: z.string().nullable().describe('Of a column per hour'),
      examples: z.array(z.string()).describe('The first cells that are not empty'),
    }),
  ),
  missing: z
    .array(z.string())
    .describe('Columns that every row needs and none is; some can be said for all rows'),
  twice: z.array(z.string()).describe('Columns that several headings name: leave all but one out'),
  remembered: z
    .object({
      columns: z.string().nullable(),
      decimal: z.enum(['comma', 'point']).nullable(),
      date_order: z.enum(['day_first', 'month_first']).nullable(),
    })
    .nullable()
    .describe(
      'How sheets with these headings were last imported here, to be sent again; null: as they are read',
    ),
  fields: z
    .array(
      z.object({
        column: z.string(),
        is_needed: z.boolean(),
        units: z.array(z.string()).describe('The first is the one it is stored in'),
      }),
    )
    .describe('What a column can be'),
});
export type ImportLook = z.infer<typeof importLook>;
