import { chmodSync, copyFileSync, lutimesSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type TreeFile = { path: string; mode: number; from: string | Buffer };

/** Lays files out, with nothing in them that depends on who does it and when. */
export function writeTree(folder: string, files: readonly TreeFile[], at: Date): void {
  for (const { path, mode, from } of files) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    if (typeof from === 'string') copyFileSync(from, to);
    else writeFileSync(to, from);
    chmodSync(to, mode);
  }
  settle(folder, at);
}

function settle(folder: string, at: Date): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path, at);
    else lutimesSync(path, at, at);
  }
  lutimesSync(folder, at, at);
}
