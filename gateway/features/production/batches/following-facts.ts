import { survivalChange } from '#contract/resources/batches.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import { replayPopulation } from '#science/population.ts';
import type { BatchHistory, Reweighed, ToldOtherwise } from '../batch-state.ts';
import { type ChangeBatchDeps, touched } from './batch-state.ts';
import { inPlaceOf, lossesOf, missedBy, requireHistory } from './losses.ts';
import type { LossRow } from './ports.ts';

type By = Pick<Caller, 'userId'>;

// What is reckoned from another record, and follows where that is corrected, or entered later.

/**
 * What follows from weighings that are new, corrected, or deleted. A weighing is what the scales said, and never refused for
 * what follows: where more would then be dead or moved than lived, losses stay as they were told (`lossesStand`).
 */
export async function followWeighings(
  deps: ChangeBatchDeps,
  by: By,
  batchId: string,
  weighings: readonly Reweighed[],
): Promise<{ changes: Change[]; lossesStand: boolean }> {
  const history = await requireHistory(deps, batchId);
  const reckoned = await followingLosses(deps, by, history, { weighings });
  const { animals } = history.asIf({ weighings, survival: reckoned });
  const missed = missedBy(replayPopulation(history.animals), replayPopulation(animals), { animals });
  const survival = missed === null ? reckoned : [];
  const after = history.asIf({ weighings, survival });
  return {
    changes: [
      ...survival.map((fact) => insert(survivalChange, fact)),
      ...(survival.length === 0 ? [] : [touched(history.state, isoOf(deps.now()))]),
      ...(await weightsOfMoves(deps, { before: history, after })),
    ],
    lossesStand: missed !== null,
  };
}

/**
 * What follows from a loss that is new, corrected or taken back. Where ponds weigh apart, it decides what the animals of the
 * batch weighed at later losses and moves; those that would then miss their animals stay as they were told.
 */
export async function followLoss(deps: ChangeBatchDeps, by: By, fact: LossRow): Promise<Change[]> {
  const history = await requireHistory(deps, fact.batch_id);
  const told = history.asIf({ survival: [fact] });
  const [, ...others] = await followingLosses(deps, by, history, { survival: [fact] });
  const after = history.asIf({ survival: [fact, ...others] });
  const { animals } = after;
  if (missedBy(replayPopulation(told.animals), replayPopulation(animals), { animals }) !== null) return [];
  return [
    ...others.map((other) => insert(survivalChange, other)),
    ...(await weightsOfMoves(deps, { before: history, after })),
  ];
}

/** Losses that were told by weight, as animals of the right one: by another stocking, or another weighing. */
export async function followingLosses(
  deps: ChangeBatchDeps,
  by: By,
  history: BatchHistory,
  told: ToldOtherwise,
): Promise<LossRow[]> {
  const { id: batchId } = history.state.batch;
  const survival = (told.survival ?? []).slice();
  // oldest first: how many died of one decides where the others were left
  for (const loss of (await lossesOf(deps, batchId)).reverse()) {
    const { id: corrects, pond_id: pondId, changed_at: at, weight_kg: kg, animals, value } = loss;
    if (kg === null || animals === null || told.survival?.some((fact) => fact.corrects === corrects))
      continue;
    const inPlace = (died: number) => {
      const told = { animals: died, weight_kg: kg, pond_id: pondId, pond_share: loss.pond_share, corrects };
      const { description } = loss;
      const step = { kind: 'FACTOR' as const, value: Math.min(1, (value * died) / animals), description };
      return inPlaceOf(deps, by, loss, { at, step: { ...step, ...told } });
    };
    // as it is reckoned when it is told: without itself
    const others = history.asIf({ ...told, survival: [...survival, inPlace(0)] });
    const died = Math.max(1, Math.round((kg * 1000) / others.weightAt({ pondId, at })));
    if (died !== animals) survival.push(inPlace(died));
  }
  return survival;
}

/**
 * A move that was told without a weight has what the animals weighed then: by the stocking, or by the last weighing since.
 * Where another weight or another day of the stocking says other of that, the move follows.
 */
export async function weightsOfMoves(
  deps: ChangeBatchDeps,
  { before, after }: { before: BatchHistory; after: BatchHistory },
): Promise<Change[]> {
  const [was, now] = [before.state.batch, after.state.batch];
  const moves = await deps.queries.transfersOf(was.id);
  return moves.flatMap((move) => {
    const when = { pondId: move.source_pond_id, at: move.transfer_date };
    const isAsWeighed = isSameWeight(move.average_weight, before.weightAt(when));
    // what was weighed after it was told may lie before it by its date
    const isAsStocked = isSameWeight(move.average_weight, was.initial_avg_weight);
    if (!isAsWeighed && !isAsStocked) return [];
    const average_weight = isAsWeighed ? after.weightAt(when) : now.initial_avg_weight;
    if (isSameWeight(move.average_weight, average_weight)) return [];
    return [update(transfer, move, { average_weight, updated_at: isoOf(deps.now()) })];
  });
}

/** A mean over ponds differs in its last digits with the number of animals, though none was weighed anew. */
const isSameWeight = (a: number | null, b: number): boolean =>
  a !== null && Math.abs(a - b) <= 1e-9 * Math.max(a, b);
