import { readFile } from 'node:fs/promises';

/** A small file of the kernel without the end of its line; null: there is none, or it may not be read. */
export const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
