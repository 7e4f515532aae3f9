import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Settings, settings } from './messages.ts';

/** Settings of this station. A file that cannot be read is put aside, and the person chooses anew. */
export function keptSettings(folder: string) {
  const file = path.join(folder, 'settings.json');
  let known = read(file);
  return {
    get: (): Settings => known,
    set(part: Partial<Settings>): void {
      known = { ...known, ...part };
      const text = JSON.stringify(known, null, 2);
      // whole or not at all: this station may lose power, too
      const handle = openSync(`${file}.new`, 'w', 0o600);
      writeSync(handle, text);
      fsyncSync(handle);
      closeSync(handle);
      renameSync(`${file}.new`, file);
    },
  };
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
