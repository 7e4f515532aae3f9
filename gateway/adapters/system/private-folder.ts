import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What group and others may do. */
const OTHERS = 0o077;

/**
 * From here on this process and those it starts make files that nobody else may read, whatever umask it was started with.
 * Once, before anything is written; a thread cannot.
 */
export function makePrivateFiles(): void {
  process.umask(OTHERS);
}

/**
 * The data folder, and all that lies in it, for its owner alone: database, keys, backups and uploads hold passwords and
 * what signs tokens. A folder that somebody else made, or files copied in by hand, are closed. Links are not followed.
 *
 * @returns what could not be closed: another's file, or a disk that knows no rights
 */
export function closeFolder(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const open = [folder];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) open.push(join(entry.parentPath, entry.name));
  }
  return open.filter((path) => !close(path));
}

function close(path: string): boolean {
  try {
    const { mode } = statSync(path);
    // a program of an update stays one that runs
    if ((mode & OTHERS) !== 0) chmodSync(path, mode & 0o700);
    return true;
  } catch (error) {
    // gone in between: the log of a database, an unfinished file
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
