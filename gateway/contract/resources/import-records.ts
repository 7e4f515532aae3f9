import * as z from 'zod';
import { idInput } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { IMPORT_KINDS } from './imports.ts';

// What an instance remembers of the files that were imported on it; it never leaves it.

export const IMPORT_STATES = [
  'CHECKING',
  'IMPORTING',
  'DONE',
  'CANCELLED',
  'FAILED',
  'UNDOING',
  'UNDONE',
] as const;

/** One file that was imported: who, when, what, and how far it came. */
export const importRecord = defineResource({
  name: 'imports',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    kind: z.enum(IMPORT_KINDS),
    /** As whoever sent it calls it; null: that was not said. */
    file_name: z.string().nullable(),
    sheet: z.string().nullable(),
    state: z.enum(IMPORT_STATES),
    /** Steps of what is under way. */
    rows_total: z.int(),
    rows_done: z.int(),
    imported: z.int(),
    /** Of an undo: rows that went, and rows that stayed because somebody changed them or built on them. */
    undone: z.int(),
    kept: z.int(),
    /** Why it failed. */
    fault_code: z.string().nullable(),
    fault: z.string().nullable(),
    /** The first batches that its rows are of. */
    batch_codes: z.array(z.string()),
    created_by: uuid,
    created_at: instant,
    /** Last sign of life of the process that works on it. */
    touched_at: instant,
    ended_at: instant.nullable(),
    cancel_asked_at: instant.nullable(),
    undone_by: uuid.nullable(),
    undone_at: instant.nullable(),
  }),
});

/** The rows that one commit of an import made; id is `<import>:<number>`. After an undo: those that went with it. */
export const importChunk = defineResource({
  name: 'import_chunks',
  sync: 'local',
  row: z.object({
    id: z.string(),
    import_id: uuid,
    row_ids: z.array(z.string()),
    is_undone: z.boolean(),
  }),
});

/** How somebody said that sheets with these headings are read; id follows from farm, kind and headings. */
export const importLayout = defineResource({
  name: 'import_layouts',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    columns: z.string().nullable(),
    decimal_mark: z.enum(['comma', 'point']).nullable(),
    date_order: z.enum(['day_first', 'month_first']).nullable(),
    used_at: instant,
  }),
});

export const importParams = z.object({ import_id: idInput });
export const importsQuery = z.object({ farm_id: idInput });

export const importRecordAnswer = z.object({
  id: z.string(),
  farm_id: z.string(),
  kind: z.enum(IMPORT_KINDS),
  file_name: z.string().nullable(),
  sheet: z.string().nullable(),
  state: z
    .enum([...IMPORT_STATES, 'INTERRUPTED'])
    .describe('INTERRUPTED: what was under way has shown no sign of life for a minute; it can be undone'),
  rows_total: z.int().describe('Steps of what is under way; 0: not known yet'),
  rows_done: z.int(),
  imported: z.int(),
  undone: z.int().describe('Rows that the undo took away'),
  kept: z.int().describe('Rows that stayed: somebody changed them since, or batches have other records'),
  fault_code: z.string().nullable(),
  fault: z.string().nullable(),
  batch_codes: z.array(z.string()).describe('The first batches that its rows are of'),
  created_by: z.string(),
  created_at: z.string(),
  ended_at: z.string().nullable(),
  undone_by: z.string().nullable(),
  undone_at: z.string().nullable(),
  can_undo_until: z.string().nullable().describe('null: it cannot be undone, or was'),
});
export type ImportRecordAnswer = z.infer<typeof importRecordAnswer>;
