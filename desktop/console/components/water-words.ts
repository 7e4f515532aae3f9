import type { WaterField } from '#contract/resources/water-quality.ts';
import { dictionary } from '../i18n/language.ts';

/** Names of the parameters, in full and as they stand over a column. */
export const waterWords = dictionary({
  'pt-BR': {
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
      ammonia: 'NH₃',
      nitrite: 'NO₂',
      nitrate: 'NO₃',
      transparency: 'Secchi',
    } satisfies Record<WaterField, string>,
  },
  en: {
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
    } satisfies Record<WaterField, string>,
    short: {
      dissolved_oxygen: 'DO',
      temperature: 'Temp.',
      ph: 'pH',
      salinity: 'Sal.',
      alkalinity: 'Alk.',
      ammonia: 'NH₃',
      nitrite: 'NO₂',
      nitrate: 'NO₃',
      transparency: 'Secchi',
    } satisfies Record<WaterField, string>,
  },
});
