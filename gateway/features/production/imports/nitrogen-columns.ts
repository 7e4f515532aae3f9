import { type Unit, unitOf } from './units.ts';

// Ammonia, nitrite and nitrate are written as nitrogen or as the ion, ammonia also in all or only what is poisonous of it. What a
// heading says of that decides the figure by a factor of up to fifty, so that nothing of it is guessed.

export type Nitrogen = 'ammonia' | 'nitrite' | 'nitrate';

/** What a figure counts: nitrogen, or the whole ion or molecule; of ammonia in all (TAN, NH4) or un-ionised (NH3-N, NH3). */
export type Basis = 'N' | 'NO2' | 'NO3' | 'TAN' | 'NH4' | 'NH3-N' | 'NH3';

/** Nitrogen in one of it, by molar masses (IUPAC 2021: N 14.007, O 15.999, H 1.008). */
const NITROGEN_IN: Readonly<Record<Basis, number>> = {
  N: 1,
  NO2: 14.007 / 46.005,
  NO3: 14.007 / 62.004,
  TAN: 1,
  NH4: 14.007 / 18.039,
  'NH3-N': 1,
  NH3: 14.007 / 17.031,
};

const BASES: Readonly<Record<Nitrogen, readonly Basis[]>> = {
  ammonia: ['TAN', 'NH4', 'NH3-N', 'NH3'],
  nitrite: ['N', 'NO2'],
  nitrate: ['N', 'NO3'],
};

export const isNitrogen = (column: string): column is Nitrogen => Object.hasOwn(BASES, column);

/** In words that `basisUnit` reads. */
export const basisUnitsFor = (column: string): string[] =>
  isNitrogen(column) ? BASES[column].map((basis) => `mg/L ${basis}`) : [];

/** What a figure on a basis is to be multiplied by. */
export const nitrogenIn = (basis: Basis): number => NITROGEN_IN[basis];

/** Of which kind of ammonia a basis is. */
export const ammoniaKind = (basis: Basis): 'TAN' | 'NH3' =>
  basis === 'TAN' || basis === 'NH4' ? 'TAN' : 'NH3';

/** `mg/L NO2`, as somebody says the unit of a column; null: it says no basis of that column. */
export function basisUnit(column: string, text: string): { unit: Unit; basis: Basis } | null {
  if (!isNitrogen(column)) return null;
  const [, concentration = '', said = ''] = /^(\S+)\s+(\S+)$/.exec(text.trim()) ?? [];
  const unit = unitOf(concentration);
  const basis = BASES[column].find((each) => each.toLowerCase() === said.toLowerCase());
  return unit === null || basis === undefined ? null : { unit, basis };
}

export type NitrogenHeading = {
  column: Nitrogen;
  unit: { text: string; unit: Unit } | null;
  /** null: none is said, and that of the farm's own figures holds; `ASK`: it may be several. */
  basis: Basis | 'ASK' | null;
  /** A word for the total in chemistry and for whatever the kit shows at the pond. */
  isAmmoniumByName: boolean;
};

const NAMES: Readonly<Record<Nitrogen, readonly string[]>> = {
  nitrite: ['nitrito', 'nitritos', 'nitrite', 'nitrites', 'no2'],
  nitrate: ['nitrato', 'nitratos', 'nitrate', 'nitrates', 'no3'],
  ammonia: ['amonia', 'ammonia', 'amoniaco', 'amoniacal', 'amonio', 'ammonium', 'nh3', 'nh4', 'tan', 'nat'],
};
const OF_NITROGEN = ['n', 'nitrogenio', 'nitrogen', 'nitrogeno'];
const WHOLE = ['as', 'como'];
const BESIDE =
  'total totais totales un nao no non ionizada ionizado ionized ionised unionized unionised toxica toxico toxic free livre libre em en de do da del e y and conc concentracao concentration concentracion agua water na in la el';
const KNOWN_WORDS = new Set([...Object.values(NAMES).flat(), ...OF_NITROGEN, ...WHOLE, ...BESIDE.split(' ')]);
const CONCENTRATION = /(?:mg|[uμ]g)\s*\/\s*l|mg[\s.·]*l-1|mg_l|\bpp[mb]\b/i;
const LONGEST = 80;

/** What a heading of these says; null: it is of something else, or says more than is understood. */
export function nitrogenHeading(heading: string): NitrogenHeading | null {
  if (heading.length > LONGEST) return null;
  const said = heading.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const [concentration = ''] = CONCENTRATION.exec(said) ?? [];
  const plain = said.toLowerCase();
  const words = plain
    .replace(CONCENTRATION, ' ')
    // NO2N, NNO2
    .replaceAll(/\b(no[23]|nh[34])n\b/g, '$1 n')
    .replaceAll(/\bn(no[23]|nh[34])\b/g, 'n $1')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.some((word) => !KNOWN_WORDS.has(word))) return null;
  const has = (...any: string[]) => any.some((word) => words.includes(word));
  const found = (Object.keys(NAMES) as Nitrogen[]).filter((column) => has(...NAMES[column]));
  const [column] = found;
  if (column === undefined || found.length > 1) return null;
  const basis = column === 'ammonia' ? ammoniaBasis(has) : ionBasis(column, has);
  return {
    column,
    unit: unitSaid(concentration, basis),
    basis,
    isAmmoniumByName: basis === null && has('amonio'),
  };
}

/** `mg/L NO3`; null: neither is said. */
function unitSaid(
  concentration: string,
  basis: NitrogenHeading['basis'],
): { text: string; unit: Unit } | null {
  const unit = concentration === '' ? 'mg/L' : (unitOf(concentration.replace('_', '/')) ?? 'other');
  const text = concentration === '' ? 'mg/L' : concentration;
  if (basis !== null && basis !== 'ASK') return { text: `${text} ${basis}`, unit };
  return concentration === '' ? null : { text, unit };
}

type Has = (...any: string[]) => boolean;

function ionBasis(column: 'nitrite' | 'nitrate', has: Has): NitrogenHeading['basis'] {
  if (has(...OF_NITROGEN)) return 'N';
  const ion = column === 'nitrite' ? ('NO2' as const) : ('NO3' as const);
  // "nitrate (as NO3)" says which; "NO3" alone is what laboratories write for both
  if (!has(ion.toLowerCase())) return null;
  return has(...WHOLE) ? ion : 'ASK';
}

function ammoniaBasis(has: Has): NitrogenHeading['basis'] {
  const isAsN = has(...OF_NITROGEN, 'tan', 'nat', 'amoniacal');
  const isFree = has(
    'ionizada',
    'ionizado',
    'ionized',
    'ionised',
    'unionized',
    'unionised',
    'toxica',
    'toxico',
    'toxic',
    'free',
    'livre',
    'libre',
  );
  if (isFree) return isAsN ? 'NH3-N' : 'ASK';
  const isTotal =
    has('total', 'totais', 'totales', 'tan', 'nat', 'amoniacal', 'nh4', 'ammonium') ||
    (has('amonio') && has('amonia', 'amoniaco', 'nh3'));
  // NH3-N is what laboratories call both the total and the poisonous part; NH3 and NH4 may be nitrogen or not
  if (isTotal) return !isAsN && has('nh3', 'nh4', 'ammonium', 'amonio') ? 'ASK' : 'TAN';
  if (has('nh3')) return 'ASK';
  return isAsN ? 'TAN' : null;
}
