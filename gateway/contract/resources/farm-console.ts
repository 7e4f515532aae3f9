import * as z from 'zod';
import { idInput } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { ALERT_TYPES } from '../words.ts';

/** Places of the wall, counted from the upper left corner: no farm is wider. */
const MOST_PLACES = 100;
const place = z
  .int()
  .min(0)
  .max(MOST_PLACES - 1);
const MOST_PONDS = 1_000;
const LONGEST_RESPONSE = 1_000;

const wallPlace = z.object({
  pond_id: z.uuid(),
  column: place.describe('From the left, beginning with 0'),
  row: place.describe('From above, beginning with 0'),
});
export type WallPlace = z.infer<typeof wallPlace>;

/** What the people of a farm arranged for the screens of all of them. */
export const farmConsole = defineResource({
  name: 'farm_console',
  entity: 26,
  sync: 'editable',
  row: z.object({
    /** Derived from the farm, so that two instances never make two. */
    id: uuid,
    farm_id: uuid,
    /** Where each pond stands on the wall; empty: nobody arranged it. */
    wall: z.array(wallPlace).max(MOST_PONDS),
    /** What to do when an alarm of that type is raised, in the farm's own words; without it, the console's. */
    alarm_responses: z.record(z.string().max(64), z.string().max(LONGEST_RESPONSE)),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { wall: { fields: ['wall'] }, alarm_responses: { fields: ['alarm_responses'] } },
  parents: { farms: 'farm_id' },
  since: 5,
});

/** PUT /farms/{farm_id}/console: what is left out stays. */
export const farmConsoleUpdate = z.object({
  wall: z
    .array(z.object({ pond_id: idInput, column: place, row: place }))
    .max(MOST_PONDS)
    .optional()
    .describe('Every pond that has a place, each place once; replaces what was there'),
  alarm_responses: z
    .partialRecord(z.enum(ALERT_TYPES), z.string().trim().min(1).max(LONGEST_RESPONSE).nullable())
    .optional()
    .describe('By type of alert; types left out stay, null goes back to the text of the console'),
});
export type FarmConsoleUpdate = z.infer<typeof farmConsoleUpdate>;

export const farmConsoleAnswer = z.object({
  farm_id: z.uuid(),
  wall: z.array(wallPlace).describe('Empty: nobody arranged the ponds'),
  alarm_responses: z.record(z.string(), z.string()).describe('By type of alert'),
  updated_at: z.string().nullable(),
});
export type FarmConsoleAnswer = z.infer<typeof farmConsoleAnswer>;
