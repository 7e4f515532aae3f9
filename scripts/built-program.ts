import { fileURLToPath } from 'node:url';
import { CHILDREN, CHILDREN_FOLDER } from './build-program.mjs';

// Where what `build-program.mjs` made is found. Whoever starts it builds it first: npm's own scripts, the tests' set-up.

export const MAIN_FILE = fileURLToPath(new URL('../gateway/dist/main.js', import.meta.url));

/** The built form of a program that only tests and measurements start; `source` from the root on. */
export function childFile(source: string): string {
  const found = Object.entries(CHILDREN).find(([, file]) => file === source);
  if (found === undefined)
    throw new Error(`${source} is not among what is built (scripts/build-program.mjs)`);
  return fileURLToPath(new URL(`../${CHILDREN_FOLDER}/${found[0]}.js`, import.meta.url));
}
