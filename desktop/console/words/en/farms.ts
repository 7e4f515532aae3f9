import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/farms.ts';

export const removalWords = translation<typeof source.removalWords>({
  first: (folder: string) =>
    `First a backup is made, read back and checked; only then is the farm deleted. It stays in ${folder} for 30 days.`,
  opens: (key: string) => `The recovery key no. ${key} opens it.`,
  none: {
    hosted:
      'On the hosted instance no backup is made from the screen. Download what you want to keep first, in Reports.',
    notYours: 'Backups are for those who operate every farm of this gateway. Ask them for one first.',
    notSet:
      'There is no backup: the folder, the stick or the recovery key is missing. Set it up first in System › Backup.',
    unknown: 'How the backups stand could not be seen.',
    failed: 'The backup of a moment ago did not work. Try again, or mend it first in System › Backup.',
  },
  notDeleted: (why: string) => `The backup did not work, and the farm was not deleted. ${why}`,
  goBackup: 'Open System › Backup',
  without: 'Delete even without a new backup',
  password: 'Your password',
  working: 'Closing this question now leaves the farm as it is.',
  gone: (name: string) => `${name} was deleted.`,
  kept: (file: string, folder: string) => `The backup of before: ${file}, in ${folder}, for 30 days.`,
  noBackup: 'No new backup was made before.',
  controllers:
    'The controllers go on alone by the last schedule they got, and no alarm of theirs arrives any more. What is to stop, stop by hand.',
  wayBack:
    'To get it back within 30 days: System › Farm and ponds › Deleted farms. It alone comes back, with all it had.',
  byBackup: (key: string) =>
    `Should that not do: System › Backup › Restore, with the key no. ${key}. Then the whole gateway goes back to that hour, and what is entered afterwards is left out.`,
  done: 'Understood',
  trash: 'Deleted farms',
  until: (deleted: string, end: string) => `deleted on ${deleted}, comes back until ${end}`,
  bringBack: 'Bring back',
  bringBackTitle: (name: string) => `Bring ${name} back?`,
  bringBackText:
    'Ponds, batches, measurements and control points come back as they were. Motors follow the orders and schedules of that day again: look at the aeration at once.',
  isBack: (name: string) => `${name} is back. Look at the aeration.`,
  refused: {
    ALREADY_EXISTS:
      'A controller, code or batch of it has the name of another one today. Delete or rename the other, and try again.',
    NOT_FOUND: 'It is back already, or the 30 days are over.',
  },
});

export const farmWords = translation<typeof source.farmWords>({
  title: 'Farm and ponds',
  blindFeeding: 'Feed of the first 30 days',
  blindHint: 'Until the first weighing postlarvae of vannamei are fed by one of these tables.',
  blindCharts: {
    BY_WEIGHT: 'By the expected weight',
    ROCHA_MAIA_1998: 'Brazilian practice',
    VINH_PHAT_LOC: 'Intensive',
  },
  farm: 'Farm',
  noFarm: 'This account has no farm yet.',
  createFarm: 'Create a farm',
  name: 'Name of the farm',
  description: 'Description',
  zone: 'Time zone',
  zoneHint: 'Aeration schedules, days and tasks follow this time.',
  lat: 'Latitude',
  lng: 'Longitude',
  position: 'Decimal degrees, for example -4.5617. Used for sunrise and sunset.',
  badPosition: 'This figure cannot be read.',
  ponds: 'Ponds',
  add: 'Create ponds',
  none: 'This farm has no ponds yet.',
  code: 'Code',
  type: 'Use',
  types: { NURSERY: 'Nursery', FATTENING: 'Fattening' },
  noType: 'not told',
  size: 'Area',
  depth: 'Depth',
  point: 'Control point',
  pointShort: 'Point',
  noPoint: 'none',
  patternTitle: 'Create ponds',
  from: 'From code',
  to: 'to code',
  patternHint: 'From V-01 to V-24 makes 24 ponds at once. For a single one, repeat the code.',
  planHolds: (plan: string, most: number, left: number) =>
    `The ${plan} plan goes up to ${most} ponds for a farm; ${left === 0 ? 'there is room for no more' : `there is room for ${left} more`}.`,
  toPlan: 'See the plans',
  patternFault: {
    unreadable: 'The codes have to end in a number, like V-01.',
    different: 'Both codes have to begin alike.',
    backwards: 'The second code comes before the first.',
    'too-many': 'At most 200 ponds at once.',
  },
  badFigure: 'This figure cannot be read.',
  creates: (n: number, first: string, last: string) =>
    n === 1 ? `Creates 1 pond: ${first}` : `Creates ${n} ponds: ${first} … ${last}`,
  skips: (n: number) =>
    n === 1 ? '1 code exists already and stays as it is.' : `${n} codes exist already and stay as they are.`,
  doing: (done: number, all: number) => `${done} of ${all} created…`,
  done: (n: number) => (n === 1 ? '1 pond created.' : `${n} ponds created.`),
  editPond: (cod: string) => `Pond ${cod}`,
  removePond: 'Delete pond',
  removePondTitle: (cod: string) => `Delete pond ${cod}?`,
  removePondText: 'Batches, measurements and alerts of this pond go from the lists.',
  typeName: (name: string) => `To confirm, type ${name}`,
  danger: 'Delete the farm',
  dangerText:
    'Ponds, batches, measurements, control points and schedules go from the lists. Controllers go on alone by the last schedule they got.',
  removeFarm: 'Delete farm',
  removeFarmTitle: (name: string) => `Delete the farm ${name}?`,
  removed: (name: string) => `${name} deleted.`,
  lostPonds: (all: string, active: string) => `Ponds: ${all}, in production ${active}`,
  lostShrimp: (kg: string) => `${kg} of shrimp`,
  lostPoints: (n: string) => `Control points with their schedules: ${n}`,
});
