import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ADVICE_SOURCES } from '#science/advice/advice-sources.ts';
import { BLIND_SOURCES } from '#science/feeding-ration.ts';
import { AERATION_AND_MONEY_SOURCES } from './published/aeration-and-money.ts';
import { FEED_SOURCES } from './published/feed.ts';
import { GROWTH_SOURCES } from './published/growth.ts';
import { type Figure, roundingOf, type Source, shareApart } from './published/source.ts';
import { TRIAL_SOURCES } from './published/trials.ts';
import { WATER_SOURCES } from './published/water.ts';

// The index of what was published and what the program makes of it: each figure within 2 % or the rounding in print, or
// with the reason why not. A source that the science names and this index does not is found.

const SOURCES: readonly Source[] = [
  ...WATER_SOURCES,
  ...GROWTH_SOURCES,
  ...FEED_SOURCES,
  ...AERATION_AND_MONEY_SOURCES,
  ...TRIAL_SOURCES,
];
const MOST_APART = 0.02;

describe.each(SOURCES)('$name', ({ name, cited, figures, tested = [] }) => {
  test.each(figures)('$of: $published', (figure) => {
    const share = shareApart(figure);
    expect(share).toBeLessThanOrEqual(figure.apart?.by ?? figure.to ?? MOST_APART);
    // a reason that excuses nothing any more is told
    if (figure.apart !== undefined) expect(share).toBeGreaterThan(MOST_APART);
  });

  test('has figures or a test that exists', () => {
    expect(figures.length + tested.length, name).toBeGreaterThan(0);
    for (const { file, says } of tested) expect(readFileSync(file, 'utf8')).toContain(says);
  });

  test('is named where it says so', () => {
    const unnamed = cited.filter(
      (words) => !NAMED.some((text) => text.includes(words)) && !Object.hasOwn(ADVICE_SOURCES, words),
    );
    expect(unnamed).toEqual([]);
  });
});

/** Comments and the texts that tell sources, each on one line. */
const SCIENCE = globSync('gateway/science/**/*.ts').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?<!:)\/\/.*/g;
const oneLine = (comment: string) =>
  comment
    .replace(/^\s*\*\/?|\/\*\*|\*\/|\/\//gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const COMMENTS = SCIENCE.flatMap(({ text }) => [...text.matchAll(COMMENT)].map(([found]) => oneLine(found)));
const NAMED = [
  ...COMMENTS,
  ...Object.values(ADVICE_SOURCES),
  ...Object.values(BLIND_SOURCES),
  ...SCIENCE.map(({ text }) => text),
];

/** Names with a year, and capital letters within a sentence: people, places, houses. */
const YEARED = /\p{Lu}[\p{L}’]+(?: (?:&|et al\.?|and|\p{Lu}[\p{L}’]+),?)* \(?(?:19|20)\d\d\b/gu;
const PROPER = /(?<=[^.:;\s@`{?] \(?|\(|[,&] )\p{Lu}\p{Ll}{2,}/gu;
const INITIALS = /(?<![\p{L}_])\p{Lu}{3,}(?![\p{L}_])/gu;

/** What a capital letter begins that is no source. */
const NO_SOURCE =
  /^(May 2025|CAMARÃO|TIGRE|FEED|EXCELLENT|Brazilian|Portuguese|English|May|Nov|Astronomical|Algorithms|Bio|NBS|UTC|ISO|TAN|FCA|ADG|BRL|USD|NFD|YYYY|HIGH|LOW|MEDIUM|CRITICAL|OFF|SET|LOSS|GOOD|ACCEPTABLE|POOR|STEADY|MONITOR|CONTINUE|UNKNOWN|SILENT|NORMAL|WARNING|VOLATILE|STABLE|EMERGENCY|MIDNIGHT|TREATMENT|PELLET|STARTER|CRUMBLE|WARN|MEASURE)$/;

function uncited(sentence: string): string[] {
  const cited = SOURCES.flatMap((source) => source.cited);
  const words = [YEARED, PROPER, INITIALS].flatMap((pattern) => sentence.match(pattern) ?? []);
  return words.filter(
    (word) => !NO_SOURCE.test(word) && !cited.some((each) => sentence.includes(each) && each.includes(word)),
  );
}

describe('what the science names', () => {
  test('every source of a piece of advice is in the index', () => {
    const cited = new Set(SOURCES.flatMap((source) => source.cited));
    expect(Object.keys(ADVICE_SOURCES).filter((key) => !cited.has(key))).toEqual([]);
  });

  test('every chart is in the index', () => {
    const cited = SOURCES.flatMap((source) => source.cited);
    expect(
      Object.values(BLIND_SOURCES).filter((text) => !cited.some((words) => text.includes(words))),
    ).toEqual([]);
  });

  test('every name and year in its comments is in the index', () => {
    expect(COMMENTS.length).toBeGreaterThan(200);
    expect(COMMENTS.flatMap((comment) => uncited(comment).map((word) => `${word}: ${comment}`))).toEqual([]);
  });

  test.each([
    ['a person with a year', 'as Smith & Jones (2031) found in tanks'],
    ['a place', 'calibrated on ponds of Honduras'],
    ['a house', 'the table of the USDA'],
  ])('%s that nobody put there is found', (_what, comment) => {
    expect(uncited(comment)).not.toEqual([]);
  });
});

test.each([
  ['within the rounding in print', { published: '0.59', ours: 0.5949 }, 0],
  ['beyond it', { published: '0.50', ours: 0.525 }, 0.04],
  ['between least and most', { published: ['1', '2'], ours: 1.5 }, 0],
  ['below the least', { published: ['10', '15'], ours: 9 }, 0.1],
  ['within what conditions in print allow', { published: '1.20', ours: [1.1, 1.3] }, 0],
  ['below all that they allow', { published: '1.00', ours: [1.105, 1.3] }, 0.1],
] as const)('a figure %s', (_what, figure, share) => {
  const whole: Figure = { of: '', ...figure };
  expect(shareApart(whole)).toBeCloseTo(share, 7);
  expect(roundingOf('7')).toBe(0.5);
});
