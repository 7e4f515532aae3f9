import type { Language } from '../../i18n/catalogue.ts';

export const spoken: Language = {
  tag: 'pt-BR',
  name: 'Português',
  formats: 'pt-BR',
  decimalSign: ',',
  currency: 'BRL',
  isOfInterface: false,
  guide: 'pt-br',
};
