import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/charts.ts';

export const chartWords = translation<typeof source.chartWords>({
  asTable: 'Show as a table',
  asChart: 'Show as a chart',
  when: 'When',
  noData: 'No data in this period',
  notDrawn: 'The drawing did not come from the gateway; here are the figures.',
  whole: 'Whole range',
  nearer: (chart: string) => `Zoom in ${chart}`.trim(),
  farther: (chart: string) => `Zoom out ${chart}`.trim(),
  earlier: (chart: string) => `Earlier ${chart}`.trim(),
  later: (chart: string) => `Later ${chart}`.trim(),
  finer: {
    coming: 'fetching the readings of this part…',
    failed: 'the readings of this part did not come; the line is the mean of each stretch',
  },
  picture: 'Download as picture',
  pictureOf: (chart: string) => `Download ${chart} as picture (PNG)`,
  madeOn: (day: string) => `made on ${day}`,
  hand: (chart: string) =>
    `${chart}: arrows go from reading to reading, + and − zoom, Shift and arrows move, 0 shows everything`,
});

export const compareWords = translation<typeof source.compareWords>({
  title: 'Compare',
  what: 'What to compare',
  kinds: {
    viveiros: 'Ponds',
    lotes: 'Batches by day of culture',
    tabela: 'Batches in a table',
    noites: 'Nights of one pond',
  },
  parameter: 'Parameter',
  pond: 'Pond',
  ponds: (most: number) => `Ponds (up to ${most})`,
  batches: (most: number) => `Batches (up to ${most})`,
  enough: (most: number) => `${most} at most: take one away to choose another.`,
  choose: 'Choose at least one.',
  day: 'Day',
  growth: 'Average weight',
  night: (from: string, to: string) => `Night of ${from} to ${to}`,
  nights: 'Compare nights',
  others: 'Compare with others',
  noNights: 'There are no oxygen readings of the last nights.',
});
