import type { AmmoniaAs, WaterField } from '#contract/resources/water-quality.ts';
import { source } from '../../i18n/catalogue.ts';

type AmmoniaGap = AmmoniaAs['gaps'][number];

/** Names of the parameters, in full and as they stand over a column. */
export const waterWords = source({
  name: {
    dissolved_oxygen: 'Oxigênio dissolvido',
    temperature: 'Temperatura',
    ph: 'pH',
    salinity: 'Salinidade',
    alkalinity: 'Alcalinidade',
    ammonia: 'Amônia',
    nitrite: 'Nitrito',
    nitrate: 'Nitrato',
    transparency: 'Transparência',
  } satisfies Record<WaterField, string>,
  short: {
    dissolved_oxygen: 'OD',
    temperature: 'Temp.',
    ph: 'pH',
    salinity: 'Sal.',
    alkalinity: 'Alc.',
    ammonia: 'Amônia',
    nitrite: 'NO₂',
    nitrate: 'NO₃',
    transparency: 'Secchi',
  } satisfies Record<WaterField, string>,
  ammonia: {
    basis: 'Base da amônia',
    basisHint: 'O que o kit ou a sonda da fazenda mede. Vale para todos os valores lançados.',
    bases: { NH3: 'NH₃-N (não ionizada, tóxica)', TAN: 'TAN (amônia total)' },
    short: { NH3: 'NH₃-N', TAN: 'TAN' },
    ask: 'O que o kit de amônia desta fazenda mede?',
    askText:
      'Amônia total (TAN) de 1,2 mg/L é comum; a mesma cifra em NH₃-N é grave. Está escrito no kit: “amônia total”, “TAN” ou “N-NH₃/NH₄” é total. Até alguém responder, os valores contam como NH₃-N.',
    untold:
      'Base da amônia não informada: os valores contam como NH₃-N. Quem administra a fazenda informa em Sistema › Fazenda.',
    notKnown: 'Base da amônia desconhecida enquanto a fazenda não responde.',
    unit: (basis: 'NH3' | 'TAN') => (basis === 'TAN' ? 'mg/L TAN' : 'mg/L NH₃-N'),
    twin: (amount: string) => `= ${amount}`,
    worst: (amount: string) => `= até ${amount}`,
    noTwin: 'sem TAN correspondente',
    gaps: {
      TEMPERATURE_MISSING: 'sem temperatura',
      PH_MISSING: 'sem pH',
      SALINITY_MISSING: 'sem salinidade',
      TEMPERATURE_OUT_OF_RANGE: 'temperatura fora de 5–40 °C',
      PH_OUT_OF_RANGE: 'pH fora de 6–10',
      SALINITY_OUT_OF_RANGE: 'salinidade fora de 0–45 ppt',
    } satisfies Record<AmmoniaGap, string>,
  },
});
