import { type BoxRight, boxRight } from '#contract/resources/box-rights.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { BoxNeed, Caller } from '#core/route.ts';

/** Whether the user has that right over this box. */
export type MayOnBox = (need: BoxNeed, userId: string) => Promise<boolean>;

const REFUSED: Readonly<Record<BoxNeed, string>> = {
  work: 'Only those who have rights over this box, or an administrator, may do this',
  keep: 'Only the owner of this box, whom he made its keeper, and administrators may do this',
  own: 'Only the owner of this box, or an administrator, gives rights over it',
};

/** 403 when the caller does not have that right over this box. */
export async function requireBoxRight(
  mayOnBox: MayOnBox,
  need: BoxNeed,
  { userId }: Pick<Caller, 'userId'>,
): Promise<void> {
  if (await mayOnBox(need, userId)) return;
  throw new AppError(403, REFUSED[need], { code: 'BOX_RIGHT_REQUIRED' });
}

export const BOX_RIGHT = 'box_right:';

export const readBoxRight = (value: string): BoxRight => boxRight.parse(JSON.parse(value));

export const grantBoxRight = (
  userId: string,
  right: BoxRight['right'],
  { by, now }: { by: string | null; now: number },
): Change => {
  const value: BoxRight = { right, granted_by: by, granted_at: isoOf(now) };
  return put(instanceValue, { id: `${BOX_RIGHT}${userId}`, value: JSON.stringify(value) });
};
