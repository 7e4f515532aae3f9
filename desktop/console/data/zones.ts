import type { BrazilianState } from '#contract/words.ts';
import { spoken } from '#words/language.ts';

/** Brazilian states with the time zone that holds there (in the largest part of it). */
const STATES: Readonly<Record<BrazilianState, { name: string; zone: string }>> = {
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

/** Other countries that farm shrimp, with the zone of their ponds. */
const COUNTRIES = {
  BZ: 'America/Belize',
  CO: 'America/Bogota',
  CR: 'America/Costa_Rica',
  CU: 'America/Havana',
  DO: 'America/Santo_Domingo',
  EC: 'America/Guayaquil',
  GT: 'America/Guatemala',
  HN: 'America/Tegucigalpa',
  MX: 'America/Mazatlan',
  NI: 'America/Managua',
  PA: 'America/Panama',
  PE: 'America/Lima',
  SV: 'America/El_Salvador',
  VE: 'America/Caracas',
} as const;

type Place = { code: string; name: string; zone: string };

/** Where a farm may lie: states of Brazil and other countries, those first whose language is spoken, and the likeliest of all. */
export function farmPlaces(): { places: readonly Place[]; likeliest: string } {
  const nameOf = new Intl.DisplayNames(spoken.formats, { type: 'region' });
  const byName = (a: Place, b: Place) => a.name.localeCompare(b.name);
  const states = Object.entries(STATES).map(([code, state]) => ({ code: `BR-${code}`, ...state }));
  const countries = Object.entries(COUNTRIES).map(([code, zone]) => ({
    code,
    name: nameOf.of(code) ?? code,
    zone,
  }));
  const own = countries.find(({ code }) => spoken.formats.endsWith(`-${code}`))?.code;
  const [first, then] = own === undefined ? [states, countries] : [countries, states];
  return {
    places: [...first.toSorted(byName), ...then.toSorted(byName)],
    likeliest: own ?? 'BR-CE',
  };
}

/** The zones a farm may choose among, its own in any case. */
export const zonesWith = (own: string): readonly string[] =>
  [...new Set([own, 'America/Noronha', ...farmPlaces().places.map(({ zone }) => zone)])].sort();
