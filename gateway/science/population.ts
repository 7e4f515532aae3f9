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
  /** A loss that names a pond is a share of the whole batch all the same, and taken from that pond alone. */
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
  /** By fact: whole animals that died of a loss, and were alive after it, in its pond or the batch. */
  losses: ReadonlyMap<string, { died: number; left: number }>;
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
    percent: batch.initialSurvivalPercent,
    told: [],
    ponds: new Map([[batch.firstPondId, batch.initialCount]]),
    harvested: 0,
    harvestedAnimals: 0,
    lost: 0,
    overdraws: [],
    losses: new Map(),
  };
  for (const event of inOrder(batch)) {
    if (upTo !== null && event.at > upTo) break;
    if (event.kind === 'SET') {
      const percent = percentSet(batch, event);
      countAnew(ledger, percent / 100);
      ledger.percent = percent;
      ledger.told.push({ ...event, percent });
    } else if (event.kind === 'LOSS') lose(ledger, event);
    else carryOut(ledger, event, ledger.percent / 100);
    settle(ledger.ponds);
  }
  return {
    equivalentsByPond: ledger.ponds,
    harvestedEquivalents: ledger.harvested,
    lostEquivalents: ledger.lost,
    survivalPercent: survivalPercent(batch.initialSurvivalPercent, ledger.told),
    overdraws: ledger.overdraws,
    losses: ledger.losses,
  };
}

/** Steps that take more than there is, and were not short of as many before. */
export function worsened(before: Population, after: Population): Overdraw[] {
  const short = ({ quantity, available }: Overdraw): number => quantity - available;
  const shortBefore = new Map(before.overdraws.map((overdraw) => [overdraw.stepId, short(overdraw)]));
  return after.overdraws.filter((overdraw) => short(overdraw) > (shortBefore.get(overdraw.stepId) ?? 0));
}

/** Whole animals alive in a pond, never below 0. */
export function animalsIn(population: Population, pondId: string): number {
  return animalsByPond(population).get(pondId) ?? 0;
}

/**
 * Whole animals alive per pond, ponds without any left out; most animals first, then by pond. Together they are those of
 * the batch: what rounding down leaves over goes to the ponds that miss the least to one more.
 */
export function animalsByPond(population: Population): Map<string, number> {
  const counted = wholePerPond(population.equivalentsByPond, population.survivalPercent / 100);
  return new Map(
    [...counted]
      .filter(([, animals]) => animals > 0)
      .sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1)),
  );
}

/** The same unrounded, never below 0: what biomass and shares are computed from. */
export function aliveByPond({
  equivalentsByPond,
  survivalPercent: percent,
}: Population): Map<string, number> {
  return new Map(
    [...equivalentsByPond].map(([pondId, there]) => [pondId, Math.max(0, (there * percent) / 100)]),
  );
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
  /** Survival so far, per cent, and the facts it follows from, losses with the share they came to. */
  percent: number;
  told: SurvivalFact[];
  ponds: Map<string, number>;
  harvested: number;
  harvestedAnimals: number;
  lost: number;
  overdraws: Overdraw[];
  losses: Map<string, { died: number; left: number }>;
};

/** Of a count at the end: the share of the stocked that was harvested, then and before; more than were stocked are all of them. */
function percentSet({ initialCount, steps }: BatchAnimals, { percent, counted = null }: SetSurvival): number {
  if (counted === null || initialCount <= 0) return percent;
  const before = steps.reduce((sum, { kind, quantity }) => sum + (kind === 'HARVEST' ? quantity : 0), 0);
  return Math.min(100, (100 * (counted + before)) / initialCount);
}

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

function lose(ledger: Ledger, loss: Loss): void {
  const { id, pondId = null, animals = null, pondShare = null } = loss;
  const before = wholeIn(ledger, pondId);
  const total = wholeIn(ledger, null);
  const severity = shareOf(ledger, loss, before);
  if (pondId !== null) loseInOnePond(ledger, { ...loss, pondId, severity });
  ledger.percent *= 1 - severity;
  ledger.told.push({ ...loss, severity });
  const left = wholeIn(ledger, pondId);
  ledger.losses.set(id, { died: before - left, left });
  // a share of nobody: as many as it was of when it was told
  const quantity = animals ?? (pondShare === null || before > 0 ? 0 : Math.ceil(loss.severity * total));
  if (quantity > before) ledger.overdraws.push({ stepId: id, pondId, quantity, available: before });
}

/** Share of all animals alive then that a loss killed. `alive`: whole animals where it struck. */
function shareOf({ ponds, percent }: Ledger, loss: Loss, alive: number): number {
  const { severity, pondId = null, animals = null, pondShare = null } = loss;
  if (animals === null && pondShare === null) return severity;
  const total = [...ponds.values()].reduce((sum, there) => sum + there, 0);
  if (total <= 0 || percent <= 0) return 0;
  const there = pondId === null ? total : Math.max(0, ponds.get(pondId) ?? 0);
  // the last animal may have been a part of one
  if (animals !== null)
    return (animals >= alive ? there : Math.min(there, (animals * 100) / percent)) / total;
  return ((pondShare ?? 0) * there) / total;
}

function wholeIn({ ponds, percent }: Ledger, pondId: string | null): number {
  const counted = wholePerPond(ponds, percent / 100);
  return pondId === null
    ? [...counted.values()].reduce((sum, animals) => sum + animals, 0)
    : (counted.get(pondId) ?? 0);
}

/**
 * Animals of one pond died: its share of the batch goes down, that of the others up, by as much as the survival of the
 * batch falls with it.
 */
function loseInOnePond(ledger: Ledger, { id, pondId, severity }: PondLoss): void {
  const { ponds } = ledger;
  const total = [...ponds.values()].reduce((sum, there) => sum + there, 0);
  // where all died there is nothing to share
  if (total <= 0 || severity <= 0 || severity >= 1) return;
  const there = ponds.get(pondId) ?? 0;
  const died = severity * total;
  for (const [each, equivalents] of ponds) ponds.set(each, equivalents / (1 - severity));
  add(ponds, pondId, -died / (1 - severity));
  if (died > there + total * HAIR)
    ledger.overdraws.push({
      stepId: id,
      pondId,
      quantity: Math.ceil(died),
      available: wholeAnimals(there, 1),
    });
  else if (died > there * (1 - HAIR)) ponds.set(pondId, 0);
}

function carryOut(ledger: Ledger, step: PopulationStep, survival: number): void {
  const pondId = step.kind === 'TRANSFER' ? step.fromPondId : step.pondId;
  const available =
    pondId === null
      ? wholeAnimals(sumOf(ledger.ponds), survival)
      : (wholePerPond(ledger.ponds, survival).get(pondId) ?? 0);
  if (step.quantity > available) {
    ledger.overdraws.push({ stepId: step.id, pondId, quantity: step.quantity, available });
  }
  // Nothing lives at survival 0: such a step moves nobody, and is an overdraw.
  const moved = survival > 0 ? step.quantity / survival : 0;
  if (pondId !== null && step.quantity <= available) roundUp(ledger.ponds, pondId, moved);
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

/** The last animal of a pond may have been a part of one: the other ponds give the rest of it. */
function roundUp(ponds: Map<string, number>, pondId: string, moved: number): void {
  const missing = moved - (ponds.get(pondId) ?? 0);
  if (missing <= 0) return;
  ponds.delete(pondId);
  takeFromAll(ponds, missing);
  ponds.set(pondId, moved);
}

/**
 * What a pond owes, since more was taken than it was thought to hold, the others give: together they hold those of the batch,
 * which lives nowhere else. Owed by all of them it stays owed.
 */
function settle(ponds: Map<string, number>): void {
  const owing = [...ponds].filter(([, equivalents]) => equivalents < 0);
  if (owing.length === 0 || owing.length === ponds.size) return;
  for (const [pondId] of owing) ponds.set(pondId, 0);
  takeFromAll(ponds, -owing.reduce((sum, [, equivalents]) => sum + equivalents, 0));
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

/** What is left over by rounding down each pond goes, animal by animal, to those with the largest part of one. */
function wholePerPond(ponds: ReadonlyMap<string, number>, survival: number): Map<string, number> {
  const whole = new Map([...ponds].map(([pondId, there]) => [pondId, wholeAnimals(there, survival)]));
  const total = wholeAnimals(
    [...ponds.values()].reduce((sum, there) => sum + there, 0),
    survival,
  );
  let left = total - [...whole.values()].reduce((sum, animals) => sum + animals, 0);
  const partOf = ([pondId, there]: [string, number]) => there * survival - (whole.get(pondId) ?? 0);
  const byPart = [...ponds].sort((a, b) => partOf(b) - partOf(a) || compare(a[0], b[0]));
  for (const [pondId] of byPart) {
    if (left <= 0) break;
    whole.set(pondId, (whole.get(pondId) ?? 0) + 1);
    left -= 1;
  }
  return whole;
}

type SetSurvival = Extract<SurvivalFact, { kind: 'SET' }>;
type Loss = Extract<SurvivalFact, { kind: 'LOSS' }>;
type PondLoss = Loss & { pondId: string };

/** At the same instant survival goes before steps, which count with it. */
function inOrder({ steps, survivalFacts }: BatchAnimals): (PopulationStep | SetSurvival | Loss)[] {
  const rank = ({ kind }: PopulationStep | SurvivalFact) => (kind === 'SET' || kind === 'LOSS' ? '0' : '1');
  return [...survivalFacts, ...steps].toSorted(
    (a, b) => compare(a.at, b.at) || compare(rank(a), rank(b)) || compare(a.id, b.id),
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
