import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN_FILE } from '../../scripts/built-program.ts';

/** The files that a start loads before any line of the program runs, and the packages that they name. */
function loadedAtStart() {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const open = [MAIN_FILE];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    const code = readFileSync(file, 'utf8');
    files.set(file, code);
    for (const [, wanted = ''] of code.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";$/gm)) {
      if (wanted.startsWith('.')) open.push(join(dirname(file), wanted));
      else if (!wanted.startsWith('node:')) packages.add(wanted);
    }
  }
  return { files, packages };
}

describe('the built program, as a start loads it', () => {
  const { files, packages } = loadedAtStart();
  const ofNode = new Set(process.getBuiltinModule('module').builtinModules);

  it('names no package but those with native code: what is pure is part of it', () => {
    const named = [...packages].filter((name) => !ofNode.has(name)).toSorted();
    expect(named).toEqual(['argon2', 'better-sqlite3']);
  });

  it('has no package that tells of its packets to whoever sets DEBUG', () => {
    for (const [file, code] of files)
      expect([file, /process\.env\.DEBUG\b/.exec(code)?.[0]]).toEqual([file, undefined]);
  });

  it('is a few dozen files', () => {
    expect(files.size).toBeLessThan(90);
  });

  it('has no letter beyond ASCII, which would be decoded at each start and kept twice as large', () => {
    for (const [file, code] of files) expect([file, /[^\0-\x7f]/.exec(code)?.[0]]).toEqual([file, undefined]);
  });

  it('does not load the client for HTTP that Node brings: nothing asks Node for all that "node:http" has', () => {
    for (const [file, code] of files)
      expect([file, /from "(?:node:)?(?:http|tls)"/.exec(code)?.[0]]).toEqual([file, undefined]);
  });
});
