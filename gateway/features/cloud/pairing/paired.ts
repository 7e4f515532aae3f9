import * as z from 'zod';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';

// What a gateway knows of its pairing. It lies in the database, the key does not: a backup restored on other hardware
// knows to whom it belongs, and is let in only after somebody pairs it again.

const paired = z.object({
  state: z.enum(['paired', 'revoked', 'fenced']),
  hosted_url: z.string(),
  /** Ed25519 of the hosted instance, raw, base64url. */
  hosted_key: z.string(),
  owner_id: z.string(),
  owner_name: z.string(),
  instance_name: z.string(),
  paired_at: z.string(),
  /** Account on this gateway that began the ceremony; null: the command line. */
  started_by: z.string().nullable(),
  /** Why it is let in no longer. */
  detail: z.string().nullable(),
});
export type Paired = z.infer<typeof paired>;

export const PAIRED = 'pairing';

export const readPaired = (value: string | null): Paired | null =>
  value === null ? null : paired.parse(JSON.parse(value));

export const savePaired = (row: Paired): Change =>
  put(instanceValue, { id: PAIRED, value: JSON.stringify(row) });
