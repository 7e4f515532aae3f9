import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/registers.ts';

export const aeratorWords = translation<typeof source.aeratorWords>({
  add: 'Registrar aireador',
  addTo: (pond: string) => `Aireador en ${pond}`,
  proposed: (n: number) => `Aireador ${n}`,
  edit: (name: string) => `Cambiar ${name}`,
  remove: (name: string) => `Quitar ${name}`,
  removeText: 'Su potencia sale de las cuentas de energía y de aireación. Ningún motor se apaga.',
  name: 'Nombre',
  power: 'Potencia',
  powerHint: '1 CV = 0,74 kW',
  number: 'Número de serie',
  numberHint: 'Único en todas las camaroneras; el propuesto sirve.',
  taken: 'Ya existe un aireador con este número de serie.',
  text: 'La potencia entra en el gasto de energía y en el cálculo de aireación de la piscina.',
});

export const addressWords = translation<typeof source.addressWords>({
  title: 'Direcciones',
  text: 'Para la factura y para la posición de la camaronera.',
  none: 'Ninguna dirección.',
  add: 'Agregar dirección',
  edit: (street: string) => `Cambiar ${street}`,
  remove: (street: string) => `Borrar ${street}`,
  removeText: 'La dirección sale de la cuenta.',
  primary: 'Principal',
  street: 'Calle o carretera',
  number: 'Número',
  complement: 'Complemento',
  city: 'Ciudad',
  state: 'Estado',
  zip: 'Código postal (CEP)',
  zipBad: 'El CEP tiene 8 números: 60160-230.',
});
