import { source } from '../../i18n/catalogue.ts';

export const aeratorWords = source({
  add: 'Cadastrar aerador',
  addTo: (pond: string) => `Aerador em ${pond}`,
  proposed: (n: number) => `Aerador ${n}`,
  edit: (name: string) => `Mudar ${name}`,
  remove: (name: string) => `Remover ${name}`,
  removeText: 'A potência dele sai das contas de energia e de aeração. Nenhum motor é desligado.',
  name: 'Nome',
  power: 'Potência',
  powerHint: '1 cv = 0,74 kW',
  number: 'Número de série',
  numberHint: 'Único em todas as fazendas; o proposto serve.',
  taken: 'Já existe um aerador com este número de série.',
  text: 'A potência entra no gasto de energia e no cálculo de aeração do viveiro.',
});

export const addressWords = source({
  title: 'Endereços',
  text: 'Para a cobrança e para a posição da fazenda.',
  none: 'Nenhum endereço.',
  add: 'Acrescentar endereço',
  edit: (street: string) => `Mudar ${street}`,
  remove: (street: string) => `Apagar ${street}`,
  removeText: 'O endereço sai da conta.',
  primary: 'Principal',
  street: 'Rua ou estrada',
  number: 'Número',
  complement: 'Complemento',
  city: 'Cidade',
  state: 'Estado',
  zip: 'CEP',
  zipBad: 'O CEP tem 8 números: 60160-230.',
});
