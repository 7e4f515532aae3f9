import * as z from 'zod';
import { SESSION_NETWORKS } from './local-tables.ts';

export const sessionAnswer = z.object({
  id: z.uuid(),
  created_at: z.string(),
  last_used_at: z.string().describe('To about an hour'),
  browser: z.string().nullable().describe('Browser or program, by what it says of itself; null: it does not'),
  system: z.string().nullable().describe('Operating system, by what it says of itself; null: it does not'),
  network: z
    .enum(SESSION_NETWORKS)
    .nullable()
    .describe('farm: from the own network of the farm; outside: from another; null: not known'),
  address: z.string().describe('Network address of the last use'),
  is_current: z.boolean().describe('The session of this very request'),
});
export type SessionAnswer = z.infer<typeof sessionAnswer>;

/** DELETE /auth/sessions and /auth/sessions/{id} */
export const sessionEnd = z.object({
  current_password: z
    .string()
    .max(1_000)
    .optional()
    .describe('The present password; not needed within ten minutes of a login'),
});

export const sessionsEnded = z.object({
  ended: z.int().describe('Sessions of the list that were ended; older logins that are not listed end, too'),
});
