import * as z from 'zod';
import { idInput } from '../fields.ts';

/** What somebody has over a box, as it is stored. */
export const boxRight = z.object({
  right: z.enum(['owner', 'keep']),
  granted_by: z.string().nullable(),
  granted_at: z.string(),
});
export type BoxRight = z.infer<typeof boxRight>;

/** POST /system/rights */
export const boxRightInput = z
  .object({
    user_id: idInput.optional(),
    email: z.string().trim().max(254).optional(),
    right: z
      .string()
      .trim()
      .toLowerCase()
      .pipe(z.enum(['keep', 'owner']))
      .default('keep')
      .describe('keep: may keep the box, too; owner: the box is passed on'),
    current_password: z.string().max(1_000).optional().describe('Needed to pass the box on'),
  })
  .refine(({ user_id, email }) => (user_id === undefined) !== (email === undefined), {
    message: 'say either user_id or email',
    path: ['user_id'],
  });

export const boxRightAnswer = z.object({
  user_id: z.uuid(),
  name: z.string(),
  email: z.string(),
  right: z.enum(['owner', 'keep']),
  granted_by: z.uuid().nullable(),
  granted_at: z.string(),
});
export type BoxRightAnswer = z.infer<typeof boxRightAnswer>;
