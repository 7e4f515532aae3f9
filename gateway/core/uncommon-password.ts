import { type KnownOfAccount, type PasswordWeakness, weaknessOf } from '#contract/password-rule.ts';
import { invalidField } from './errors.ts';

/** What is said of a password that is guessed first, behind the name of its field. */
export const WEAKNESS_WORDS: Readonly<Record<PasswordWeakness, string>> = {
  COMMON: 'is among the passwords that are guessed first; choose another one',
  NAMES_IT: 'is the e-mail address, or a name of the person, the farm or the product; choose another one',
};

/** Throws 422 at `password` for one that is guessed first. */
export async function requireUncommon(password: string, known: KnownOfAccount): Promise<void> {
  const weakness = await weaknessOf(password, known);
  if (weakness !== null)
    throw invalidField(422, 'password', WEAKNESS_WORDS[weakness], `PASSWORD_${weakness}`);
}
