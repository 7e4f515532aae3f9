import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ADVICE_SOURCES } from '#science/advice/advice-sources.ts';
import { ADVICE, wordsOf } from '#science/advice/advice-table.ts';
import { advicePage } from '../../scripts/advice-page.ts';

const narrow = (page: string): string => page.replaceAll(/ *\| */g, '|').replaceAll(/-{3,}/g, '---');

it.each([
  ['en', 'docs/en/advice.md'],
  ['pt-BR', 'docs/pt-br/advice.md'],
  ['es', 'docs/es/advice.md'],
] as const)('the page of advice in %s is what the table says', (language, file) => {
  const page = readFileSync(file, 'utf8');
  // made anew with node scripts/advice-page.ts; the formatter aligns the columns
  expect(narrow(page)).toBe(narrow(advicePage(language)));
  for (const { words } of ADVICE)
    expect(page).toContain(
      wordsOf(words[language])
        .split(/\{\w+\}/)
        .at(-1),
    );
});

it('every source that stands on the page is one that some advice rests on', () => {
  const used = new Set(ADVICE.flatMap(({ sources }) => sources));
  expect(Object.keys(ADVICE_SOURCES).filter((id) => !used.has(id as keyof typeof ADVICE_SOURCES))).toEqual(
    [],
  );
});
