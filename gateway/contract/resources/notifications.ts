import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { NOTIFICATION_TYPES } from '../words.ts';

/** Id is derived from the cause and the reader, so that two instances never tell somebody twice. */
export const notification = defineResource({
  name: 'notifications',
  entity: 12,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    user_id: uuid,
    /** Farm it is about; null for account matters. */
    farm_id: uuid.nullable(),
    type: z.enum(NOTIFICATION_TYPES),
    title: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()),
    is_read: z.boolean(),
    read_at: instant.nullable(),
    created_at: instant,
  }),
  groups: { read: { fields: ['is_read', 'read_at'] } },
  parents: { users: 'user_id' },
});
