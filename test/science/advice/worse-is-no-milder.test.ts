import { describe, expect, test } from 'vitest';
import { ADVICE_STAGES, type AdviceGrade } from '#science/advice/advice-sources.ts';
import { ADVICE, adviceFor, wordsOf } from '#science/advice/advice-table.ts';
import { LANGUAGES, type Language } from '#science/advice/language.ts';

// The dictionary of advice, line against line: what is worse is never told to wait longer, to feed more, or to do less.

const UNITS: Readonly<Record<Language, readonly (readonly [RegExp, number])[]>> = {
  'pt-BR': [
    [/em (\S+) minutos/, 1],
    [/em (\S+) horas/, 60],
    [/em (\S+) dias/, 1440],
  ],
  en: [
    [/in (\S+) minutes/, 1],
    [/in (\S+) hours/, 60],
    [/in (\S+) days/, 1440],
  ],
  es: [
    [/en (\S+) minutos/, 1],
    [/en (\S+) horas/, 60],
    [/en (\S+) días/, 1440],
  ],
};
const SPELLED: Readonly<Record<string, number>> = { two: 2, three: 3, dois: 2, três: 3, dos: 2, tres: 3 };
const TOMORROW = /tomorrow|amanhã|mida de nuevo mañana/i;

/** Minutes until it is to be measured again; none named: whenever. */
function waitsMinutes(words: string, language: Language): number {
  const named = UNITS[language].flatMap(([pattern, minutes]) => {
    const said = pattern.exec(words)?.[1] ?? '';
    const count = SPELLED[said] ?? Number.parseInt(said, 10);
    // "in a few days" is no deadline
    return Number.isNaN(count) ? [] : [count * minutes];
  });
  return Math.min(...named, TOMORROW.test(words) ? 1440 : Number.POSITIVE_INFINITY);
}

/** How little may be fed, by the English words. */
function feedHeld(words: string): number {
  if (/stop feeding|hold the feed/i.test(words)) return 4;
  if (/hold this meal/i.test(words)) return 3;
  if (/only the recommended ration/i.test(words)) return 2;
  return /not raise the ration/i.test(words) ? 1 : 0;
}

/** How much water is renewed, % at once. */
const renewed = (words: string): number =>
  /as much water as you can/.test(words)
    ? 100
    : Math.max(0, ...[...words.matchAll(/(\d+)% of the water/g)].map(([, percent]) => Number(percent)));

const aerates = (words: string): boolean => /aerat|oxygen above 5/i.test(words);

const kindsOf = [...new Set(ADVICE.map(({ parameter, problem }) => `${parameter} ${problem}`))].map((key) => {
  const [parameter, problem] = key.split(' ');
  const found = ADVICE.find((line) => line.parameter === parameter && line.problem === problem);
  if (found === undefined) throw new Error(key);
  return { parameter: found.parameter, problem: found.problem };
});
const GRADES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const satisfies readonly AdviceGrade[];
/** From better to worse, about every bound that a line has; a swing has no value. */
const valuesOf = (problem: string): readonly (number | null)[] => {
  const bounds = ADVICE.flatMap(({ from, below }) => [from ?? [], below ?? []].flat());
  const values = [0, ...bounds.flatMap((at) => [at - 0.01, at]), 1000].toSorted((a, b) => a - b);
  return problem === 'VOLATILE' ? [null] : problem === 'LOW' ? values.toReversed() : values;
};

describe.each(kindsOf)('$parameter $problem', ({ parameter, problem }) => {
  const values = valuesOf(problem);
  /** Every line in turn from the mildest state of the water to the worst; both dimensions rise. */
  const pairs = ADVICE_STAGES.flatMap((stage) =>
    GRADES.flatMap((grade, g) =>
      values.flatMap((value, v) =>
        GRADES.slice(g).flatMap((worseGrade) =>
          values.slice(v).flatMap((worseValue) => {
            const milder = adviceFor({ parameter, problem, stage, grade, value });
            const worse = adviceFor({ parameter, problem, stage, grade: worseGrade, value: worseValue });
            // oxygen alone is graded CRITICAL
            return milder === null || worse === null || milder === worse ? [] : [{ milder, worse }];
          }),
        ),
      ),
    ),
  );
  const different = [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];

  test('the worse is measured no later, fed no more, renewed and aerated no less', () => {
    for (const { milder, worse } of different) {
      const [better, worst] = [wordsOf(milder.words.en), wordsOf(worse.words.en)];
      for (const language of LANGUAGES)
        expect(waitsMinutes(wordsOf(worse.words[language]), language), worst).toBeLessThanOrEqual(
          waitsMinutes(wordsOf(milder.words[language]), language),
        );
      expect(feedHeld(worst), worst).toBeGreaterThanOrEqual(feedHeld(better));
      expect(renewed(worst), worst).toBeGreaterThanOrEqual(renewed(better));
      if (aerates(better)) expect(aerates(worst), worst).toBe(true);
    }
  });
});

test('nitrite and nitrate above what shrimp stand are told more than half of it', () => {
  for (const parameter of ['nitrite', 'nitrate'] as const)
    for (const stage of ['now', 'week'] as const) {
      const said = (grade: AdviceGrade, language: Language) =>
        wordsOf(adviceFor({ parameter, problem: 'HIGH', stage, grade })?.words[language] ?? '');
      for (const language of LANGUAGES) {
        const waits = (grade: AdviceGrade) => waitsMinutes(said(grade, language), language);
        expect(waits('HIGH'), said('HIGH', language)).toBeLessThan(waits('MEDIUM'));
      }
      expect(feedHeld(said('HIGH', 'en'))).toBeGreaterThan(0);
    }
});
