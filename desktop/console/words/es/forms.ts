import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/forms.ts';

export const editedWords = translation<typeof source.editedWords>({
  changed: 'Mientras usted escribía, esto cambió en otro lugar:',
  kept: 'Lo que usted escribió sigue aquí y vale si guarda.',
  nothing: 'vacío',
  yesNo: { yes: 'sí', no: 'no' },
});

export const leaveWords = translation<typeof source.leaveWords>({
  title: '¿Salir sin guardar?',
  text: 'Lo que usted escribió en esta página todavía no se ha guardado.',
  stay: 'Seguir aquí',
  leave: 'Salir sin guardar',
});
