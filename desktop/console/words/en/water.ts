import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/water.ts';

export const waterWords = translation<typeof source.waterWords>({
  name: {
    dissolved_oxygen: 'Dissolved oxygen',
    temperature: 'Temperature',
    ph: 'pH',
    salinity: 'Salinity',
    alkalinity: 'Alkalinity',
    ammonia: 'Ammonia',
    nitrite: 'Nitrite',
    nitrate: 'Nitrate',
    transparency: 'Transparency',
  },
  short: {
    dissolved_oxygen: 'DO',
    temperature: 'Temp.',
    ph: 'pH',
    salinity: 'Sal.',
    alkalinity: 'Alk.',
    ammonia: 'Ammonia',
    nitrite: 'NO₂',
    nitrate: 'NO₃',
    transparency: 'Secchi',
  },
  ammonia: {
    basis: 'Basis of ammonia',
    basisHint: 'What the farm’s kit or probe measures. It holds for every value entered.',
    bases: { NH3: 'NH₃-N (un-ionised, toxic)', TAN: 'TAN (total ammonia)' },
    short: { NH3: 'NH₃-N', TAN: 'TAN' },
    ask: 'What does the ammonia kit of this farm measure?',
    askText:
      'Total ammonia (TAN) of 1.2 mg/L is common; the same figure as NH₃-N is grave. It stands on the kit: “total ammonia”, “TAN” or “NH₃/NH₄-N” is total. Until somebody answers, values count as NH₃-N.',
    untold:
      'Basis of ammonia not told: values count as NH₃-N. Who manages the farm tells it under System › Farm.',
    notKnown: 'Basis of ammonia unknown while the farm does not answer.',
    unit: (basis: 'NH3' | 'TAN') => (basis === 'TAN' ? 'mg/L TAN' : 'mg/L NH₃-N'),
    twin: (amount: string) => `= ${amount}`,
    worst: (amount: string) => `= up to ${amount}`,
    noTwin: 'no TAN to it',
    gaps: {
      TEMPERATURE_MISSING: 'no temperature',
      PH_MISSING: 'no pH',
      SALINITY_MISSING: 'no salinity',
      TEMPERATURE_OUT_OF_RANGE: 'temperature outside 5–40 °C',
      PH_OUT_OF_RANGE: 'pH outside 6–10',
      SALINITY_OUT_OF_RANGE: 'salinity outside 0–45 ppt',
    },
  },
});
