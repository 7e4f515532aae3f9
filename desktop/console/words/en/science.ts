import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/science.ts';

export const scienceWords = translation<typeof source.scienceWords>({
  title: 'Figures of the farm',
  open: 'Figures',
  openText:
    'Limits of water, feed, growth, aeration and energy: each figure that the farm may tune, and what it changes.',
  back: 'Farm and ponds',
  sections: {
    growth: 'Growth',
    feeding: 'Feeding',
    survival: 'Survival',
    uniformity: 'Uniformity',
    growthTrend: 'Trend of growth',
    water: 'Water',
    trends: 'Trends of water',
    aeration: 'Aeration and oxygen',
    economics: 'Harvest and price',
    energy: 'Energy',
  },
  changes: {
    growth:
      'Changes the curve of expected weight, the warning of a batch that is behind, the expected harvest day and when to weigh again.',
    feeding:
      'Changes the proposed feed of a day and a meal, and how far it falls with cold, low oxygen, ammonia or leftovers.',
    survival: 'Changes the population estimated between counts: biomass, feed and conversion come from it.',
    uniformity: 'Changes the mark of uniformity of a weighing and how many shrimp to weigh.',
    growthTrend: 'Changes when growth is called faster or slower.',
    water:
      'Changes the limits that raise alarms, the good range in charts and colours of the water, and what is taken as a possible reading.',
    trends: 'Changes when a parameter is said to rise, fall or swing.',
    aeration: 'Changes the proposed oxygen set points, the forecast for dawn and the kg per hp.',
    economics: 'Changes the harvest advice and the price by size.',
    energy: 'Changes the cost of energy in reports and the comparison per tonne.',
  },
  filter: 'Find a figure',
  onlyOwn: 'Only those that the farm changed',
  standard: (value: string) => `default ${value}`,
  range: (from: string, to: string) => `${from} to ${to}`,
  own: 'of the farm',
  edit: (name: string) => `Change ${name}`,
  reset: 'Back to the default',
  saved: 'Saved: the new value counts from now on.',
  list: 'table',
  bad: (from: string, to: string) => `Between ${from} and ${to}.`,
  none: 'Nothing of that name.',
});
