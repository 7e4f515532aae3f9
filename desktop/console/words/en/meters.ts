import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/meters.ts';

export const meterWords = translation<typeof source.meterWords>({
  title: 'Electricity meters',
  enter: 'Read an electricity meter',
  readings: 'Readings of the meters',
  none: 'No meter was read in this time.',
  meter: 'Meter',
  meterHint: 'What the farm calls it',
  counter: 'What the meter shows',
  before: (shown: string, at: string) => `At the last reading, ${at}: ${shown}`,
  lower: 'The meter shows less than before. Check the figure, or say what happened.',
  change: 'What happened to the meter',
  noChange: 'Nothing: I will check',
  changes: { CHANGED: 'It was changed', ROLLED_OVER: 'It rolled over' },
  factor: 'Factor of the meter',
  factorHint: 'From its label, where there are transformers: kWh per unit. Empty: 1',
  who: 'Who read it',
  remark: 'Remark',
  counted: 'Metered',
  expected: 'Aerators, by their hours running',
  cost: 'Cost',
  perDay: 'Metered per day',
  shifts: 'Use per shift',
  shift: 'Shift',
  from: 'From',
  until: 'Until',
  several: (shift: string, n: string) => `${shift}, ${n} shifts: a reading is missing`,
  unknown: { CHANGED: 'not known: meter changed', WENT_BACK: 'not known: it shows less than before' },
  missing: (which: string, n: string) => `Readings that are missing (${n}): ${which}`,
  beside: (counted: string, expected: string, n: string) =>
    `On the ${n} whole days: ${counted} metered, ${expected} of aerators by the hours that the box counted.`,
});
