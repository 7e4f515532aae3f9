import { source } from '../../i18n/catalogue.ts';

export const editedWords = source({
  changed: 'Enquanto você digitava, isto mudou em outro lugar:',
  kept: 'O que você digitou continua aqui e vale se você salvar.',
  nothing: 'vazio',
  yesNo: { yes: 'sim', no: 'não' },
});

export const leaveWords = source({
  title: 'Sair sem salvar?',
  text: 'O que você digitou nesta página ainda não foi salvo.',
  stay: 'Continuar aqui',
  leave: 'Sair sem salvar',
});
