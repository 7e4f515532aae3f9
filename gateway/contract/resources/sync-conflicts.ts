import * as z from 'zod';
import { idInput, pageQuery } from '../fields.ts';
import { instant } from '../resource.ts';
import { CONFLICT_RULES, CONFLICT_STATES } from './sync-tables.ts';

// Edits that lost against a concurrent one on the other side: GET /sync/conflicts.

const version = z.object({
  values: z
    .record(z.string(), z.unknown())
    .describe('Field names and values; empty: this side says that the row is deleted'),
  by: z.uuid().nullable().describe('null: not known, or the system'),
  by_name: z.string().nullable(),
  at: instant.describe('When it was said, by the clock of the side where it was'),
});

export const syncConflictAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid().nullable(),
  state: z
    .enum(CONFLICT_STATES)
    .describe('superseded: it was changed again since; nothing is left to decide'),
  rule: z.enum(CONFLICT_RULES),
  rule_text: z.string().describe('The rule in words, in the language of the request'),
  table: z.string(),
  row_id: z.string(),
  row_name: z.string().nullable().describe('What people know the row by'),
  fields: z.array(z.string()),
  kept: version.describe('What stands'),
  dropped: version.describe('What lost'),
  is_restorable: z.boolean(),
  found_at: instant,
  settled_at: instant.nullable(),
  settled_by: z.uuid().nullable(),
});
export type SyncConflictAnswer = z.infer<typeof syncConflictAnswer>;

export const syncConflictQuery = pageQuery.extend({
  farm_id: idInput.optional(),
  state: z.enum(CONFLICT_STATES).optional(),
});
