import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/forms.ts';

export const editedWords = translation<typeof source.editedWords>({
  changed: 'While you were typing, this was changed elsewhere:',
  kept: 'What you typed is still here, and holds if you save.',
  nothing: 'empty',
  yesNo: { yes: 'yes', no: 'no' },
});

export const leaveWords = translation<typeof source.leaveWords>({
  title: 'Leave without saving?',
  text: 'What you typed on this page is not saved yet.',
  stay: 'Stay here',
  leave: 'Leave without saving',
});
