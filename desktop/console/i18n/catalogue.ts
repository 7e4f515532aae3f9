// The words of the console stand in `words/<language>/`, by area. Portuguese gives the shape; the other languages have the
// same words, or do not compile. Screens ask for `#words/<area>.ts`, which the build leads to the language it builds.

import type { DecimalSign } from '../state/typed-value.ts';

/** What is to be known of a language beside its words; its folder is called by its tag. */
export type Language = {
  tag: string;
  /** In the language itself. */
  name: string;
  /** The country whose forms figures, days and money have. */
  formats: string;
  decimalSign: DecimalSign;
  /** In which its readers count their money, until a station is told otherwise. */
  currency: 'BRL' | 'USD';
  /** The interface's own sentences are in it: what has none here is told in those. */
  isOfInterface: boolean;
  /** The guide its readers are led to, by folder. */
  guide: 'en' | 'pt-br' | 'es';
};

/** The shape of the source's words: other texts, the same keys and the same arguments. */
type Spoken<Words> = {
  [Key in keyof Words]: Words[Key] extends string
    ? string
    : Words[Key] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Spoken<Words[Key]>;
};

/** Words in the language they are written in first. */
export const source =
  <const Words>(words: Words): (() => Spoken<Words>) =>
  () =>
    words as Spoken<Words>;

/** The same words in another language. */
export const translation =
  <Source extends () => unknown>(words: ReturnType<Source>) =>
  (): ReturnType<Source> =>
    words;
