import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/trays.ts';

export const trayWords = translation<typeof source.trayWords>({
  title: 'Comederos',
  one: (tray: string) => `Comedero ${tray}`,
  hint: 'Cuánto sobró del balanceado que se puso en cada uno. El que nadie revisó queda como no visto.',
  unseen: 'no visto',
  eaten: 'vacío',
  othersEaten: 'Los demás: vacíos',
  more: 'Un comedero más',
  fewer: 'Uno menos',
  who: 'Quién revisó',
  remark: 'Observación',
  enter: 'Registrar comederos',
  none: 'Nadie revisó los comederos después de la última ración: no se sabe lo que sobró.',
  left: (percent: string) => `sobró ${percent}`,
  mean: (trays: string, percent: string) => `media de ${trays}: ${percent}`,
  told: 'dicho con la última ración',
  checked: (at: string, trays: number) => `${trays} ${trays === 1 ? 'visto' : 'vistos'} a las ${at}`,
  notSeen: (trays: number) => `${trays} ${trays === 1 ? 'no visto' : 'no vistos'}`,
  next: (kg: string, change: string) => `próxima ración ${kg} (${change})`,
  same: (kg: string) => `próxima ración ${kg}, como estaba planeado`,
  skip: 'saltar la próxima ración',
  source: (it: string) => `Tabla: ${it}`,
  ownTable: 'Tabla: ajuste de la camaronera',
});
