import { source } from '../../i18n/catalogue.ts';

export const wayWords = source({
  back: 'Voltar aos primeiros passos',
  leave: 'Ficar aqui',
});
