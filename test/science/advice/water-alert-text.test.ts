import { describe, expect, test } from 'vitest';
import { waterAlertMessage } from '#science/advice/water-alert-text.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { severityWord } from '#science/severity.ts';
import { parameterOf, type Violation, type WaterAlertType, type WaterSample } from '#science/water-limits.ts';
import { gradedViolations } from '#science/water-status.ts';

const { water } = SCIENCE_DEFAULTS;
const NOTHING: WaterSample = {
  temperature: null,
  dissolved_oxygen: null,
  ph: null,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
};
const aViolation = (type: WaterAlertType, value: number): Violation => ({
  type,
  parameter: parameterOf(type),
  value,
  threshold: water.alerts[type].limit,
  measured: value,
  nh3: null,
});

test('oxygen of 1.8 mg/L is CRITICAL in the message', () => {
  const violation = aViolation('LOW_OXYGEN', 1.8);
  const alert = { pond: 'V-03', violation, word: severityWord(water, violation, 'HIGH') };
  expect(waterAlertMessage(alert, 'pt-BR')).toBe(
    'Oxigênio 1,8 mg/L no viveiro V-03, abaixo de 4,0 mg/L (CRÍTICO)',
  );
  expect(waterAlertMessage(alert, 'en')).toBe('Oxygen 1.8 mg/L in pond V-03, below 4.0 mg/L (CRITICAL)');
});

test.each([
  [3.96, 'Oxygen 3.96 mg/L in pond V-03, below 4.0 mg/L (low)'],
  [3.9999, 'Oxygen 3.9999 mg/L in pond V-03, below 4.0 mg/L (low)'],
  [3.9, 'Oxygen 3.9 mg/L in pond V-03, below 4.0 mg/L (low)'],
])('a value a hair below its limit is not rounded onto it: %d', (value, message) => {
  const alert = { pond: 'V-03', violation: aViolation('LOW_OXYGEN', value), word: 'LOW' as const };
  expect(waterAlertMessage(alert, 'en')).toBe(message);
});

test('a severity in Portuguese is no mean value', () => {
  const alert = { pond: 'V-03', violation: aViolation('LOW_OXYGEN', 3.4), word: 'MEDIUM' as const };
  expect(waterAlertMessage(alert, 'pt-BR')).toContain('abaixo de 4,0 mg/L (moderado)');
});

describe('ammonia', () => {
  const total = { ...water, ammoniaBasis: 'TAN' as const };
  const said = (basis: typeof water | typeof total, measured: Partial<WaterSample>) => {
    const [found] = gradedViolations(basis, { ...NOTHING, ...measured }, null).filter(
      ({ parameter }) => parameter === 'ammonia',
    );
    if (found === undefined) throw new Error('no violation');
    return waterAlertMessage({ pond: 'V-03', violation: found, word: found.severity }, 'pt-BR');
  };

  test('of a total names what was typed and what is poisonous in it', () => {
    expect(said(total, { ammonia: 3, temperature: 30, ph: 8.6, salinity: 20 })).toBe(
      'Amônia 3,00 mg/L TAN = 0,67 mg/L NH₃-N no viveiro V-03, acima de 0,10 mg/L NH₃-N (grave)',
    );
  });

  test('of a total without pH tells the worst and what is missing', () => {
    expect(said(total, { ammonia: 3, temperature: 30, salinity: 20 })).toBe(
      'Amônia 3,00 mg/L TAN = até 2,09 mg/L NH₃-N (pH não medido) no viveiro V-03, acima de 0,10 mg/L NH₃-N (grave)',
    );
  });

  test('typed as un-ionised says so', () => {
    expect(said(water, { ammonia: 0.3 })).toBe(
      'Amônia 0,30 mg/L NH₃-N no viveiro V-03, acima de 0,10 mg/L NH₃-N (moderado)',
    );
  });

  test('typed as un-ionised names the total it belongs to, where the water beside it is known', () => {
    expect(said(water, { ammonia: 0.3, temperature: 30, ph: 8.6, salinity: 20 })).toBe(
      'Amônia 0,30 mg/L NH₃-N = 1,34 mg/L TAN no viveiro V-03, acima de 0,10 mg/L NH₃-N (moderado)',
    );
  });
});

test.each([
  ['nitrite', 0.15, 'Nitrito 0,15 mg/L no viveiro V-03, acima de 0,10 mg/L (leve; salinidade não medida)'],
  ['nitrate', 25, 'Nitrato 25 mg/L no viveiro V-03, acima de 20 mg/L (leve; salinidade não medida)'],
] as const)('%s whose salinity nobody measured says so', (parameter, value, message) => {
  const say = (salinity: number | null) => {
    const [violation] = gradedViolations(water, { ...NOTHING, [parameter]: value, salinity }, null);
    if (violation === undefined) throw new Error('no violation');
    return waterAlertMessage({ pond: 'V-03', violation, word: violation.severity }, 'pt-BR');
  };
  expect(say(null)).toBe(message);
  expect(say(10)).toBe(message.replace('; salinidade não medida', ''));
});

test('pH has no unit', () => {
  const alert = { pond: 'V-03', violation: aViolation('HIGH_PH', 8.8), word: 'LOW' as const };
  expect(waterAlertMessage(alert, 'en')).toBe('pH 8.8 in pond V-03, above 8.5 (low)');
});
