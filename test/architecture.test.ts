import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectsInDecisions } from '#test/decision-rules.ts';
import { hiddenClocksIn, IMPORT_RULES, type SourceFile, violationsIn } from '#test/import-rules.ts';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '..');
const ALIASES = packageJson.imports;

describe('who may import whom', () => {
  const files = sourcesBelow('gateway', 'firmware-sim', 'desktop');

  test('the scan sees the program', () => {
    expect(files.map((file) => file.path)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^gateway\/contract\/.+/)]),
    );
    expect(files.length).toBeGreaterThan(10);
  });

  test('every import keeps to the table', () => {
    expect(violationsIn(files, ALIASES)).toEqual([]);
  });

  test('directly in gateway/ lies only what is started', () => {
    const loose = files.map(({ path: file }) => file).filter((file) => /^gateway\/[^/]+$/.test(file));
    expect(loose.sort()).toEqual(['gateway/bench-tool.ts', 'gateway/launch.ts', 'gateway/main.ts']);
  });

  test('no inner folder reads the clock by itself', () => {
    expect(hiddenClocksIn(files)).toEqual([]);
  });

  test('a library below adapters belongs to one of the declared dependencies', () => {
    const { dependencies, devDependencies } = packageJson;
    const named = IMPORT_RULES.flatMap(({ folder, libraries }) => {
      // what the console is made of is packed into it: the gateway needs none of it to run
      // and the simulator opens pseudo-terminals only where a developer or technician asks for one
      const isAside = folder.startsWith('desktop') || folder === 'firmware-sim';
      const declared = { ...dependencies, ...(isAside ? devDependencies : {}) };
      return libraries.filter((name) => !name.startsWith('node:') && !(name in declared));
    });

    // mqtt-packet comes with aedes and carries its packet types.
    expect(named.filter((name) => name !== 'mqtt-packet')).toEqual([]);
  });
});

/** Effects that may happen again, and why. */
const REPEATABLE_EFFECTS = [
  // ids of a decision that was thrown away are seen by nobody
  'gateway/adapters/payments/sandbox/sandbox-provider.ts randomBytes',
  // a question to the home instance of an account; it changes nothing there
  'gateway/features/people/accounts/log-in.ts hosted.askHome',
  // questions whose answer must be younger than the guard; what is ended twice is ended once (EndedDoubles)
  'gateway/features/people/payments/keep-one.ts provider.knowsCustomer',
  // checks a signature, and asks nobody
  'gateway/features/people/payments/routes.ts provider.readEvent',
  'gateway/features/people/payments/routes.ts provider.subscriptionNow',
];

describe('a decision may be repeated', () => {
  const rule = 'gateway/features/farm/ponds/a.ts';
  const effectsOf = (text: string, other = '') =>
    effectsInDecisions(
      [
        { path: rule, text },
        { path: 'gateway/core/b.ts', text: other },
      ],
      ALIASES,
    );

  test('so nothing in it has an effect but its answer', () => {
    expect(effectsInDecisions(sourcesBelow('gateway'), ALIASES)).toEqual(REPEATABLE_EFFECTS);
  });

  test.each([
    ['a commit', 'perform(deps, null, async () => { await deps.commit(unit); return x; });', 'deps.commit'],
    ['a message', 'perform(deps, null, async () => { deps.changed(farm); return x; });', 'deps.changed'],
    ['a file', 'commitDecided(s, async () => ({ answer: fs.readFileSync(name) }));', 'fs.readFileSync'],
    [
      'a payment',
      'perform(d, null, () => pay(d)); function pay(d) { d.provider.charge(); }',
      'provider.charge',
    ],
    ['a route’s key', 'route({ async handle() { await deps.desk.offer(key); return x; } });', 'desk.offer'],
  ])('%s in a decision is reported', (_what, text, effect) => {
    expect(effectsOf(text)).toEqual([`${rule} ${effect}`]);
  });

  test('an effect is found through the files a decision calls', () => {
    const text = `import { pay } from '#core/b.ts'; perform(deps, null, () => pay(deps));`;
    expect(effectsOf(text, 'export function pay(d) { d.send(); }')).toEqual(['gateway/core/b.ts d.send']);
  });

  test('what a handler does around the decision it carries out is not part of that', () => {
    expect(effectsOf('route({ async handle() { await perform(d, null, () => x); d.send(); } });')).toEqual(
      [],
    );
  });
});

describe('a planted violation is reported', () => {
  test.each([
    [
      'a feature that imports its sibling',
      'gateway/features/farm/ponds/a.ts',
      `import { x } from '#features/farm/farms/b.ts';`,
    ],
    ['a sibling by relative path', 'gateway/features/farm/ponds/a.ts', `import { x } from '../farms/b.ts';`],
    [
      'a sibling’s type',
      'gateway/features/farm/ponds/a.ts',
      `import type { X } from '#features/farm/farms/b.ts';`,
    ],
    [
      'a sibling’s type, inline',
      'gateway/features/farm/ponds/a.ts',
      `type X = import('#features/farm/farms/b.ts').X;`,
    ],
    ['a feature with a driver', 'gateway/features/farm/ponds/a.ts', `import type { Kysely } from 'kysely';`],
    ['a feature with a file system', 'gateway/features/farm/ponds/a.ts', `import fs from 'node:fs';`],
    [
      'a feature with an adapter',
      'gateway/features/farm/ponds/a.ts',
      `export * from '#adapters/sql/commit.ts';`,
    ],
    [
      'time zones outside schedules',
      'gateway/features/farm/ponds/a.ts',
      `import { Temporal } from 'temporal-polyfill';`,
    ],
    ['a contract that knows the core', 'gateway/contract/a.ts', `import '#core/errors.ts';`],
    [
      'a core that knows a feature',
      'gateway/core/a.ts',
      `const x = await import('#features/farm/ponds/a.ts');`,
    ],
    ['a core with schemas of its own', 'gateway/core/a.ts', `import { z } from 'zod';`],
    ['a core with a web server', 'gateway/core/a.ts', `import express from 'express/lib/express.js';`],
    ['a science with anything', 'gateway/science/a.ts', `import { z } from 'zod';`],
    ['a sync with a driver', 'gateway/sync/a.ts', `import pg from 'pg';`],
    ['a computed import', 'gateway/core/a.ts', `export const load = (name: string) => import(name);`],
    ['an old-style import', 'gateway/core/a.ts', `const fs = require('node:fs');`],
    [
      'an adapter with a feature’s code',
      'gateway/adapters/http/a.ts',
      `import { x } from '#features/farm/ponds/a.ts';`,
    ],
    ['an adapter with another’s library', 'gateway/adapters/http/a.ts', `import { Kysely } from 'kysely';`],
    [
      'an adapter with another adapter',
      'gateway/adapters/http/a.ts',
      `import { x } from '#adapters/sql/a.ts';`,
    ],
    ['the simulator with the gateway’s inside', 'firmware-sim/a.ts', `import { x } from '#core/errors.ts';`],
    [
      'an area with the face of one it does not know',
      'gateway/features/farm/ponds/a.ts',
      `import { x } from '#features/control/control-view.ts';`,
    ],
    [
      'a face with a feature',
      'gateway/features/control/a.ts',
      `import { x } from '#features/control/schedules/a.ts';`,
    ],
    ['a core that writes rows', 'gateway/core/a.ts', `import { x } from '#store/commit.ts';`],
    ['a store that knows a feature', 'gateway/store/a.ts', `import { x } from '#features/farm/ponds/a.ts';`],
    ['an operation with the wiring', 'gateway/operations/boot/a.ts', `import { x } from '#app/compose.ts';`],
    ['a wiring with a command line', 'gateway/app/a.ts', `import { x } from '#cli/pair.ts';`],
    ['a file in an unknown folder', 'gateway/misc/a.ts', `export const x = 1;`],
  ])('%s', (_what, file, text) => {
    expect(violationsIn([{ path: file, text }], ALIASES)).toHaveLength(1);
  });

  test('an inner folder that asks the clock', () => {
    const files = ['new Date()', 'Date()'].map((text, i) => ({ path: `gateway/core/${i}.ts`, text }));
    expect(hiddenClocksIn(files)).toEqual(['gateway/core/0.ts', 'gateway/core/1.ts']);
  });
});

describe('what the table allows is not reported', () => {
  test.each([
    ['its own folder', 'gateway/features/farm/ponds/deep/a.ts', `import { x } from '../b.ts';`],
    [
      'the face of an area that it may know',
      'gateway/features/alarms/siren/a.ts',
      `import { x } from '#features/control/control-view.ts';`,
    ],
    [
      'the layers below',
      'gateway/features/farm/ponds/a.ts',
      `import { x } from '#core/a.ts'; import '#contract/b.ts';`,
    ],
    [
      'the names of others in a comment or a text',
      'gateway/core/a.ts',
      `// import 'pg'\nconst x = "import 'pg'";`,
    ],
    [
      'a feature’s types in an adapter',
      'gateway/adapters/http/a.ts',
      `import type { X } from '#features/farm/ponds/a.ts';`,
    ],
    ['the types of the contract’s library', 'gateway/core/a.ts', `import type { z } from 'zod';`],
    [
      'a driver in its adapter',
      'gateway/adapters/sql/queries/farm/ponds.ts',
      `import { Kysely } from 'kysely';`,
    ],
    [
      'everything in compose',
      'gateway/app/compose.ts',
      `import { x } from '#adapters/sql/a.ts'; import '#features/farm/b/c.ts';`,
    ],
    ['the version guard in main', 'gateway/main.ts', `import '../scripts/require-node.mjs';`],
    ['a date made from a text', 'gateway/core/a.ts', `export const at = new Date('2026-01-01');`],
  ])('%s', (_what, file, text) => {
    const files = [{ path: file, text }];
    expect([...violationsIn(files, ALIASES), ...hiddenClocksIn(files)]).toEqual([]);
  });
});

function sourcesBelow(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      fs.globSync(`${folder}/**/*.{ts,tsx,mts,js,mjs}`, {
        cwd: ROOT,
        exclude: ['**/dist/**', '**/.dist-*/**'],
      }),
    )
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({
      path: file.replaceAll(path.sep, '/'),
      text: fs.readFileSync(path.join(ROOT, file), 'utf8'),
    }));
}
