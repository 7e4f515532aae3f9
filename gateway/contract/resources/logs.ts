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
