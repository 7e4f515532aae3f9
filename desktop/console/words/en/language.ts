import type { Language } from '../../i18n/catalogue.ts';

export const spoken: Language = {
  tag: 'en',
  name: 'English',
  formats: 'en',
  decimalSign: '.',
  currency: 'BRL',
  isOfInterface: true,
  guide: 'en',
};
