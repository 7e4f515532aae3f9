import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/components.ts';

export const answerWords = translation<typeof source.answerWords>({
  caption: 'Qué cambia',
  what: 'Qué',
  now: 'Ahora',
  after: 'Después',
});

export const buttonWords = translation<typeof source.buttonWords>({
  lacks: (names: readonly string[]) =>
    names.length === 0 ? 'Todavía falta algo en este formulario.' : `Falta, o revise: ${names.join(' · ')}`,
});

export const copyWords = translation<typeof source.copyWords>({
  copy: 'Copiar',
  copied: 'Copiado',
  byHand: 'Copie con Ctrl+C',
});

export const correctionDialogWords = translation<typeof source.correctionDialogWords>({
  save: 'Guardar corrección',
  review: 'Revisar',
  back: 'Volver y cambiar',
  bad: 'Escriba un número.',
  badTime: 'Use el formato 18:00.',
  needed: 'No puede quedar en blanco.',
  time: 'Hora',
});

export const countFieldWords = translation<typeof source.countFieldWords>({
  bad: 'Escriba un número entero.',
  positive: 'Mayor que cero.',
  tooMany: (most: string) => `Máximo ${most}.`,
});

export const fieldWords = translation<typeof source.fieldWords>({
  either: (large: string, small: string) =>
    `Escriba ${large} o ${small}: así puede ser cualquiera de los dos.`,
});

export const figureFieldWords = translation<typeof source.figureFieldWords>({
  bad: 'Escriba un número, con coma o punto.',
  positive: 'Mayor que cero.',
  negative: 'No puede ser menor que cero.',
  tooMuch: (most: string) => `Máximo ${most}.`,
});

export const notProvedWords = translation<typeof source.notProvedWords>({
  mark: 'no comprobado',
  why: 'El último informe vino sin clave: quien está en la red y conoce el nombre del controlador puede haberlo mandado.',
});

export const dateWords = translation<typeof source.dateWords>({
  letters: { day: 'dd', month: 'mm', year: 'aaaa' },
  write: (pattern: string) => `Escriba el día así: ${pattern}`,
  month: 'Abrir el mes',
});

export const fileWords = translation<typeof source.fileWords>({
  choose: 'Elegir archivo',
  none: 'ningún archivo elegido',
});

export const recordTableWords = translation<typeof source.recordTableWords>({
  edit: (what: string) => `Corregir ${what}`,
  remove: (what: string) => `Eliminar ${what}`,
  find: (table: string) => `Buscar en ${table}`,
  findHere: 'Buscar…',
  orderOf: (table: string) => `Orden de ${table}`,
  asTold: 'Orden de siempre',
  some: (some: string, all: string) => `${some} de ${all}`,
});

export const secondFactorFieldWords = translation<typeof source.secondFactorFieldWords>({
  code: 'Código de la aplicación',
  codeHint: 'Los 6 números que muestra ahora la aplicación de códigos',
  recovery: 'Código de recuperación',
  recoveryHint: 'Uno de los diez del papel; cada uno vale una vez',
  useRecovery: 'Usar un código de recuperación',
  useApp: 'Usar la aplicación',
});

export const simulatedWords = translation<typeof source.simulatedWords>({
  mark: 'SIMULADO',
  named: (cod: string) => `${cod} · SIMULADO`,
  advice: 'Nada en las piscinas: ningún motor depende de él. Vea Sistema › Banco de trabajo › Simulador.',
});

export const sparklineWords = translation<typeof source.sparklineWords>({
  told: (days: number, low: string, high: string, unit: string) =>
    `${days === 1 ? '24 h' : `${days} días`}: de ${low} a ${high} ${unit}`.trim(),
});

export const componentWords = translation<typeof source.componentWords>({
  languageLater: 'El gateway no responde ahora: el panel habla este idioma cuando se abra de nuevo.',
  priority: { 1: 'crítica', 2: 'alta', 3: 'atención' },
  close: 'Cerrar',
  otherText: (text: string) => `Todavía no es “${text}”.`,
  cancel: 'Cancelar',
  tryAgain: 'Intentar de nuevo',
  loading: 'Cargando…',
  unreachable:
    'El gateway no respondió. No se perdió nada; revise el Wi-Fi de la camaronera e intente de nuevo.',
  notEnough: (n: string) => `Solo hay ${n} disponibles a esa hora.`,
  inTheWay: {
    FEEDING: (at: string) =>
      `Hay balanceado registrado el ${at}, antes de esa siembra: corríjalo o bórrelo antes.`,
    WEIGHING: (at: string) => `Hay un muestreo del ${at}, antes de esa siembra: corríjalo o bórrelo antes.`,
    TRANSFER: (at: string) =>
      `Hay una transferencia del ${at}, antes de esa siembra: corríjala o bórrela antes.`,
    HARVEST: (at: string) =>
      `Hay una cosecha parcial del ${at}, antes de esa siembra: corríjala o bórrela antes.`,
    LOSS: (at: string) => `Hay mortalidad del ${at}, antes de esa siembra: corríjala o bórrela antes.`,
    END: (at: string) => `El lote se cerró el ${at}, antes de esa siembra.`,
  },
  notEnoughThen: {
    TRANSFER: (at: string, n: string, left: string) =>
      `El ${at} se transfirieron ${n} camarones, donde así solo habría ${left}: corrija eso antes.`,
    LOSS: (at: string, n: string, left: string) =>
      `El ${at} murieron ${n} camarones, donde así solo habría ${left}: corrija eso antes.`,
  },
  forbidden: 'Su acceso no permite ver esto en esta camaronera.',
  age: (age: string) => `hace ${age}`,
  last: (value: string, at: string) => `último: ${value}, ${at}`,
  manual: 'medido a mano',
  probe: 'sonda',
  more: 'Mostrar más',
});

export const correctionsWords = translation<typeof source.correctionsWords>({
  removed: (what: string) => `Se eliminó: ${what}`,
  changed: (what: string) => `Se corrigió: ${what}`,
  undo: 'Deshacer',
});
