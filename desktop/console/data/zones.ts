import type { BrazilianState } from '#contract/words.ts';

/** Brazilian states with the time zone that holds there (in the largest part of it). */
export const STATES: Readonly<Record<BrazilianState, { name: string; zone: string }>> = {
  AC: { name: 'Acre', zone: 'America/Rio_Branco' },
  AL: { name: 'Alagoas', zone: 'America/Maceio' },
  AP: { name: 'Amapá', zone: 'America/Belem' },
  AM: { name: 'Amazonas', zone: 'America/Manaus' },
  BA: { name: 'Bahia', zone: 'America/Bahia' },
  CE: { name: 'Ceará', zone: 'America/Fortaleza' },
  DF: { name: 'Distrito Federal', zone: 'America/Sao_Paulo' },
  ES: { name: 'Espírito Santo', zone: 'America/Sao_Paulo' },
  GO: { name: 'Goiás', zone: 'America/Sao_Paulo' },
  MA: { name: 'Maranhão', zone: 'America/Fortaleza' },
  MT: { name: 'Mato Grosso', zone: 'America/Cuiaba' },
  MS: { name: 'Mato Grosso do Sul', zone: 'America/Campo_Grande' },
  MG: { name: 'Minas Gerais', zone: 'America/Sao_Paulo' },
  PA: { name: 'Pará', zone: 'America/Belem' },
  PB: { name: 'Paraíba', zone: 'America/Fortaleza' },
  PR: { name: 'Paraná', zone: 'America/Sao_Paulo' },
  PE: { name: 'Pernambuco', zone: 'America/Recife' },
  PI: { name: 'Piauí', zone: 'America/Fortaleza' },
  RJ: { name: 'Rio de Janeiro', zone: 'America/Sao_Paulo' },
  RN: { name: 'Rio Grande do Norte', zone: 'America/Fortaleza' },
  RS: { name: 'Rio Grande do Sul', zone: 'America/Sao_Paulo' },
  RO: { name: 'Rondônia', zone: 'America/Porto_Velho' },
  RR: { name: 'Roraima', zone: 'America/Boa_Vista' },
  SC: { name: 'Santa Catarina', zone: 'America/Sao_Paulo' },
  SP: { name: 'São Paulo', zone: 'America/Sao_Paulo' },
  SE: { name: 'Sergipe', zone: 'America/Maceio' },
  TO: { name: 'Tocantins', zone: 'America/Araguaina' },
};

/** The zones a farm may choose among, its own in any case. */
export const zonesWith = (own: string): readonly string[] =>
  [...new Set([own, 'America/Noronha', ...Object.values(STATES).map(({ zone }) => zone)])].sort();
