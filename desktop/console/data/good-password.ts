import { type KnownOfAccount, weaknessOf } from '#contract/password-rule.ts';
import { ApiError } from './api.ts';

/**
 * Throws what a refusal of the interface would say, for a password that is guessed first. The interface takes it where
 * other programs make accounts, so that it is told here, before anything is sent.
 */
export async function requireGoodPassword(password: string, known: KnownOfAccount): Promise<void> {
  const weakness = await weaknessOf(password, known);
  if (weakness !== null) throw new ApiError(422, { code: `PASSWORD_${weakness}` });
}
