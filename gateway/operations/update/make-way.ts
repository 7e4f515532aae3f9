import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { DATABASE_NAME } from '#adapters/backup/database-name.ts';
import { moveAside, timeName } from '#adapters/backup/safe-files.ts';
import { mainOf } from './program-folder.ts';

/** What `update --accepts` ends with for a database that a newer version changed for good. */
export const REFUSED_EXIT = 4;
/** And what a program ends with that does not know the question. */
const UNKNOWN_QUESTION_EXIT = 2;
const ANSWER_WITHIN_MS = 20_000;

/**
 * Asks the program that is to run again whether it can use the database, and puts one that it cannot use aside: its
 * start then takes the snapshot that was made before the change. Without this it would refuse to start for ever, and
 * nobody would look at the schedules. `isKnown`: there was an answer; `aside`: the name of what was put aside.
 */
export async function makeWay(
  data: string,
  program: string,
  now: string,
): Promise<{ isKnown: boolean; aside: string | null }> {
  const database = join(data, DATABASE_NAME);
  const exit = await ask(program, database);
  if (exit === REFUSED_EXIT) {
    const [kept = database] = await moveAside(database, `broken-${timeName(now)}`);
    return { isKnown: true, aside: basename(kept) };
  }
  return { isKnown: exit === 0 || exit === UNKNOWN_QUESTION_EXIT, aside: null };
}

function ask(program: string, database: string): Promise<number | null> {
  const guard = join(program, 'scripts', 'require-node.mjs');
  const command = ['--import', guard, mainOf(program), 'update', '--accepts', database];
  return new Promise((resolve) => {
    execFile(join(program, 'bin', 'node'), command, { timeout: ANSWER_WITHIN_MS }, (error) => {
      if (error === null) resolve(0);
      // a word is of a program that could not be started
      else resolve(typeof error.code === 'number' ? error.code : null);
    });
  });
}
