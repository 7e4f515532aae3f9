import { dictionary } from '../i18n/language.ts';

export const componentWords = dictionary({
  'pt-BR': {
    priority: { 1: 'crítico', 2: 'alto', 3: 'atenção' },
    close: 'Fechar',
    cancel: 'Cancelar',
    tryAgain: 'Tentar de novo',
    loading: 'Carregando…',
    unreachable: 'O gateway não respondeu. Nada foi perdido; confira o Wi-Fi da fazenda e tente de novo.',
    notEnough: (n: string) => `Só há ${n} disponíveis nessa hora.`,
    forbidden: 'Seu acesso não permite ver isto nesta fazenda.',
    age: (age: string) => `há ${age}`,
    last: (value: string, at: string) => `último: ${value}, ${at}`,
    manual: 'medido à mão',
    probe: 'sonda',
    more: 'Mostrar mais',
  },
  en: {
    priority: { 1: 'critical', 2: 'high', 3: 'attention' },
    close: 'Close',
    cancel: 'Cancel',
    tryAgain: 'Try again',
    loading: 'Loading…',
    unreachable: 'The gateway did not answer. Nothing was lost; check the farm’s Wi-Fi and try again.',
    notEnough: (n: string) => `Only ${n} are available at that time.`,
    forbidden: 'Your access does not show this on this farm.',
    age: (age: string) => `${age} ago`,
    last: (value: string, at: string) => `last: ${value}, ${at}`,
    manual: 'measured by hand',
    probe: 'probe',
    more: 'Show more',
  },
});
