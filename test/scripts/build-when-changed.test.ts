import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { buildWhenChanged } from '../../scripts/build-when-changed.mjs';
import { builtFiles } from '../../scripts/build-when-changed.mjs';

// A clone with one source, in which a start builds what it needs.

const HERE = join(import.meta.dirname, '..', '..');

async function aClone() {
  const root = mkdtempSync(join(tmpdir(), 'build-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'scripts'));
  const script = join(root, 'scripts', 'build-when-changed.mjs');
  copyFileSync(join(HERE, 'scripts', 'build-when-changed.mjs'), script);
  // the very file, found in another place
  const loaded = (await import(pathToFileURL(script).href)) as { buildWhenChanged: typeof buildWhenChanged };
  const at = (name: string) => join(root, 'out', 'dist', name);
  const clone = {
    root,
    at,
    builds: 0,
    write: (text: string) => writeFileSync(join(root, 'source.ts'), text),
    start: () =>
      loaded.buildWhenChanged({
        out: 'out/dist',
        sources: ['source.ts'],
        build: async (folder, stamp) => {
          clone.builds += 1;
          writeFileSync(join(folder, 'main.js'), readFileSync(join(root, 'source.ts')));
          writeFileSync(join(folder, `part-${stamp.slice(0, 8)}.js`), 'a part');
        },
      }),
    parts: () => readdirSync(join(root, 'out', 'dist')).filter((name) => name.startsWith('part-')),
  };
  clone.write('one');
  await clone.start();
  return clone;
}

test('what did not change is not built again, and the parts of one build back stay for what still runs', async () => {
  const clone = await aClone();
  await clone.start();
  const first = clone.parts();
  clone.write('two');
  await clone.start();
  expect([clone.builds, first.length, clone.parts().length]).toEqual([2, 1, 2]);
  expect(clone.parts()).toEqual(expect.arrayContaining(first));
  clone.write('three');
  await clone.start();
  expect(clone.parts()).not.toEqual(expect.arrayContaining(first));
});

describe('after a power cut the next start builds anew, where it found', () => {
  test.each<[string, (at: (name: string) => string) => void]>([
    ['an empty account', (at) => writeFileSync(at('.built.json'), '')],
    [
      'an account of another kind',
      (at) => writeFileSync(at('.built.json'), '{"stamp":"x","files":["main.js"]}'),
    ],
    ['a good account beside an empty file', (at) => writeFileSync(at('main.js'), '')],
    ['a good account without a file', (at) => rmSync(at('main.js'))],
  ])('%s', async (_what, cut) => {
    const clone = await aClone();
    cut(clone.at);
    await clone.start();
    expect([clone.builds, readFileSync(clone.at('main.js'), 'utf8')]).toEqual([2, 'one']);
  });
});

test('what a build left that was cut off goes; one that is at work goes on', async () => {
  const clone = await aClone();
  // a number that no process has
  const [left, alive] = [4_194_999, process.ppid].map((by) => join(clone.root, 'out', `.dist-${by}-a`));
  for (const folder of [left, alive]) mkdirSync(String(folder));
  clone.write('two');
  await clone.start();
  expect([existsSync(String(left)), existsSync(String(alive))]).toEqual([false, true]);
});

describe('what the program starts by itself', () => {
  let files: string[];
  beforeAll(() => {
    files = builtFiles(join(HERE, 'gateway', 'dist'));
  });

  test.each(['job-child', 'bench-child', 'reader-worker', 'send-worker'])(
    '%s has a name of its own in every build, which those that start it know',
    (part) => {
      const own = files.filter((name) => name.startsWith(`${part}-`));
      expect(own).toEqual([expect.stringMatching(/-[0-9a-f]{8}\.js$/)]);
      const starting = files.filter((name) =>
        readFileSync(join(HERE, 'gateway', 'dist', name), 'utf8').includes(`./${own[0]}`),
      );
      expect(starting.length).toBeGreaterThan(0);
    },
  );
});
