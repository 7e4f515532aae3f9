import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/tables.ts';

export const savedViewWords = translation<typeof source.savedViewWords>({
  of: (table: string) => `Saved views of ${table}`,
  keep: 'Save this view…',
  name: 'Name of the view',
  here: 'It stays on this device, for you.',
  save: 'Save',
  cancel: 'Cancel',
  forget: (name: string) => `Delete the view ${name}`,
  forgotten: (name: string) => `View ${name} deleted`,
  undo: 'Undo',
});

export const bulkWords = translation<typeof source.bulkWords>({
  choose: (row: string) => `Choose ${row}`,
  chooseAll: 'Choose all shown',
  chosen: (n: number) => `${n} chosen`,
  change: 'Change the chosen ones…',
  none: 'Choose none',
  title: (n: number) => `Change ${n}`,
  field: 'What to change',
  preview: 'What changes',
  item: 'Item',
  outcome: 'Outcome',
  from: 'From',
  to: 'To',
  same: 'is so already',
  nothing: 'None of the chosen ones would change.',
  run: (n: number) => `Change ${n}`,
  progress: (done: number, all: number) => `${done} of ${all}`,
  changed: (n: number) => `${n} changed`,
  failed: (n: number) => `${n} did not change`,
  retry: 'Try the missing ones again',
  undo: 'Undo',
  undone: (n: number) => `${n} back to what they were`,
  close: 'Close',
  empty: '—',
  states: { waits: 'waits', runs: 'sending…', done: 'changed', undone: 'undone' },
  schedules: (n: number) => (n === 1 ? `${n} time` : `${n} times`),
  more: (n: number) => `${n} more`,
  template: 'Times of another control point',
  templateHint:
    'Adds the times of the chosen control point to those that are there; equal ones are not repeated.',
  noTemplate: 'No other control point has times.',
});
