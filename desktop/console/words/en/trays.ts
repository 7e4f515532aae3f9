import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/trays.ts';

export const trayWords = translation<typeof source.trayWords>({
  title: 'Feeding trays',
  one: (tray: string) => `Tray ${tray}`,
  hint: 'How much is left of the feed that was put on each. One that nobody looked at stays as not seen.',
  unseen: 'not seen',
  eaten: 'empty',
  othersEaten: 'The others: empty',
  more: 'One more tray',
  fewer: 'One tray less',
  who: 'Who looked',
  remark: 'Remark',
  enter: 'Enter trays',
  none: 'Nobody looked at the trays since the last meal: what is left is not known.',
  left: (percent: string) => `${percent} left`,
  mean: (trays: string, percent: string) => `mean of ${trays}: ${percent}`,
  told: 'told with the last meal',
  checked: (at: string, trays: number) => `${trays} seen at ${at}`,
  notSeen: (trays: number) => `${trays} not seen`,
  next: (kg: string, change: string) => `next meal ${kg} (${change})`,
  same: (kg: string) => `next meal ${kg}, as planned`,
  skip: 'skip the next meal',
  source: (it: string) => `Table: ${it}`,
  ownTable: 'Table: a setting of the farm',
});
