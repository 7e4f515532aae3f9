import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alkalinityDose } from '#science/advice/alkalinity-dose.ts';
import { LANGUAGES } from '#science/advice/language.ts';
import { type WaterTrendFacts, waterTrendAdvice } from '#science/advice/water-advice.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { trendOf } from '#science/parameter-trend.ts';
import { optimalRange, WATER_PARAMETERS, type WaterParameter } from '#science/water-limits.ts';

const { trends, water } = SCIENCE_DEFAULTS;

function factsOf(
  parameter: WaterParameter,
  averages: readonly number[],
  more: Partial<WaterTrendFacts> = {},
) {
  const days = averages.map((average, day) => ({ day, average }));
  return {
    pond: 'V-03',
    parameter,
    periodDays: 30,
    trend: trendOf(trends, parameter, days),
    latest: averages.at(-1) ?? null,
    lowest: null,
    highest: null,
    range: optimalRange(water, parameter),
    volumeM3: null,
    beyondNow: null,
    ...more,
  };
}

describe('oxygen that falls by 0.4 mg/L a week', () => {
  // 22 days from 6.0 to 4.8: another 0.8 to the limit takes 14 days
  const averages = Array.from({ length: 22 }, (_, day) => 6 - (0.4 / 7) * day);
  const facts = factsOf('dissolved_oxygen', averages, {
    lowest: { value: 3.2, localDate: '2026-03-18', localTime: '05:10' },
  });

  test('is told with pond, pace, worst hour, arrival and next step', () => {
    expect(waterTrendAdvice(facts, 'pt-BR')).toEqual([
      'Viveiro V-03: o oxigênio cai 0,40 mg/L por semana e está em 4,8 mg/L.',
      'Mínimo do período: 3,2 mg/L em 18/03, às 05:10.',
      'Nesse ritmo chega a 4,0 mg/L em 14 dias.',
      'Deixe todos os aeradores ligados das 22:00 às 06:00, meça às 05:00 por três dias e, se o mínimo não subir, corte 30% da refeição da noite e renove 10% da água.',
    ]);
  });

  test('in English too', () => {
    expect(waterTrendAdvice(facts, 'en').slice(0, 3)).toEqual([
      'Pond V-03: oxygen falls by 0.40 mg/L a week and stands at 4.8 mg/L.',
      'Lowest of the period: 3.2 mg/L on 18 Mar at 05:10.',
      'At this pace it reaches 4.0 mg/L in 14 days.',
    ]);
  });
});

test('oxygen that rises, away from its limit, asks for nothing', () => {
  const rising = Array.from({ length: 14 }, (_, day) => 4.6 + 0.1 * day);
  expect(waterTrendAdvice(factsOf('dissolved_oxygen', rising), 'en')).toEqual([
    'Pond V-03: oxygen rises by 0.70 mg/L a week and stands at 5.9 mg/L.',
  ]);
});

test('quiet water in its range is one sentence', () => {
  expect(waterTrendAdvice(factsOf('ph', [8, 8, 8, 8, 8, 8]), 'pt-BR')).toEqual([
    'Viveiro V-03: o pH sem tendência em 30 dias, agora em 8,0.',
  ]);
});

test('a night below the limit counts although the averages are good', () => {
  const said = waterTrendAdvice(
    factsOf('dissolved_oxygen', [5.5, 5.4, 5.6, 5.5], {
      lowest: { value: 3.6, localDate: '2026-11-02', localTime: '04:50' },
    }),
    'en',
  );
  expect(said[1]).toBe('Lowest of the period: 3.6 mg/L on 2 Nov at 04:50.');
  expect(said.at(-1)).toContain('Run all aerators from 22:00 to 06:00');
});

test('restless oxygen is told by how much it swings', () => {
  const said = waterTrendAdvice(
    factsOf('dissolved_oxygen', [4.5, 8, 4.6, 8.2, 4.4, 7.9, 4.7, 8, 4.6]),
    'pt-BR',
  );
  expect(said[0]).toMatch(/^Viveiro V-03: o oxigênio oscila \d,\d\d mg\/L de um dia para o outro, sem rumo/);
  expect(said[1]).toContain('floração densa');
});

test('nothing measured asks for a measurement', () => {
  expect(waterTrendAdvice(factsOf('nitrite', []), 'pt-BR')).toEqual([
    'Viveiro V-03: nenhuma medição em 30 dias. Nitrito: meça amanhã às 05:00 e às 15:00.',
  ]);
});

test('oxygen at 1.8 mg/L now says what to do now, before any trend', () => {
  const said = waterTrendAdvice(
    factsOf('dissolved_oxygen', [5, 4.8, 4.6, 4.5], {
      beyondNow: {
        compared: 1.8,
        limit: 4,
        grade: 'CRITICAL',
        side: 'LOW',
        localTime: '22:40',
        reading: '1,8 mg/L',
      },
    }),
    'pt-BR',
  );
  expect(said[0]).toMatch(
    /^CRÍTICO, viveiro V-03: o oxigênio em 1,8 mg\/L às 22:40\. Ligue todos os aeradores do viveiro agora\./,
  );
});

describe('alkalinity of a pond of 7,500 m³', () => {
  const factsAt = (value: number, volumeM3: number | null = 7500) =>
    factsOf('alkalinity', [value, value, value], { volumeM3 });

  // 18 mg/L × 7,500 m³ × 1.679 g of bicarbonate per g of CaCO3; lime would not dissolve (Boyd; Sá, UFC)
  test('from 50 mg/L on is lifted with bicarbonate, weighed out', () => {
    expect(waterTrendAdvice(factsAt(62), 'pt-BR').at(-1)).toBe(
      'Aplique 227 kg de bicarbonato de sódio, de manhã e em duas vezes, e meça de novo amanhã: não se sobe mais de 30 mg/L por dia. Calcário não dissolve acima de cerca de 50 mg/L.',
    );
    expect(waterTrendAdvice(factsAt(62, null), 'en').at(-1)).toContain(
      'Apply 30.2 kg per 1,000 m³ of sodium bicarbonate',
    );
  });

  test('of unknown volume is dosed per 1,000 m³ in the words of each language', () => {
    expect(waterTrendAdvice(factsAt(62, null), 'es').at(-1)).toContain('Aplique 30,2 kg por 1.000 m³ de');
  });

  // 20 mg/L × 7,500 m³ of lime, which dissolves to 50 mg/L, and 10 mg/L of bicarbonate: 30 mg/L in all
  test('below 50 mg/L lime comes first, bicarbonate makes up the rest of the day’s dose, and both sources are named', () => {
    expect(waterTrendAdvice(factsAt(30), 'en').at(-1)).toMatch(
      /^Apply 150 kg of lime and 126 kg of sodium bicarbonate,.*\(Boyd\).*\(Sá\)/,
    );
    expect(waterTrendAdvice(factsAt(10), 'es').at(-1)).toMatch(/^Aplique 225 kg de cal, /);
    // lime of 1 mg/L is not worth a second product
    expect(waterTrendAdvice(factsAt(49), 'en').at(-1)).toMatch(/^Apply 378 kg of sodium bicarbonate, /);
  });

  test('that is lower is never lifted less, and never by more than 30 mg/L a day, whatever the limit and the volume', () => {
    const value = fc.double({ min: 0, max: 200, noNaN: true });
    const limit = fc.double({ min: 20, max: 200, noNaN: true });
    const volumeM3 = fc.option(fc.double({ min: 100, max: 50_000, noNaN: true }));
    fc.assert(
      fc.property(value, value, limit, volumeM3, (one, other, atLeast, volume) => {
        const liftOf = (alkalinity: number) => {
          const dose = alkalinityDose({ value: alkalinity, limit: atLeast, volumeM3: volume }, 'en') ?? '';
          const kg = (product: string) => {
            const told = new RegExp(`([\\d.,]+) kg(?: per 1,000 m³)? of ${product}`).exec(dose)?.[1] ?? '0';
            return Number(told.replaceAll(',', ''));
          };
          return ((kg('lime') + kg('sodium bicarbonate') / 1.679) * 1000) / (volume ?? 1000);
        };
        const worse = liftOf(Math.min(one, other));
        // kilograms of two products are told whole, or to the tenth
        const rounded = volume === null ? 0.1 : 1000 / volume;
        expect(worse).toBeGreaterThanOrEqual(liftOf(Math.max(one, other)) - rounded);
        expect(worse).toBeLessThanOrEqual(30 + rounded);
      }),
    );
  });

  test('at its limit asks for nothing', () => {
    expect(alkalinityDose({ value: 80, limit: 80, volumeM3: 7500 }, 'en')).toBeNull();
  });
});

test('every parameter beyond its range gets a step to take in both languages', () => {
  const beyond: [WaterParameter, number][] = [
    ['temperature', 24],
    ['temperature', 34],
    ['dissolved_oxygen', 3],
    ['ph', 7],
    ['ph', 9],
    ['salinity', 5],
    ['salinity', 40],
    ['alkalinity', 50],
    ['alkalinity', 200],
    ['ammonia', 0.5],
    ['nitrite', 2],
    ['nitrate', 50],
    ['transparency', 20],
    ['transparency', 60],
  ];
  for (const [parameter, value] of beyond) {
    for (const language of LANGUAGES) {
      const said = waterTrendAdvice(factsOf(parameter, [value, value, value]), language);
      expect(said, `${parameter} ${value}`).toHaveLength(2);
      // a step names an hour, a share, an amount or a day
      expect(said[1], `${parameter} ${value}`).toMatch(/\d/);
    }
  }
});

test('whatever was measured, advice is whole sentences without a hole in them', () => {
  const averages = fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom(...WATER_PARAMETERS), averages, (parameter, drawn) => {
      for (const language of LANGUAGES) {
        for (const sentence of waterTrendAdvice(factsOf(parameter, drawn), language)) {
          expect(sentence).not.toMatch(/undefined|null|NaN|Infinity/);
          expect(sentence).toMatch(/^[\p{Lu}p].*\.$/u);
        }
      }
    }),
  );
});

test('total ammonia is advised on by its un-ionised part, and shown as it was measured', () => {
  const said = (value: number, compared: number) =>
    waterTrendAdvice(
      {
        ...factsOf('ammonia', [0.05, 0.05]),
        ammoniaBasis: 'TAN',
        beyondNow: {
          compared,
          limit: 0.1,
          grade: 'HIGH',
          side: 'HIGH',
          localTime: '16:00',
          reading: `${value}.00 mg/L TAN = ${compared} mg/L NH₃-N`,
        },
      },
      'en',
    ).join(' ');
  expect(said(3, 0.6)).toContain('ammonia at 3.00 mg/L TAN = 0.6 mg/L NH₃-N at 16:00');
  expect(said(3, 0.6)).toContain('stands at 0.05 mg/L TAN');
  expect(said(3, 0.6)).not.toContain('Hold the feed');
  expect(said(3, 1.4)).toContain('Hold the feed');
});
