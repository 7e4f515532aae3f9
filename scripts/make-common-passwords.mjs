// Writes the passwords that people guess first, from the dictionary of @zxcvbn-ts/language-common (MIT), as far as the
// product would take them: `node scripts/make-common-passwords.mjs`. The list travels with program and console; the
// library does not.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dictionary } from '@zxcvbn-ts/language-common';

const SHORTEST = 8;

/** Sorted, so that it is packed well on its way to a browser. Those with quotes or backslashes are a handful. */
export const commonPasswords = () =>
  dictionary['passwords-common']
    .filter((text) => text.length >= SHORTEST && /^[\x21-\x7e]+$/.test(text) && !/['"`\\]/.test(text))
    .map((text) => text.toLowerCase())
    .toSorted();

/** It travels with the words, into the bundle of the console, too. */
const licence = () =>
  readFileSync(new URL('../LICENSE.txt', import.meta.resolve('@zxcvbn-ts/language-common')), 'utf8').trim();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    new URL('../gateway/contract/common-passwords.ts', import.meta.url),
    `// Made by scripts/make-common-passwords.mjs, for password-rule.ts alone.

/*! Words of @zxcvbn-ts/language-common

${licence()}
*/

/** Lower case, each with a space before and behind it. */
export const COMMON_PASSWORDS =
  ' ${commonPasswords().join(' ')} ';
`,
  );
}
