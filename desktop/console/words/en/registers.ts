import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/registers.ts';

export const aeratorWords = translation<typeof source.aeratorWords>({
  add: 'Add an aerator',
  addTo: (pond: string) => `Aerator in ${pond}`,
  proposed: (n: number) => `Aerator ${n}`,
  edit: (name: string) => `Change ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeText: 'Its power leaves the figures of energy and aeration. No motor is switched off.',
  name: 'Name',
  power: 'Power',
  powerHint: '1 metric hp = 0.74 kW',
  number: 'Serial number',
  numberHint: 'Unique on all farms; the proposed one will do.',
  taken: 'There is an aerator of this serial number already.',
  text: 'The power goes into the use of energy and into the aeration that the pond needs.',
});

export const addressWords = translation<typeof source.addressWords>({
  title: 'Addresses',
  text: 'For the invoice and for the position of the farm.',
  none: 'No address.',
  add: 'Add an address',
  edit: (street: string) => `Change ${street}`,
  remove: (street: string) => `Delete ${street}`,
  removeText: 'The address leaves the account.',
  primary: 'Primary',
  street: 'Street or road',
  number: 'Number',
  complement: 'Second line',
  city: 'City',
  state: 'State',
  zip: 'Postal code (CEP)',
  zipBad: 'A CEP has 8 digits: 60160-230.',
});
