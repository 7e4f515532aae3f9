import { expect, test } from 'vitest';
import { plausibilityText } from '#science/advice/plausibility-text.ts';
import { IMPLAUSIBLE_KINDS, type Implausibility } from '#science/plausibility.ts';

const odd = (kind: Implausibility['kind'], value: number, saturationPercent: number | null = null) => ({
  kind,
  parameter: 'dissolved_oxygen' as const,
  value,
  saturationPercent,
  missing: ['salinity' as const],
  tanMgL: 20.4,
});

test('a total typed as NH₃ is asked back with the total that it would need', () => {
  expect(plausibilityText(odd('AMMONIA_BASIS_DOUBTFUL', 1.2), 'pt-BR')).toContain(
    'Amônia de 1,20 mg/L como NH₃-N pediria cerca de 20 mg/L de amônia total (TAN): o kit mede amônia total?',
  );
});

test('oxygen entered as per cent of saturation is guessed', () => {
  expect(plausibilityText(odd('OXYGEN_ABOVE_ANY_POND', 98), 'pt-BR')).toBe(
    'Oxigênio de 98,0 mg/L não existe em viveiro: veja se o valor é em % de saturação e calibre a sonda.',
  );
});

test('oversaturation is told in per cent', () => {
  expect(plausibilityText(odd('OXYGEN_OVERSATURATED', 23.5, 311.2), 'en')).toBe(
    'Oxygen of 23.5 mg/L is 311% of saturation: clean and calibrate the probe and measure again.',
  );
});

test('oxygen that only some water holds asks for what was not measured', () => {
  expect(plausibilityText(odd('OXYGEN_DOUBTFUL', 20.5), 'en')).toBe(
    'Oxygen of 20.5 mg/L occurs in cold or hardly salty water only, and the salinity is missing: measure it too, see whether the value is % of saturation and calibrate the probe.',
  );
});

test.each(IMPLAUSIBLE_KINDS)('%s names the value and a check in both languages', (kind) => {
  expect(plausibilityText(odd(kind, 61.5, 300), 'pt-BR')).toMatch(/61,5.*: .+\.$/);
  expect(plausibilityText(odd(kind, 61.5, 300), 'en')).toMatch(/61\.5.*: .+\.$/);
});
