import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/way.ts';

export const wayWords = translation<typeof source.wayWords>({
  back: 'Volver a los primeros pasos',
  leave: 'Quedarse aquí',
});
