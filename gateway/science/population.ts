import { type SurvivalFact, survivalPercent } from './survival.ts';

/**
 * Where the animals of a batch are, in stocking equivalents: q animals alive at survival S stand for q / S stocked ones.
 * Moving equivalents instead of animals makes deaths and moves commute: what dies later dies in every pond alike, and a
 * harvested animal cannot die any more.
 */
export type BatchAnimals = {
  firstPondId: string;
  initialCount: number;
  /** Per cent at stocking, and what was recorded since. */
  initialSurvivalPercent: number;
  survivalFacts: readonly SurvivalFact[];
  /** In any order; those of the same instant count in order of id, so that every instance finds the same. */
  steps: readonly PopulationStep[];
};

export type PopulationStep = { id: string; at: string; quantity: number } & (
  | {
      kind: 'TRANSFER';
      fromPondId: string;
      toPondId: string;
      /** Share that dies of the move, 0–1: 0.03–0.05 by pump, 0.05–0.10 by bucket; 0 unless somebody says so. */
      mortality?: number;
    }
  /** `pondId` null: from all ponds alike. */
  | { kind: 'HARVEST'; pondId: string | null }
);

/** A step that took more animals than there were. */
export type Overdraw = { stepId: string; pondId: string | null; quantity: number; available: number };

export type Population = {
  /** Per pond; below 0 only after an overdraw. Stocked = ponds + harvested + lost in moves, always. */
  equivalentsByPond: ReadonlyMap<string, number>;
  harvestedEquivalents: number;
  lostEquivalents: number;
  /** Per cent at that time. */
  survivalPercent: number;
  /** In order of time; empty when every step found its animals. */
  overdraws: readonly Overdraw[];
};

/** Equivalents this close to a whole animal are one: floating point must not cost a shrimp. */
const HAIR = 1e-6;

/**
 * Replays a batch's moves and partial harvests in order of time.
 *
 * A step that takes more than is there is carried out all the same and reported: two instances may have moved the same
 * animals, and no row may be dropped; such a pond shows 0 until somebody corrects the chain.
 *
 * @param upTo last instant (ISO 8601, UTC) to count; null for all of it
 */
export function replayPopulation(batch: BatchAnimals, upTo: string | null = null): Population {
  const ledger: Ledger = {
    ponds: new Map([[batch.firstPondId, batch.initialCount]]),
    harvested: 0,
    harvestedAnimals: 0,
    lost: 0,
    overdraws: [],
  };
  for (const event of inOrder(batch)) {
    if (upTo !== null && event.at > upTo) break;
    if (event.kind === 'SET') {
      countAnew(ledger, event.percent / 100);
      continue;
    }
    const percent = survivalPercent(batch.initialSurvivalPercent, batch.survivalFacts, event.at);
    carryOut(ledger, event, percent / 100);
  }
  return {
    equivalentsByPond: ledger.ponds,
    harvestedEquivalents: ledger.harvested,
    lostEquivalents: ledger.lost,
    survivalPercent: survivalPercent(batch.initialSurvivalPercent, batch.survivalFacts, upTo),
    overdraws: ledger.overdraws,
  };
}

/** Whole animals alive in a pond, never below 0. */
export function animalsIn(population: Population, pondId: string): number {
  return wholeAnimals(population.equivalentsByPond.get(pondId) ?? 0, population.survivalPercent / 100);
}

/** Whole animals alive per pond, ponds without any left out; most animals first, then by pond. */
export function animalsByPond(population: Population): Map<string, number> {
  const counted = [...population.equivalentsByPond.keys()]
    .map((pondId): [string, number] => [pondId, animalsIn(population, pondId)])
    .filter(([, animals]) => animals > 0);
  return new Map(counted.sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1)));
}

/**
 * Animals alive in all ponds together, unrounded and never below 0: what biomass is computed from. With the survival
 * that stood at the harvests, or was set since, it is stocked × survival − harvested − lost in moves; losses strike only
 * those that were still there.
 */
export function animalsAlive(population: Population): number {
  const equivalents = [...population.equivalentsByPond.values()].reduce((sum, ofPond) => sum + ofPond, 0);
  return Math.max(0, (equivalents * population.survivalPercent) / 100);
}

type Ledger = {
  ponds: Map<string, number>;
  harvested: number;
  harvestedAnimals: number;
  lost: number;
  overdraws: Overdraw[];
};

/**
 * A survival that somebody sets is a share of all that were stocked, the harvested among them: the harvests stand for as
 * many stocked ones as that share says, and the ponds hold the rest.
 */
function countAnew(ledger: Ledger, survival: number): void {
  // when everything is said to be dead nothing can be shared; a later count shares it
  if (survival <= 0) return;
  const harvested = ledger.harvestedAnimals / survival;
  takeFromAll(ledger.ponds, harvested - ledger.harvested);
  ledger.harvested = harvested;
}

function carryOut(ledger: Ledger, step: PopulationStep, survival: number): void {
  const pondId = step.kind === 'TRANSFER' ? step.fromPondId : step.pondId;
  const there = pondId === null ? sumOf(ledger.ponds) : (ledger.ponds.get(pondId) ?? 0);
  const available = wholeAnimals(there, survival);
  if (step.quantity > available) {
    ledger.overdraws.push({ stepId: step.id, pondId, quantity: step.quantity, available });
  }
  // Nothing lives at survival 0: such a step moves nobody, and is an overdraw.
  const moved = survival > 0 ? step.quantity / survival : 0;
  if (step.kind === 'TRANSFER') {
    const lost = moved * (step.mortality ?? 0);
    add(ledger.ponds, step.fromPondId, -moved);
    add(ledger.ponds, step.toPondId, moved - lost);
    ledger.lost += lost;
    return;
  }
  ledger.harvested += moved;
  ledger.harvestedAnimals += step.quantity;
  if (pondId !== null) add(ledger.ponds, pondId, -moved);
  else takeFromAll(ledger.ponds, moved);
}

/** Every pond gives the same share of its animals. */
function takeFromAll(ponds: Map<string, number>, moved: number): void {
  const holding = [...ponds].filter(([, equivalents]) => equivalents > 0);
  const total = holding.reduce((sum, [, equivalents]) => sum + equivalents, 0);
  const [anyPond] = ponds.keys();
  if (total > 0) for (const [pondId, there] of holding) add(ponds, pondId, (-moved * there) / total);
  // Nobody left to give: the books must still balance.
  else if (anyPond !== undefined) add(ponds, anyPond, -moved);
}

function add(ponds: Map<string, number>, pondId: string, equivalents: number): void {
  ponds.set(pondId, (ponds.get(pondId) ?? 0) + equivalents);
}

function sumOf(ponds: ReadonlyMap<string, number>): number {
  return [...ponds.values()].reduce((sum, there) => sum + Math.max(0, there), 0);
}

function wholeAnimals(equivalents: number, survival: number): number {
  return Math.max(0, Math.floor(equivalents * survival + HAIR));
}

type SetSurvival = Extract<SurvivalFact, { kind: 'SET' }>;

/** At the same instant survival goes before steps, which count with it. */
function inOrder({ steps, survivalFacts }: BatchAnimals): (PopulationStep | SetSurvival)[] {
  const sets = survivalFacts.filter((fact) => fact.kind === 'SET');
  const rank = ({ kind }: PopulationStep | SetSurvival) => (kind === 'SET' ? '0' : '1');
  return [...sets, ...steps].toSorted(
    (a, b) => compare(a.at, b.at) || compare(rank(a), rank(b)) || compare(a.id, b.id),
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
