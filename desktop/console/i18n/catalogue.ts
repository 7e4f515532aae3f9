// The words of the console stand in `words/<language>/`, by area. Portuguese gives the shape; the other languages have the
// same words, or do not compile. Screens ask for `#words/<area>.ts`, which the build leads to the language it builds.

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
