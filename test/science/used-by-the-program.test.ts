import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// What the science works out is of use to a farm only where the program asks for it.

type Declared = { file: string; name: string; isExported: boolean; text: string };

const DECLARATION =
  /^(?<exported>export )?(?:async )?(?:function\*?|const|let|class|type|interface) (?<name>\w+)/gm;
const filesOf = (pattern: string) => globSync(pattern, { exclude: ['**/dist/**', '**/node_modules/**'] });

function declaredIn(file: string): Declared[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(DECLARATION)];
  return found.map((match, i) => ({
    file,
    name: match.groups?.['name'] ?? '',
    isExported: match.groups?.['exported'] !== undefined,
    text: text.slice(match.index, found[i + 1]?.index),
  }));
}

const wordsIn = (text: string): Set<string> => new Set(text.match(/\w+/g));

/** Exported functions and values of the science that neither the program nor anything it uses of the science names. */
function unusedScience(science: readonly Declared[], program: Iterable<string>): string[] {
  const reached = new Set<string>();
  const waiting = [...new Set([...program].flatMap((text) => [...wordsIn(text)]))];
  const byName = Map.groupBy(science, ({ name }) => name);
  for (let word = waiting.pop(); word !== undefined; word = waiting.pop()) {
    if (reached.has(word)) continue;
    for (const { text } of byName.get(word) ?? []) {
      reached.add(word);
      waiting.push(...wordsIn(text));
    }
  }
  return science
    .filter(
      ({ name, isExported, text }) =>
        isExported && !reached.has(name) && !/^export (type|interface)/.test(text),
    )
    .map(({ file, name }) => `${file}: ${name}`);
}

const SCIENCE = filesOf('gateway/science/**/*.ts').flatMap(declaredIn);
const PROGRAM = [...filesOf('gateway/**/*.ts'), ...filesOf('desktop/**/*.{ts,tsx}')]
  .filter((file) => !file.startsWith('gateway/science/'))
  .map((file) => readFileSync(file, 'utf8'));

test('every function of the science is used by the program, not by tests alone', () => {
  expect(SCIENCE.length).toBeGreaterThan(300);
  expect(unusedScience(SCIENCE, PROGRAM)).toEqual([]);
});

test('one that only its own kind uses is found', () => {
  const text = 'export function lonely() { return helper(); }';
  const lonely = { file: 'x.ts', name: 'lonely', isExported: true, text };
  const helper = { file: 'x.ts', name: 'helper', isExported: true, text: 'export function helper() {}' };
  expect(unusedScience([lonely, helper], PROGRAM)).toEqual(['x.ts: lonely', 'x.ts: helper']);
  expect(unusedScience([lonely, helper], ['lonely()'])).toEqual([]);
});
