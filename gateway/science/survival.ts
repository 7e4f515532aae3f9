import type { ScienceConstants } from './constants.ts';

const SPECIES = ['vannamei', 'monodon'] as const;
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

type Survival = ScienceConstants['survival'];

/**
 * A change of a batch's survival that somebody recorded. `counted`: all animals that were left alive beside the partial harvests,
 * where they were counted; `percent` is then what that came to when it was told, and what is known now of the stocking counts.
 */
export type SurvivalFact = { at: string; id: string } & (
  | { kind: 'SET'; percent: number; counted?: number | null }
  | LossFact
);

/**
 * Share of all animals of the batch that died, 0–1, as it was reckoned when it was told; `pondId`: all of them in that pond.
 * Where the dead were counted (`animals`), or told as a share of those in that pond (`pondShare`), that is what was said: what
 * came to be known afterwards of the days before it changes the share and not the dead.
 */
export type LossFact = {
  kind: 'LOSS';
  severity: number;
  pondId?: string | null;
  animals?: number | null;
  pondShare?: number | null;
};

const SURVIVAL_STATUSES = ['GOOD', 'ACCEPTABLE', 'POOR'] as const;
type SurvivalStatus = (typeof SURVIVAL_STATUSES)[number];

/**
 * Survival expected on a day of the cycle, % of the stocked animals, with constant mortality
 * n(t) = n₀·e^(−z·t). A reference only: what a farm recorded is the truth.
 *
 * @param stage a species in grow-out, or a nursery of either
 * @param cycleDays planned length of the cycle, days; null for the usual one of the stage
 * @returns 100 on day 0 and before, the share at harvest on the last day and after
 */
export function expectedSurvivalPercent(
  survival: Survival,
  stage: Species | 'nursery',
  age: { day: number; cycleDays: number | null },
): number {
  const cycleDays = age.cycleDays ?? survival.cycleDays[stage];
  if (cycleDays <= 0) return survival.atHarvestPercent[stage];
  const share = Math.min(1, Math.max(0, age.day / cycleDays));
  return 100 * (survival.atHarvestPercent[stage] / 100) ** share;
}

/**
 * Survival after an event that killed a share of the animals alive at that moment. Losses
 * compose by multiplication: two events of 0.2 leave 64 %, in either order.
 *
 * What events cost: handling 0.03–0.05 by pump, 0.05–0.10 by bucket; low oxygen or a bad molt
 * 0.02–0.10; IMNV 0.3–0.5; WSSV 0.8–1; an oxygen crash 0.5–1.
 *
 * @param percent survival before, 0–100
 * @param severity share of the living that died, 0–1
 * @returns percent with two decimals, and the change in percentage points (0 or less)
 */
export function adjustSurvival(
  percent: number,
  severity: number,
): { newPercent: number; adjustment: number } {
  const newPercent = Math.min(percent, twoDecimals(percent * (1 - severity)));
  return { newPercent, adjustment: twoDecimals(newPercent - percent) };
}

/**
 * Survival of a batch, %, from what was recorded: the facts in order of time (then of id, so
 * that every instance finds the same order), each SET replacing what was before, each LOSS
 * taking its share. Unrounded, so that the order of losses cannot change the answer.
 *
 * @param initialPercent the estimate given at stocking
 * @param upTo instant (ISO 8601, UTC) to look at; null for now
 */
export function survivalPercent(
  initialPercent: number,
  facts: readonly SurvivalFact[],
  upTo: string | null = null,
): number {
  return facts
    .filter((fact) => upTo === null || fact.at <= upTo)
    .toSorted((a, b) => inOrder(a.at, b.at) || inOrder(a.id, b.id))
    .reduce(
      (percent, fact) => (fact.kind === 'SET' ? fact.percent : percent * (1 - fact.severity)),
      initialPercent,
    );
}

/** GOOD from 80 %, ACCEPTABLE from 60 %, else POOR. */
export function survivalStatus(percent: number): SurvivalStatus {
  if (percent >= 80) return 'GOOD';
  return percent >= 60 ? 'ACCEPTABLE' : 'POOR';
}

function inOrder(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function twoDecimals(n: number): number {
  return Math.round(n * 100) / 100;
}
