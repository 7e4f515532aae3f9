// Which passwords are guessed first. One rule for program and console; the list is loaded when it is first asked.

export type PasswordWeakness = 'COMMON' | 'NAMES_IT';

/** What a guesser knows of an account: its address, its person, its farms. */
export type KnownOfAccount = { email?: string | undefined; names?: readonly string[] };

const PRODUCT = ['camarao', 'shrimp', 'shrimp farm', 'shrimp farm gateway', 'fazenda de camarao'];
/** Of fewer different signs it is a pattern: aaaaaaaa, 12121212. */
const LEAST_SIGNS = 3;

/** Why a password is guessed first; null: nothing speaks against it. Length is another rule. */
export async function weaknessOf(password: string, known: KnownOfAccount): Promise<PasswordWeakness | null> {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const word = lettersOf(plain);
  const email = known.email ?? '';
  const names = [email, email.split('@', 1)[0] ?? '', ...(known.names ?? []), ...PRODUCT].map(lettersOf);
  if (word !== '' && names.some((name) => name !== '' && isNameAgain(word, name))) return 'NAMES_IT';
  if (new Set(plain).size < LEAST_SIGNS) return 'COMMON';
  if (/\s/.test(plain)) return null;
  const { COMMON_PASSWORDS } = await import('./common-passwords.ts');
  return COMMON_PASSWORDS.includes(` ${plain} `) ? 'COMMON' : null;
}

/** The name itself, or nothing but the name again and again. */
const isNameAgain = (word: string, name: string): boolean =>
  word.length % name.length === 0 && name.repeat(word.length / name.length) === word;

/** Without accents, spaces and signs: Fazenda São José is fazendasaojose. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
