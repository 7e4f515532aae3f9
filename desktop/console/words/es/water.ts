import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/water.ts';

export const waterWords = translation<typeof source.waterWords>({
  name: {
    dissolved_oxygen: 'Oxígeno disuelto',
    temperature: 'Temperatura',
    ph: 'pH',
    salinity: 'Salinidad',
    alkalinity: 'Alcalinidad',
    ammonia: 'Amoníaco',
    nitrite: 'Nitrito',
    nitrate: 'Nitrato',
    transparency: 'Transparencia',
  },
  short: {
    dissolved_oxygen: 'OD',
    temperature: 'Temp.',
    ph: 'pH',
    salinity: 'Sal.',
    alkalinity: 'Alc.',
    ammonia: 'Amoníaco',
    nitrite: 'NO₂',
    nitrate: 'NO₃',
    transparency: 'Secchi',
  },
  ammonia: {
    basis: 'Base del amoníaco',
    basisHint: 'Lo que mide el kit o la sonda de la camaronera. Vale para todos los valores registrados.',
    bases: { NH3: 'NH₃-N (no ionizado, tóxico)', TAN: 'TAN (amoníaco total)' },
    short: { NH3: 'NH₃-N', TAN: 'TAN' },
    ask: '¿Qué mide el kit de amoníaco de esta camaronera?',
    askText:
      'Un amoníaco total (TAN) de 1,2 mg/L es común; la misma cifra en NH₃-N es grave. Está escrito en el kit: “amonio total”, “TAN” o “N-NH₃/NH₄” es total. Hasta que alguien responda, los valores cuentan como NH₃-N.',
    untold:
      'Base del amoníaco no indicada: los valores cuentan como NH₃-N. Quien administra la camaronera la indica en Sistema › Camaronera.',
    notKnown: 'Base del amoníaco desconocida mientras la camaronera no responda.',
    unit: (basis: 'NH3' | 'TAN') => (basis === 'TAN' ? 'mg/L TAN' : 'mg/L NH₃-N'),
    twin: (amount: string) => `= ${amount}`,
    worst: (amount: string) => `= hasta ${amount}`,
    noTwin: 'sin TAN correspondiente',
    gaps: {
      TEMPERATURE_MISSING: 'sin temperatura',
      PH_MISSING: 'sin pH',
      SALINITY_MISSING: 'sin salinidad',
      TEMPERATURE_OUT_OF_RANGE: 'temperatura fuera de 5–40 °C',
      PH_OUT_OF_RANGE: 'pH fuera de 6–10',
      SALINITY_OUT_OF_RANGE: 'salinidad fuera de 0–45 ppt',
    },
  },
});
