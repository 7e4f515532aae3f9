import { expect, test } from 'vitest';
import { speciesOf } from '#science/survival.ts';

test.each([
  ['Litopenaeus vannamei', 'vannamei'],
  ['PENAEUS VANNAMEI', 'vannamei'],
  ['White-leg shrimp', 'vannamei'],
  ['Whiteleg', 'vannamei'],
  ['camarão cinza', 'vannamei'],
  ['Camarão-branco do Pacífico', 'vannamei'],
  ['Penaeus monodon', 'monodon'],
  ['Black tiger prawn', 'monodon'],
  ['CAMARÃO TIGRE GIGANTE', 'monodon'],
])('"%s" is %s', (name, species) => {
  expect(speciesOf(name)).toEqual({ species, isKnown: true });
});

test.each(['Farfantepenaeus subtilis', 'camarão rosa', ''])(
  '"%s" is not known and goes by the tables of vannamei',
  (name) => {
    expect(speciesOf(name)).toEqual({ species: 'vannamei', isKnown: false });
  },
);
