import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/charts.ts';

export const chartWords = translation<typeof source.chartWords>({
  asTable: 'Ver como tabla',
  asChart: 'Ver como gráfico',
  when: 'Cuándo',
  noData: 'Sin datos en este período',
  notDrawn: 'El dibujo no llegó del gateway; los números están aquí.',
  whole: 'Período entero',
  nearer: (chart: string) => `Ampliar ${chart}`.trim(),
  farther: (chart: string) => `Reducir ${chart}`.trim(),
  earlier: (chart: string) => `Antes ${chart}`.trim(),
  later: (chart: string) => `Después ${chart}`.trim(),
  finer: {
    coming: 'buscando las lecturas de esta parte…',
    failed: 'las lecturas de esta parte no llegaron; la línea es el promedio de cada tramo',
  },
  picture: 'Descargar como imagen',
  pictureOf: (chart: string) => `Descargar ${chart} como imagen (PNG)`,
  madeOn: (day: string) => `hecho el ${day}`,
  hand: (chart: string) =>
    `${chart}: las flechas van de lectura en lectura, + y − amplían y reducen, Shift y flechas desplazan, 0 muestra todo`,
});

export const compareWords = translation<typeof source.compareWords>({
  title: 'Comparar',
  what: 'Qué comparar',
  kinds: {
    viveiros: 'Piscinas',
    lotes: 'Lotes por día de cultivo',
    tabela: 'Lotes en tabla',
    noites: 'Noches de una piscina',
  },
  parameter: 'Parámetro',
  pond: 'Piscina',
  ponds: (most: number) => `Piscinas (hasta ${most})`,
  batches: (most: number) => `Lotes (hasta ${most})`,
  enough: (most: number) => `Son ${most} como máximo: desmarque uno para cambiar.`,
  choose: 'Marque al menos uno.',
  day: 'Día',
  growth: 'Peso promedio',
  night: (from: string, to: string) => `Noche del ${from} al ${to}`,
  nights: 'Comparar noches',
  others: 'Comparar con otros',
  noNights: 'No hay lecturas de oxígeno de las últimas noches.',
});
