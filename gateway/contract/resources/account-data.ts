import * as z from 'zod';
import { flagInQuery } from '../fields.ts';

/** DELETE /users/me */
export const accountDelete = z.object({
  password: z.string().max(1_000).describe('The present password').meta({ format: 'password' }),
});

export const accountDeleteQuery = z.object({
  force: flagInQuery
    .optional()
    .describe('Delete the farms the caller owns, too; without it they refuse (409)'),
});

/** GET /users/me/export: the account, and one list of rows per section. */
export const accountExport = z
  .object({ exported_at: z.string(), account: z.record(z.string(), z.unknown()) })
  .catchall(z.array(z.record(z.string(), z.unknown())));
