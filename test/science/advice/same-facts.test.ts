import { describe, expect, test } from 'vitest';
import { FEEDING_WORDS } from '#science/advice/feeding-words.ts';
import { GROWTH_WORDS } from '#science/advice/growth-words.ts';
import { LANGUAGES, type Language } from '#science/advice/language.ts';

// A sentence that leaves a figure out in one language would send a farm to the pond with half of what is known.

/** Stands for each figure or name that a sentence is given: `<weight>`, `<0>`. */
const given = (at: number) =>
  new Proxy(
    {},
    {
      get: (_, name) => (name === Symbol.toPrimitive ? () => `<${at}>` : `<${String(name)}>`),
    },
  );

type Words = Readonly<Record<string, unknown>>;

/** Each sentence of a table with the facts that stand in it. */
function factsOf(words: Words, path = ''): [string, string[]][] {
  return Object.entries(words).flatMap(([name, said]): [string, string[]][] => {
    const at = `${path}${name}`;
    if (typeof said === 'object' && said !== null) return factsOf({ ...said }, `${at}.`);
    const text = typeof said === 'function' ? String(said(...[0, 1, 2, 3].map(given))) : String(said);
    return [[at, [...new Set(text.match(/<\w+>/g))].sort()]];
  });
}

const TABLES: readonly [string, Readonly<Record<Language, object>>][] = [
  ['growth', GROWTH_WORDS],
  ['feeding', FEEDING_WORDS],
];

describe.each(TABLES)('the sentences of %s advice', (_, table) => {
  test('tell the same facts in each language', () => {
    const told = factsOf({ ...table['pt-BR'] });
    expect(told.some(([, facts]) => facts.length >= 3)).toBe(true);
    for (const language of LANGUAGES)
      expect([language, factsOf({ ...table[language] })]).toEqual([language, told]);
  });

  test('are others in each language', () => {
    const sentences = LANGUAGES.map((language) => JSON.stringify(Object.values(table[language]).map(String)));
    expect(new Set(sentences).size).toBe(LANGUAGES.length);
  });
});
