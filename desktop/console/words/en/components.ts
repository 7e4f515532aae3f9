import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/components.ts';

export const answerWords = translation<typeof source.answerWords>({
  caption: 'What changes',
  what: 'What',
  now: 'Now',
  after: 'After',
});

export const buttonWords = translation<typeof source.buttonWords>({
  lacks: (names: readonly string[]) =>
    names.length === 0
      ? 'Something in this form is still missing.'
      : `Missing, or to check: ${names.join(' · ')}`,
});

export const copyWords = translation<typeof source.copyWords>({
  copy: 'Copy',
  copied: 'Copied',
  byHand: 'Copy it with Ctrl+C',
});

export const correctionDialogWords = translation<typeof source.correctionDialogWords>({
  save: 'Save the correction',
  review: 'Review',
  back: 'Go back and change',
  bad: 'Type a number.',
  badTime: 'Use the form 18:00.',
  needed: 'It cannot be left blank.',
  time: 'Time',
});

export const countFieldWords = translation<typeof source.countFieldWords>({
  bad: 'Type a whole number.',
  positive: 'Greater than zero.',
  tooMany: (most: string) => `At most ${most}.`,
});

export const fieldWords = translation<typeof source.fieldWords>({
  either: (large: string, small: string) => `Write ${large} or ${small}: like this it may be either.`,
});

export const dateWords = translation<typeof source.dateWords>({
  letters: { day: 'dd', month: 'mm', year: 'yyyy' },
  write: (pattern: string) => `Write the day like this: ${pattern}`,
  month: 'Open the month',
});

export const figureFieldWords = translation<typeof source.figureFieldWords>({
  bad: 'Type a number, with comma or point.',
  positive: 'Greater than zero.',
  negative: 'It cannot be less than zero.',
  tooMuch: (most: string) => `At most ${most}.`,
});

export const fileWords = translation<typeof source.fileWords>({
  choose: 'Choose a file',
  none: 'no file chosen',
});

export const notProvedWords = translation<typeof source.notProvedWords>({
  mark: 'not proved',
  why: 'The last report came without a key: whoever is on the network and knows the name of the controller may have sent it.',
});

export const recordTableWords = translation<typeof source.recordTableWords>({
  edit: (what: string) => `Correct ${what}`,
  remove: (what: string) => `Delete ${what}`,
  find: (table: string) => `Search in ${table}`,
  findHere: 'Search…',
  orderOf: (table: string) => `Order of ${table}`,
  asTold: 'Usual order',
  some: (some: string, all: string) => `${some} of ${all}`,
});

export const secondFactorFieldWords = translation<typeof source.secondFactorFieldWords>({
  code: 'Code of the app',
  codeHint: 'The 6 digits that the authenticator app shows now',
  recovery: 'Recovery code',
  recoveryHint: 'One of the ten on paper; each counts once',
  useRecovery: 'Use a recovery code',
  useApp: 'Use the app',
});

export const simulatedWords = translation<typeof source.simulatedWords>({
  mark: 'SIMULATED',
  named: (cod: string) => `${cod} · SIMULATED`,
  advice: 'Nothing at the ponds: no motor depends on it. See System › Bench › Simulator.',
});

export const sparklineWords = translation<typeof source.sparklineWords>({
  told: (days: number, low: string, high: string, unit: string) =>
    `${days === 1 ? '24 h' : `${days} days`}: ${low} to ${high} ${unit}`.trim(),
});

export const componentWords = translation<typeof source.componentWords>({
  languageLater: 'The gateway does not answer now: the console speaks this language when it is opened again.',
  priority: { 1: 'critical', 2: 'high', 3: 'attention' },
  close: 'Close',
  otherText: (text: string) => `That is not “${text}” yet.`,
  cancel: 'Cancel',
  tryAgain: 'Try again',
  loading: 'Loading…',
  unreachable: 'The gateway did not answer. Nothing was lost; check the farm’s Wi-Fi and try again.',
  notEnough: (n: string) => `Only ${n} are available at that time.`,
  inTheWay: {
    FEEDING: (at: string) => `Feed was entered on ${at}, before such a stocking: correct or delete it first.`,
    WEIGHING: (at: string) =>
      `There is a weighing of ${at}, before such a stocking: correct or delete it first.`,
    TRANSFER: (at: string) =>
      `There is a transfer of ${at}, before such a stocking: correct or delete it first.`,
    HARVEST: (at: string) =>
      `There is a partial harvest of ${at}, before such a stocking: correct or delete it first.`,
    LOSS: (at: string) => `There is a loss of ${at}, before such a stocking: correct or delete it first.`,
    END: (at: string) => `The batch was ended on ${at}, before such a stocking.`,
  },
  notEnoughThen: {
    TRANSFER: (at: string, n: string, left: string) =>
      `On ${at} ${n} shrimp were moved, where there would then be only ${left}: correct that first.`,
    LOSS: (at: string, n: string, left: string) =>
      `On ${at} ${n} shrimp died, where there would then be only ${left}: correct that first.`,
  },
  forbidden: 'Your access does not show this on this farm.',
  age: (age: string) => `${age} ago`,
  last: (value: string, at: string) => `last: ${value}, ${at}`,
  manual: 'measured by hand',
  probe: 'probe',
  more: 'Show more',
});

export const correctionsWords = translation<typeof source.correctionsWords>({
  removed: (what: string) => `${what} deleted`,
  changed: (what: string) => `${what} corrected`,
  undo: 'Undo',
});
