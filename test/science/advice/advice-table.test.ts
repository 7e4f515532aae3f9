import { describe, expect, test } from 'vitest';
import { ALERT_TYPES, SEVERITIES } from '#contract/words.ts';
import { ADVICE_SOURCES } from '#science/advice/advice-sources.ts';
import { ADVICE, wordsOf } from '#science/advice/advice-table.ts';
import { adviceForWord, alertAdvice } from '#science/advice/alert-advice.ts';
import { alkalinityDose } from '#science/advice/alkalinity-dose.ts';
import { LANGUAGES, type Language } from '#science/advice/language.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { water } = SCIENCE_DEFAULTS;

describe.each(ALERT_TYPES)('%s', (type) => {
  test('says what to do at every severity and of any value, in every language', () => {
    for (const language of LANGUAGES) {
      for (const severity of [...SEVERITIES, null]) {
        for (const value of [null, 0, 1.8, 3.9, 49, 51, 500])
          expect(alertAdvice({ type, severity, value }, language, water)).toMatch(/^\p{Lu}.*\.$/u);
      }
      expect(adviceForWord({ type, severity: null, value: null }, language, water)).toBe(
        alertAdvice({ type, severity: null, value: null }, language, water),
      );
    }
  });
});

test('a word of a newer program has no advice rather than a wrong one', () => {
  expect(adviceForWord({ type: 'SOMETHING_NEW', severity: null, value: null }, 'en', water)).toBeNull();
});

test('what is to be done now names no hour of the day: it may be past', () => {
  for (const { stage, words } of ADVICE.filter(({ stage }) => stage === 'now'))
    for (const language of LANGUAGES)
      expect(words[language], stage).not.toMatch(/\d\d:\d\d|midday|meio-dia|at noon/);
});

test('low alkalinity is told one dose: the alarm’s by 1,000 m³ is the trend’s for the whole pond', () => {
  for (const value of [10, 30, 49, 51, 62, 70, 79.5]) {
    const alarm = { type: 'LOW_ALKALINITY', severity: 'LOW', value, threshold: 80 } as const;
    const told = (language: Language, volumeM3: number | null) =>
      alkalinityDose({ value, limit: 80, volumeM3 }, language) ?? '';
    const amounts = (dose: string) => [...dose.matchAll(/([\d.]+) kg/g)].map(([, kg]) => Number(kg));
    const perThousand = amounts(told('en', null));
    for (const [n, whole] of amounts(told('en', 7500)).entries())
      expect(Math.abs(whole - 7.5 * (perThousand[n] ?? 0))).toBeLessThan(1);
    for (const language of LANGUAGES)
      expect(alertAdvice(alarm, language, water)).toContain(`${told(language, null)}, `);
    expect(adviceForWord({ ...alarm }, 'en', water)).toBe(alertAdvice(alarm, 'en', water));
    // whoever does not tell the limit is told by the usual one
    expect(alertAdvice({ ...alarm, threshold: null }, 'en', water)).toBe(alertAdvice(alarm, 'en', water));
  }
});

describe('low oxygen cannot wait for the night', () => {
  const said = (severity: 'LOW' | 'HIGH', value: number) =>
    alertAdvice({ type: 'LOW_OXYGEN', severity, value }, 'en', water);
  test('every grade begins with the aerators, now', () => {
    for (const text of [said('LOW', 3.9), said('HIGH', 3), said('HIGH', 1.8)])
      expect(text).toMatch(/^Switch on every aerator of the pond now/);
  });

  test('from 3 mg/L down the meal is held, from 2 down feed is stopped, as the ration is; above, it has allowed for it', () => {
    expect(said('LOW', 3.9)).toContain('only the recommended ration');
    expect(said('LOW', 3.9)).not.toContain('stop feeding');
    expect(said('HIGH', 3)).toContain('Hold this meal');
    expect(said('HIGH', 3)).toContain('only the recommended ration, which allows for the oxygen');
    expect(said('HIGH', 3)).not.toContain('stop feeding');
    expect(said('HIGH', 1.8)).toContain('stop feeding until it is above 3 mg/L');
  });

  test('the words of what kills follow the farm’s own level; while that is not known, grave oxygen may kill', () => {
    const of = (value: number, own: { criticalOxygenMgL: number } | null) =>
      alertAdvice({ type: 'LOW_OXYGEN', severity: 'HIGH', value }, 'en', own);
    expect(of(2.4, { criticalOxygenMgL: 2.5 })).toBe(said('HIGH', 1.8));
    expect(of(2.4, water)).not.toBe(said('HIGH', 1.8));
    expect(of(2.4, null)).toBe(said('HIGH', 1.8));
  });

  test('the next measurement is never later where it is worse', () => {
    const minutes = (text: string) => Number(/in (\d+) minutes/.exec(text)?.[1]);
    expect([said('LOW', 3.9), said('HIGH', 3), said('HIGH', 1.8)].map(minutes)).toEqual([30, 15, 15]);
  });
});

test('no line of the table is without a source, none is shadowed by another, and each speaks every language', () => {
  const seen = new Set<string>();
  for (const { parameter, problem, stage, grades, from, below, words, sources } of ADVICE) {
    expect(sources.length, words.en).toBeGreaterThan(0);
    for (const source of sources) expect(ADVICE_SOURCES).toHaveProperty(source);
    const key = JSON.stringify([parameter, problem, stage, grades, from, below]);
    expect(seen.has(key), key).toBe(false);
    seen.add(key);
    for (const language of LANGUAGES) expect(wordsOf(words[language])).toMatch(/^\p{Lu}.*\.$/u);
  }
});

describe('what is far from harm is not told as harm, and what kills is told as that', () => {
  const hours = (text: string) => Number(/in (\d+) (?:hours)/.exec(text)?.[1]);

  test('ammonia: the next measurement comes sooner the worse it is, and from the level that kills feed is held', () => {
    const said = (value: number, severity: 'LOW' | 'MEDIUM' | 'HIGH') =>
      alertAdvice({ type: 'HIGH_AMMONIA', severity, value }, 'en', water);
    const texts = [
      said(0.15, 'LOW'),
      said(0.3, 'MEDIUM'),
      said(0.5, 'HIGH'),
      said(1.2, 'HIGH'),
      said(8, 'HIGH'),
    ];
    expect(texts.map(hours)).toEqual([24, 24, 12, 3, 3]);
    expect(texts.map((text) => text.includes('Hold the feed'))).toEqual([false, false, false, true, true]);
    // nobody knows how much: no line is passed over
    expect(alertAdvice({ type: 'HIGH_AMMONIA', severity: null, value: null }, 'en', water)).toBe(texts[3]);
  });

  test('nitrite and nitrate far below what harms at their salinity ask for no water; nearer, or unknown, they do', () => {
    for (const type of ['HIGH_NITRITE', 'HIGH_NITRATE'] as const) {
      const said = (severity: 'LOW' | 'MEDIUM' | 'HIGH' | null) =>
        alertAdvice({ type, severity, value: null }, 'en', water);
      expect(said('LOW')).not.toMatch(/renew/i);
      for (const severity of ['MEDIUM', 'HIGH', null] as const) expect(said(severity)).toMatch(/renew 10%/i);
    }
  });

  test('what nitrite harms at 2 ppt is told as both of its sources have it, in every language', () => {
    const lines = ADVICE.filter(({ parameter }) => parameter === 'nitrite');
    for (const { sources } of lines)
      expect(sources).toEqual(expect.arrayContaining(['LOW_SALT_2016', 'BGU_2004']));
    const far = lines.filter(({ grades }) => grades?.includes('LOW'));
    expect(far.length).toBeGreaterThan(0);
    for (const { words } of far)
      for (const language of LANGUAGES) expect(words[language]).toMatch(/0[.,]45 (?:or|ou|o) 0[.,]62 mg\/L/);
  });

  test('water of 26 ppt, where shrimp spend least, is never told to dilute', () => {
    const line = ADVICE.find(({ parameter, problem }) => parameter === 'salinity' && problem === 'HIGH');
    expect(line?.words.en).toMatch(/^Up to about 35 ppt shrimp live well.*do not dilute/);
  });
});
