import { expect, test } from 'vitest';
import { ADVICE_STAGES } from '#science/advice/advice-sources.ts';
import { ADVICE, adviceOf } from '#science/advice/advice-table.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import { LANGUAGES } from '#science/advice/language.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { WATER_ALERT_TYPES } from '#science/water-limits.ts';

// A pond without shrimp is measured before it is stocked: nobody feeds there, and the rest of the advice holds.

const FEED = /\braç|refeiç|bandej|\bfeed|\bration|\bmeal|tray|balanceado|comedero/i;
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;

test.each(LANGUAGES)('no advice for an empty pond names feed, and each is a sentence: %s', (language) => {
  const told = ADVICE.map(({ parameter, problem, stage, grades, from, below }) =>
    adviceOf(
      {
        parameter,
        problem,
        stage,
        grade: grades?.[0] ?? null,
        value: from ?? (below === undefined ? null : below - 0.01),
        isPondEmpty: true,
      },
      language,
    ),
  );
  for (const words of told) {
    expect(words).not.toMatch(FEED);
    expect(words).toMatch(/^\p{Lu}.+\.$/u);
    expect(words).not.toMatch(/\[\[|\]\]|#|\s{2}|\s[.,;]|,\s*\./);
  }
  expect(told.length).toBe(ADVICE.length);
  expect(ADVICE_STAGES).toHaveLength(3);
});

test.each(LANGUAGES)('where shrimp live the words have no marks: %s', (language) => {
  for (const type of WATER_ALERT_TYPES)
    for (const severity of SEVERITIES)
      for (const value of [0.1, 1.9, 3, 60])
        expect(
          alertAdvice({ type, severity, value, threshold: 4 }, language, SCIENCE_DEFAULTS.water),
        ).not.toMatch(/[[\]#]/);
});

test('the alarm of deadly oxygen in an empty pond asks for air, not for a fast', () => {
  const water = { ...SCIENCE_DEFAULTS.water, isPondEmpty: true };
  expect(alertAdvice({ type: 'LOW_OXYGEN', severity: 'HIGH', value: 1.5 }, 'en', water)).toBe(
    'Switch on every aerator of the pond now and measure again in 15 minutes; if it does not rise, take in water that holds more oxygen and call for help.',
  );
});

test('a farm that calls oxygen grave at 3.5 mg/L is told to feed above that, and no lower', () => {
  const { alerts } = SCIENCE_DEFAULTS.water;
  const water = {
    ...SCIENCE_DEFAULTS.water,
    alerts: { ...alerts, LOW_OXYGEN: { limit: 4.5, highFrom: 3.5 } },
  };
  const said = (value: number) =>
    alertAdvice({ type: 'LOW_OXYGEN', severity: 'HIGH', value }, 'pt-BR', water);
  expect(said(3.2)).toContain('dê-a só acima de 3,5 mg/L');
  expect(said(1.8)).toContain('até passar de 3,5 mg/L');
});
