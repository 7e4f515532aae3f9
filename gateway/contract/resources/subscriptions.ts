import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { PLANS } from '../words.ts';

export const subscription = defineResource({
  name: 'subscriptions',
  entity: 13,
  sync: 'editable',
  row: z.object({
    id: uuid,
    user_id: uuid,
    plan: z.enum(PLANS),
    status: z.enum(['ACTIVE', 'PAST_DUE', 'CANCELED', 'TRIALING']),
    currency: z.enum(['USD', 'BRL']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { plan: { fields: ['plan', 'status', 'currency'], owner: 'hosted' } },
  parents: { users: 'user_id' },
});
