import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/weights.ts';

export const weightWords = translation<typeof source.weightWords>({
  field: 'Pesos uno por uno (g)',
  hint: 'Uno por línea, o con espacio entre ellos: 8,2 9,1 7,8. La muestra y el peso se cuentan solos.',
  show: 'Pesé uno por uno',
  hide: 'Solo muestra y peso total',
  bad: (text: string) => `No es un peso: ${text}`,
  tooMany: (most: string) => `Como máximo ${most} pesos.`,
  none: 'Escriba los pesos.',
  mean: 'Peso promedio',
  perKg: 'Unidades por kg',
  cv: 'Variación (CV)',
  range: 'Menor y mayor',
  classes: 'Clases de tamaño',
  size: 'Unidades/kg',
  animals: 'Camarones',
  ofWeight: 'Del peso',
  share: 'De la muestra',
  upTo: (count: string) => `hasta ${count}`,
  above: (count: string) => `más de ${count}`,
  open: (weighing: string) => `Tamaños de la biometría del ${weighing}`,
  column: 'Tamaños',
  notSingle: 'En esta biometría nadie pesó uno por uno.',
});
