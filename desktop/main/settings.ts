import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Settings, settings } from './messages.ts';

export type KeptSettings = { get(): Settings; set(part: Partial<Settings>): void };

/**
 * Settings of this station. A file that cannot be read is put aside, and the person chooses anew. What cannot be written
 * is told, and holds until the program ends: the watch goes on.
 */
export function keptSettings(folder: string, failed: (error: unknown) => void): KeptSettings {
  const file = path.join(folder, 'settings.json');
  let known = read(file);
  return {
    get: () => known,
    set(part) {
      known = { ...known, ...part };
      try {
        write(file, JSON.stringify(known, null, 2));
      } catch (error) {
        failed(error);
      }
    },
  };
}

/** Whole or not at all: this station may lose power, too. */
function write(file: string, text: string): void {
  const handle = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${file}.new`, file);
}

function read(file: string): Settings {
  try {
    return settings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    try {
      renameSync(file, `${file}.broken`);
    } catch {
      // there was none
    }
    return settings.parse({});
  }
}
