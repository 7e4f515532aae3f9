import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { LOG_ENTITY_TYPES, ORIGINS } from '../words.ts';

/** Audit: append-only. */
export const logEntry = defineResource({
  name: 'logs',
  entity: 11,
  sync: 'fact',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid.nullable(),
    entity_type: z.enum(LOG_ENTITY_TYPES),
    entity_id: uuid,
    entity_name: z.string(),
    action: z.string(),
    user_id: uuid.nullable(),
    origin: z.enum(ORIGINS).nullable(),
    /** What changed and why, in the words of the action. */
    details: z.record(z.string(), z.unknown()).nullable(),
    timestamp: instant,
    clock_quality: z.enum(['trusted', 'estimated']),
  }),
});

export const logAnswer = z.object({
  id: z.uuid(),
  entity_type: z.enum(LOG_ENTITY_TYPES),
  entity_id: z.uuid(),
  entity_name: z.string(),
  action: z.string(),
  user_id: z.uuid().nullable().describe('null: the system acted'),
  timestamp: z.string(),
  origin: z.enum(ORIGINS).nullable(),
  details: z.record(z.string(), z.unknown()).nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
});
export type LogAnswer = z.infer<typeof logAnswer>;

/** GET /logs/measurements/{measurement_id} */
export const recordLogAnswer = logAnswer.extend({
  user_name: z.string().nullable().describe('null: the system, or somebody who is not known here'),
});
export type RecordLogAnswer = z.infer<typeof recordLogAnswer>;
