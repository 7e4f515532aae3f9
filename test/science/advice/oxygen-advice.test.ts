import { describe, expect, test } from 'vitest';
import { aerationText, dawnForecastText } from '#science/advice/oxygen-advice.ts';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { aeration } = SCIENCE_DEFAULTS;

describe('the evening’s notification', () => {
  const dawn = { pond: 'V-03', dawnMgL: 3.34, uncertaintyMgL: 0.46, dawnTime: '05:30', levelMgL: 4 };

  test('tells the dawn, its error and the hour to act before', () => {
    const said = dawnForecastText({ ...dawn, reachesLevelAt: '02:43' }, 'pt-BR');
    expect(said).toContain('Viveiro V-03: oxigênio previsto para 05:30: 3,3 ± 0,5 mg/L.');
    expect(said).toContain('4,0 mg/L às 02:43');
    expect(dawnForecastText({ ...dawn, reachesLevelAt: '02:43' }, 'en')).toContain('3.3 ± 0.5 mg/L');
  });

  test('a good night asks for no aerators', () => {
    const said = dawnForecastText({ ...dawn, dawnMgL: 4.9, reachesLevelAt: null }, 'en');
    expect(said).toContain('stays above 4.0 mg/L');
    expect(said).not.toContain('switch');
  });
});

describe('aerators too few for the shrimp', () => {
  const of = (biomassKg: number, language: 'pt-BR' | 'en') =>
    aerationText(
      {
        pond: 'V-03',
        biomassKg,
        sizing: aerationSizing(aeration, { biomassKg, powerKw: 7.457, areaM2: 5000 }),
      },
      language,
    );

  test('are told with the power that is missing, rounded up to half a horsepower', () => {
    expect(of(6000, 'pt-BR')).toBe(
      'Viveiro V-03: 6.000 kg para 10,0 cv de aeração; acrescente 2,0 cv nesta semana ou despesque uma parte.',
    );
    expect(of(7100, 'en')).toBe(
      'Pond V-03: 7,100 kg on 10.0 hp of aeration; add 4.5 hp before tonight or harvest a part.',
    );
    expect(of(5001, 'en')).toContain('add 0.5 hp this week');
  });

  test('enough is not mentioned', () => {
    expect(of(4900, 'en')).toBeNull();
  });
});
