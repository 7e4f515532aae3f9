export const SPECIES = ['vannamei', 'monodon'] as const;
export type Species = (typeof SPECIES)[number];

const NAMES: Record<Species, readonly string[]> = {
  vannamei: ['vannamei', 'whiteleg', 'cinza', 'branco'],
  monodon: ['monodon', 'tiger', 'tigre'],
};

/**
 * Which growth and feeding tables a batch's species name means. Case, accents, spaces and
 * hyphens do not matter ("White-leg shrimp", "CAMARÃO TIGRE").
 *
 * @returns `isKnown: false` with the vannamei tables for any other name; advice then says so.
 */
export function speciesOf(name: string): { species: Species; isKnown: boolean } {
  const letters = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  const species = SPECIES.find((each) => NAMES[each].some((word) => letters.includes(word)));
  return { species: species ?? 'vannamei', isKnown: species !== undefined };
}
