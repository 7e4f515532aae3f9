import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';

/** What a farm has set for itself of the figures of shrimp science; everything else keeps its default. */
export const farmScience = defineResource({
  name: 'farm_science',
  entity: 22,
  sync: 'editable',
  row: z.object({
    /** Derived from the farm, so that two instances never make two. */
    id: uuid,
    farm_id: uuid,
    overrides: z.record(z.string(), z.unknown()),
    updated_by: uuid.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { overrides: { fields: ['overrides', 'updated_by'] } },
  parents: { farms: 'farm_id' },
});

const table = z.record(z.string(), z.unknown());

export const scienceSettingsUpdate = table.describe(
  'Figures by section, as in `constants`; what is left out stays, null goes back to the default, lists are replaced whole',
);

export const scienceSettings = z.object({
  farm_id: z.uuid(),
  constants: table.describe('What holds on this farm'),
  overrides: table.describe('What the farm has set for itself'),
  unread: z
    .array(z.string())
    .describe('What the farm has set under names that this version does not know, and which change nothing'),
  defaults: table,
  rules: z
    .array(
      z.object({
        path: z.string().describe('`[]` stands for each line of a list'),
        unit: z.string().optional(),
        min: z.number().optional(),
        max: z.number().optional(),
        words: z.array(z.string()).optional(),
      }),
    )
    .describe('Unit and range of every figure'),
  updated_at: z.string().nullable(),
  updated_by: z.uuid().nullable(),
});
export type ScienceSettingsAnswer = z.infer<typeof scienceSettings>;
