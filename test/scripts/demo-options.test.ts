import { expect, it } from 'vitest';
import { readDemoOptions } from '../../scripts/demo/options.ts';

it.each([
  [['--language', 'es'], {}, 'es'],
  [['--language', 'es-EC'], {}, 'es'],
  [[], { LANG: 'es_PE.UTF-8' }, 'es'],
  [[], { LANG: 'pt_BR.UTF-8' }, 'pt-BR'],
  [[], { LANG: 'C.UTF-8' }, 'en'],
])('the demo speaks the language of who starts it: %j with %j is %s', (args, environment, language) => {
  expect(readDemoOptions(args, environment)).toMatchObject({ language });
});

it('a language that nobody speaks here is refused with those that are spoken', () => {
  expect(readDemoOptions(['--language', 'xx'], {})).toBe('--language must be one of pt-BR, en, es');
});
