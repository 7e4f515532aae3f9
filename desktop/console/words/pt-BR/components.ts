import { source } from '../../i18n/catalogue.ts';

export const answerWords = source({ caption: 'O que muda', what: 'O quê', now: 'Agora', after: 'Depois' });

export const buttonWords = source({
  lacks: (names: readonly string[]) =>
    names.length === 0 ? 'Ainda falta algo neste formulário.' : `Falta, ou confira: ${names.join(' · ')}`,
});

export const copyWords = source({ copy: 'Copiar', copied: 'Copiado', byHand: 'Copie com Ctrl+C' });

export const correctionDialogWords = source({
  save: 'Salvar correção',
  review: 'Conferir',
  back: 'Voltar e mudar',
  bad: 'Digite um número.',
  badTime: 'Use o formato 18:00.',
  needed: 'Não pode ficar em branco.',
  time: 'Hora',
});

export const countFieldWords = source({
  bad: 'Digite um número inteiro.',
  positive: 'Maior que zero.',
  tooMany: (most: string) => `No máximo ${most}.`,
});

export const fieldWords = source({
  either: (large: string, small: string) => `Escreva ${large} ou ${small}: assim pode ser os dois.`,
});

export const dateWords = source({
  letters: { day: 'dd', month: 'mm', year: 'aaaa' },
  write: (pattern: string) => `Escreva o dia assim: ${pattern}`,
  month: 'Abrir o mês',
});

export const figureFieldWords = source({
  bad: 'Digite um número, com vírgula ou ponto.',
  positive: 'Maior que zero.',
  negative: 'Não pode ser menor que zero.',
  tooMuch: (most: string) => `No máximo ${most}.`,
});

export const fileWords = source({ choose: 'Escolher arquivo', none: 'nenhum arquivo escolhido' });

export const notProvedWords = source({
  mark: 'não comprovado',
  why: 'O último relato veio sem chave: quem está na rede e sabe o nome do controlador pode tê-lo mandado.',
});

export const recordTableWords = source({
  edit: (what: string) => `Corrigir ${what}`,
  remove: (what: string) => `Apagar ${what}`,
  find: (table: string) => `Procurar em ${table}`,
  findHere: 'Procurar…',
  orderOf: (table: string) => `Ordem de ${table}`,
  asTold: 'Ordem de sempre',
  some: (some: string, all: string) => `${some} de ${all}`,
});

export const secondFactorFieldWords = source({
  code: 'Código do aplicativo',
  codeHint: 'Os 6 números que o aplicativo de códigos mostra agora',
  recovery: 'Código de recuperação',
  recoveryHint: 'Um dos dez do papel; cada um vale uma vez',
  useRecovery: 'Usar um código de recuperação',
  useApp: 'Usar o aplicativo',
});

export const simulatedWords = source({
  mark: 'SIMULADO',
  named: (cod: string) => `${cod} · SIMULADO`,
  advice: 'Nada nos viveiros: nenhum motor depende dele. Veja Sistema › Bancada › Simulador.',
});

export const sparklineWords = source({
  told: (days: number, low: string, high: string, unit: string) =>
    `${days === 1 ? '24 h' : `${days} dias`}: de ${low} a ${high} ${unit}`.trim(),
});

export const componentWords = source({
  languageLater: 'O gateway não responde agora: o painel fala esta língua quando for aberto de novo.',
  priority: { 1: 'crítico', 2: 'alto', 3: 'atenção' },
  close: 'Fechar',
  otherText: (text: string) => `Ainda não é “${text}”.`,
  cancel: 'Cancelar',
  tryAgain: 'Tentar de novo',
  loading: 'Carregando…',
  unreachable: 'O gateway não respondeu. Nada foi perdido; confira o Wi-Fi da fazenda e tente de novo.',
  notEnough: (n: string) => `Só há ${n} disponíveis nessa hora.`,
  inTheWay: {
    FEEDING: (at: string) => `Há ração lançada em ${at}, antes desse povoamento: corrija ou apague antes.`,
    WEIGHING: (at: string) => `Há biometria de ${at}, antes desse povoamento: corrija ou apague antes.`,
    TRANSFER: (at: string) => `Há transferência de ${at}, antes desse povoamento: corrija ou apague antes.`,
    HARVEST: (at: string) => `Há despesca parcial de ${at}, antes desse povoamento: corrija ou apague antes.`,
    LOSS: (at: string) => `Há mortalidade de ${at}, antes desse povoamento: corrija ou apague antes.`,
    END: (at: string) => `O lote foi encerrado em ${at}, antes desse povoamento.`,
  },
  notEnoughThen: {
    TRANSFER: (at: string, n: string, left: string) =>
      `Em ${at} foram transferidos ${n} camarões, onde assim só haveria ${left}: corrija isso antes.`,
    LOSS: (at: string, n: string, left: string) =>
      `Em ${at} morreram ${n} camarões, onde assim só haveria ${left}: corrija isso antes.`,
  },
  forbidden: 'Seu acesso não permite ver isto nesta fazenda.',
  age: (age: string) => `há ${age}`,
  last: (value: string, at: string) => `último: ${value}, ${at}`,
  manual: 'medido à mão',
  probe: 'sonda',
  more: 'Mostrar mais',
});

export const correctionsWords = source({
  removed: (what: string) => `${what} apagado`,
  changed: (what: string) => `${what} corrigido`,
  undo: 'Desfazer',
});
