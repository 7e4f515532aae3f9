import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { paletteWords as english } from '../../desktop/console/words/en/palette.ts';
import { paletteWords as spanish } from '../../desktop/console/words/es/palette.ts';
import { paletteWords as portuguese } from '../../desktop/console/words/pt-BR/palette.ts';
import { guidePages } from '../../scripts/guide/pages.mjs';

const linesWith = (words: RegExp, files: readonly string[]): string[] =>
  files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => words.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );

describe('the console and the guide', () => {
  it.each([
    ['en', english],
    ['pt-br', portuguese],
    ['es', spanish],
  ] as const)('call every page by the same title, in %s', (folder, words) => {
    const documents = [...guidePages('.').keys()].filter(
      (document) => path.dirname(document) === `docs/${folder}` && !document.endsWith('README.md'),
    );
    expect(documents.length).toBeGreaterThan(15);
    const titles = documents.map((document) => [
      path.basename(document, '.md'),
      readFileSync(document, 'utf8').split('\n')[0]?.slice('# '.length),
    ]);
    expect(words().guidePages).toEqual(Object.fromEntries(titles));
  });

  it('have one word for each thing in Spanish: camaronera, piscina, panel, balanceado, llave de acceso', () => {
    const others =
      /(?<!\p{L})(?:fincas?|granjas?|estanques?|consolas?|alimentos?|claves? de acceso)(?!\p{L})/iu;
    const files = globSync(['desktop/console/words/es/*.ts', 'docs/es/*.md']);
    expect(files.length).toBeGreaterThan(60);
    expect(linesWith(others, files)).toEqual([]);
    // what the gateway itself says of its screens; heads of old tables may call things as they like
    const said = globSync('gateway/{features,core,app}/**/*.ts').filter(
      (file) => !file.includes('/imports/'),
    );
    expect(said.length).toBeGreaterThan(400);
    expect(linesWith(/(?<!\p{L})(?:fincas?|granjas?|estanques?|consolas?)(?!\p{L})/iu, said)).toEqual([]);
  });

  it('call the screens “painel” in Portuguese, wherever the console speaks of itself', () => {
    const files = globSync('desktop/console/words/pt-BR/*.ts').filter((file) => !file.endsWith('palette.ts'));
    expect(files.length).toBeGreaterThan(30);
    expect(linesWith(/(?<!\p{L})(?:[Oo]|[Nn]o|[Dd]o|[Aa]o) console(?!\p{L})/u, files)).toEqual([]);
  });
});
