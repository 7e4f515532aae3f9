import { describe, expect, test } from 'vitest';
import { noForecastText } from '#science/advice/forecast-text.ts';
import { aerationText, type DawnFacts, dawnForecastText } from '#science/advice/oxygen-advice.ts';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { aeration } = SCIENCE_DEFAULTS;

describe('the evening’s notification', () => {
  const dawn: DawnFacts = {
    pond: 'V-03',
    dawnMgL: 3.34,
    uncertaintyMgL: 0.46,
    dawnTime: '05:30',
    nowMgL: 5.1,
    nowGrade: null,
    warnMgL: 4,
    next: { levelMgL: 4, at: '02:43' },
    outlook: 'WARN',
    aeration: 'OFF',
    measureAgain: 'MIDNIGHT',
    measureAt: '01:15',
  };

  test('tells the dawn, its error and the hour to act before', () => {
    const said = dawnForecastText(dawn, 'pt-BR');
    expect(said).toContain('Viveiro V-03: oxigênio previsto para 05:30: 3,3 ± 0,5 mg/L.');
    expect(said).toContain('4,0 mg/L às 02:43');
    expect(dawnForecastText(dawn, 'en')).toContain('3.3 ± 0.5 mg/L');
  });

  test('a good night asks for no aerators', () => {
    const said = dawnForecastText({ ...dawn, dawnMgL: 4.9, next: null, outlook: 'WELL' }, 'en');
    expect(said).toContain('stays above 4.0 mg/L');
    expect(said).not.toContain('witch');
  });

  // readings of 3.6 and 2.8 at 23:10: people were told to wait until 2.0 at 02:08
  test('below a level already nobody is told to act before it: what to do now comes first', () => {
    const facts: DawnFacts = {
      ...dawn,
      dawnMgL: 1.2,
      nowMgL: 2.8,
      nowGrade: 'HIGH',
      next: { levelMgL: 2, at: '02:08' },
    };
    expect(dawnForecastText(facts, 'pt-BR')).toBe(
      'Viveiro V-03: oxigênio em cerca de 2,8 mg/L, já abaixo de 4,0 mg/L. Ligue todos os aeradores do viveiro agora. Segure esta refeição e meça de novo em 15 minutos; dê-a só acima de 3 mg/L, e só a ração recomendada, que já desconta o oxigênio. Sem isso chega a 2,0 mg/L às 02:08. Oxigênio previsto para 05:30: 1,2 ± 0,5 mg/L.',
    );
    expect(dawnForecastText(facts, 'en')).not.toContain('before');
  });

  test('at the level that kills there is no hour at all, only now', () => {
    const facts: DawnFacts = { ...dawn, dawnMgL: 0.1, nowMgL: 0.4, nowGrade: 'CRITICAL', next: null };
    expect(dawnForecastText(facts, 'pt-BR')).toMatch(
      /^Viveiro V-03: CRÍTICO, oxigênio em cerca de 0,4 mg\/L.* Ligue todos os aeradores do viveiro agora\./,
    );
    expect(dawnForecastText(facts, 'en')).not.toMatch(/ at \d\d:\d\d\. /);
  });

  test('too few readings are told as that: a request with its hour, and what to do where nobody can measure', () => {
    const asked: DawnFacts = { ...dawn, dawnMgL: 4.3, next: null, outlook: 'MEASURE' };
    expect(dawnForecastText(asked, 'pt-BR')).toContain(
      'As leituras são poucas para descartar um amanhecer abaixo de 4,0 mg/L: meça de novo às 01:15. Se ninguém puder medir, deixe os aeradores ligados até uma hora depois do amanhecer.',
    );
    expect(dawnForecastText(asked, 'en')).toContain(
      'too few to rule out a dawn below 4.0 mg/L: measure again at 01:15',
    );
    expect(dawnForecastText(asked, 'en')).not.toContain('stays above');
    expect(dawnForecastText({ ...asked, measureAt: null }, 'en')).toContain('measure again now');
    // expected below, but not sure enough for an alarm: the hour to act before stays known
    const below = dawnForecastText({ ...asked, dawnMgL: 3.7, next: dawn.next }, 'pt-BR');
    expect(below).toContain('ligue os aeradores antes das 02:43 e deixe-os ligados');
  });

  test('a doubt of a probe asks nobody to measure, and is not told to stay above', () => {
    const doubt = dawnForecastText({ ...dawn, dawnMgL: 4.2, next: null, outlook: 'DOUBT' }, 'pt-BR');
    expect(doubt).toContain('Pode ficar abaixo de 4,0 mg/L: a sonda continua medindo');
    expect(doubt).not.toMatch(/Fica acima|meça/);
    const last = dawnForecastText({ ...dawn, dawnMgL: 4.2, next: null, outlook: 'WARN' }, 'en');
    expect(last).toContain('may fall below 4.0 mg/L: switch the aerators on now');
    expect(last).not.toMatch(/ before|stays above/);
  });

  test('aerators that it counts on are named, and so is that nobody knows of them', () => {
    expect(dawnForecastText({ ...dawn, aeration: 'ON' }, 'pt-BR')).toContain(
      'conta com os aeradores que estão ligados: não os desligue',
    );
    expect(dawnForecastText({ ...dawn, aeration: 'UNKNOWN' }, 'en')).toContain('aeration as it was');
    expect(dawnForecastText(dawn, 'en')).not.toContain('aeration');
  });

  test('after midnight nobody is sent to measure at midnight', () => {
    const late = { ...dawn, dawnMgL: 4.9, next: null, outlook: 'WELL', measureAgain: 'BEFORE_DAWN' } as const;
    expect(dawnForecastText(late, 'en')).toContain('measure again an hour before dawn');
  });
});

test('without a forecast a low last reading is what is spoken of', () => {
  expect(noForecastText('NOT_FALLING', { mgL: 1.8, grade: 'CRITICAL' }, 'pt-BR')).toMatch(
    /^CRÍTICO: última leitura 1,8 mg\/L\. Ligue todos os aeradores do viveiro agora\./,
  );
  // what the error of a meter hides is not told to stand as it is
  expect(noForecastText('NOT_FALLING', null, 'pt-BR')).toMatch(/meça de novo/);
  // unknown is not harmless
  expect(noForecastText('NO_READING', null, 'en')).toMatch(/reckon with low oxygen at dawn/);
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
