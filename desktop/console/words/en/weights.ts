import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/weights.ts';

export const weightWords = translation<typeof source.weightWords>({
  field: 'Weights one by one (g)',
  hint: 'One per line, or with blanks between them: 8.2 9.1 7.8. Sample and weight are counted from them.',
  show: 'I weighed one by one',
  hide: 'Sample and total weight only',
  bad: (text: string) => `This is no weight: ${text}`,
  tooMany: (most: string) => `${most} weights at most.`,
  none: 'Type the weights.',
  mean: 'Average weight',
  perKg: 'Count per kg',
  cv: 'Variation (CV)',
  range: 'Smallest and largest',
  classes: 'Size classes',
  size: 'Count/kg',
  animals: 'Shrimp',
  ofWeight: 'Of the weight',
  share: 'Of the sample',
  upTo: (count: string) => `up to ${count}`,
  above: (count: string) => `above ${count}`,
  open: (weighing: string) => `Sizes of the weighing of ${weighing}`,
  column: 'Sizes',
  notSingle: 'In this weighing nobody weighed one by one.',
});
