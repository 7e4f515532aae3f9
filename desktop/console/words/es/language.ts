import type { Language } from '../../i18n/catalogue.ts';

export const spoken: Language = {
  tag: 'es',
  name: 'Español',
  formats: 'es-EC',
  decimalSign: ',',
  currency: 'USD',
  isOfInterface: false,
  guide: 'es',
};
