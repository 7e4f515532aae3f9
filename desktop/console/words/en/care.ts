import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/care.ts';

export const careWords = translation<typeof source.careWords>({
  update: 'Program of the gateway',
  version: 'Version that runs',
  steps: {
    rest: 'nothing under way',
    fetching: 'fetching the package',
    staging: 'preparing',
    staged: 'ready; begins with the next start',
    trial: 'the new version runs on trial',
  },
  toVersion: (version: string) => `version ${version}`,
  results: {
    updated: 'updated',
    rolled_back: 'went back to the one before',
    refused: 'refused',
    interrupted: 'interrupted',
    damaged: 'damaged package',
  },
  last: 'Last update',
  notManaged: 'This installation does not update itself: update it by the system of the machine.',
  aside: (file: string) => `What was entered after the switch is in ${file}.`,
  from: 'From where',
  fromHosted: 'From the cloud',
  fromOther: 'From a stick or an address',
  place: 'File, folder or https address',
  placeHint: 'Only signed packages are taken.',
  older: 'Take an older version',
  run: 'Update the program',
  ask: 'Update the program of the gateway?',
  askText:
    'The console is gone for a minute or two. The controllers follow their last schedule. If the new version does not prove itself, the one before comes back by itself.',
  begun: 'The update has begun',
  support: 'Package for support',
  supportText: 'State, versions and logs of the gateway in one file, without passwords and keys.',
  supportGet: 'Download package',
  qr: 'QR code of the gateway',
  qrText: 'Address and code of trust, for the label on the box. Programs on the PC and controllers read it.',
  qrLabel: 'QR code with address and code of the gateway',
  qrGet: 'Download for printing (SVG)',
});
