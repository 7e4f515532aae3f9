import { mayOnFarm } from '#contract/rights.ts';
import type { GuardSeen } from '#core/changes.ts';
import { AppError, conflict, forbidden } from '#core/errors.ts';
import { requireNotInFuture } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import { instantOnFarm, startOfDay } from '#core/zone-clock.ts';
import { grams, type Language } from '#science/advice/language.ts';
import { type Overdraw, type PopulationStep, replayPopulation, worsened } from '#science/population.ts';
import type { Chain, Named, TransferDeps, TransferWarning } from './ports.ts';

/** Animals moved weigh about what the batch weighs; further off somebody should look again. */
const WEIGHT_FACTOR = 2;

export type Move = { id: string; sourceId: string; destinationId: string; quantity: number; at: string };

/** What the caller got wrong about a transfer itself: 400, as the interface says. */
export function invalidTransfer(path: string, message: string, code: string): AppError {
  return new AppError(400, message, { code, errors: [{ path, code, message }] });
}

/** 400 for a batch whose cycle is over. */
export function requireActive({ batch }: Chain): void {
  if (batch.status === 'ACTIVE') return;
  throw invalidTransfer(
    'batch_id',
    `Batch ${batch.batch_code} is ${batch.status}: only animals of an ACTIVE batch can be moved`,
    'BATCH_NOT_ACTIVE',
  );
}

/**
 * The pond a caller names, as one of the owner of the batch. A pond of somebody else and one that does not exist are
 * told apart for nobody. Throws 400, 403 where the caller's role on that farm is too small, or 409 where another gateway
 * runs it than that of the batch.
 */
export async function pondOf(
  deps: Pick<TransferDeps, 'guard' | 'queries' | 'accessToPond'>,
  named: { ref: string; field: string },
  by: { caller: Caller; chain: Chain },
): Promise<{ id: string; guard: GuardSeen }> {
  const { field, ref } = named;
  const unknown = invalidTransfer(
    field,
    `${field}: there is no such pond of the owner of this batch`,
    'POND_NOT_OF_OWNER',
  );
  const id = await deps.queries.idOf('pond', ref);
  if (id === null) throw unknown;
  // moved on, not only held: a deletion of the pond that saw no animals in it yet must look again
  const guard = await deps.guard('pond', id);
  const farm = await deps.accessToPond(id, by.caller.userId);
  if (farm === null || farm.role === null || farm.ownerId !== by.chain.batch.owner_id) throw unknown;
  if (!mayOnFarm(farm.role, 'manage'))
    throw forbidden(`Your role on the farm of this pond (${farm.role}) does not allow this`);
  await requireOneGateway(deps, farm.farmId, by.chain.batch);
  return { id, guard };
}

/** A batch is of one gateway: another one would hear neither of its animals nor of what they are fed. */
async function requireOneGateway(
  { queries }: Pick<TransferDeps, 'queries'>,
  farmId: string,
  { farm_id, batch_code }: Chain['batch'],
): Promise<void> {
  if (farmId === farm_id || (await queries.gatewayOf(farmId)) === (await queries.gatewayOf(farm_id))) return;
  throw conflict(
    `Another gateway runs the farm of this pond. Finish batch ${batch_code} with what was moved as its harvest, and begin a new one in that pond`,
    'FARMS_OF_TWO_GATEWAYS',
  );
}

export function requireTwoPonds(sourceId: string, destinationId: string): void {
  if (sourceId !== destinationId) return;
  throw invalidTransfer(
    'destination_pond_id',
    'The animals are in this pond already; name two different ponds',
    'SAME_POND',
  );
}

/** When the animals were moved: after the batch began, and not in the future while the clock is trusted. */
export function transferDateOf(
  deps: Pick<TransferDeps, 'now' | 'clockQuality'>,
  chain: Chain,
  sent: { parsed: string; raw: unknown },
): string {
  const { batch, timezone } = chain;
  const at = instantOnFarm(sent.parsed, sent.raw, timezone);
  requireNotInFuture(deps, 'transfer_date', at);
  if (at < startOfDay(batch.start_date, timezone)) {
    throw invalidTransfer(
      'transfer_date',
      `Batch ${batch.batch_code} began on ${batch.start_date}: its animals cannot have been moved before`,
      'BEFORE_BATCH_START',
    );
  }
  return at;
}

/**
 * Replays the batch's moves with one of them added, changed (`moves` has it under its id) or left out (null), in order
 * of time. Throws 409 when a step then takes animals that are not there, and was not short of as many before: a chain
 * that two instances have overdrawn can be mended step by step. Throws 400 when a new move finds its pond empty.
 */
export async function requireAnimals(
  deps: Pick<TransferDeps, 'queries'>,
  chain: Chain,
  edit: { stepId: string; move: Move | null },
): Promise<void> {
  const { animals } = chain;
  const others = animals.steps.filter(({ id }) => id !== edit.stepId);
  const steps = edit.move === null ? others : [...others, stepOf(edit.move)];
  const after = replayPopulation({ ...animals, steps });
  const worse = [
    ...after.overdraws.filter(({ stepId }) => stepId === edit.stepId),
    ...worsened(replayPopulation(animals), after),
  ][0];
  if (worse !== undefined) throw await refusal(deps, chain, { worse, steps, stepId: edit.stepId });
}

function stepOf({ id, sourceId, destinationId, quantity, at }: Move): PopulationStep {
  return { id, at, quantity, kind: 'TRANSFER', fromPondId: sourceId, toPondId: destinationId };
}

async function refusal(
  deps: Pick<TransferDeps, 'queries'>,
  { batch, animals }: Chain,
  { worse, steps, stepId }: { worse: Overdraw; steps: readonly PopulationStep[]; stepId: string },
): Promise<AppError> {
  const { available, quantity, pondId } = worse;
  const pond = pondId === null ? null : ((await deps.queries.pondNames([pondId])).get(pondId) ?? null);
  const where = pond === null ? 'the ponds of this batch' : `pond ${pond.name}`;
  const step = steps.find(({ id }) => id === worse.stepId);
  const at = step?.at ?? animals.survivalFacts.find(({ id }) => id === worse.stepId)?.at ?? '';
  if (worse.stepId !== stepId) {
    const does = step === undefined ? 'loses' : 'moves';
    return short(
      `This cannot be done: on ${at} batch ${batch.batch_code} ${does} ${quantity} animals out of ${where}, where then only ${available} would be available. Correct that first`,
      worse,
    );
  }
  if (available === 0) {
    return invalidTransfer(
      'source_pond_id',
      `Batch ${batch.batch_code} has no animals in ${where} at that time (0 available)`,
      'NO_ANIMALS_IN_POND',
    );
  }
  return short(
    `Only ${available} animals of batch ${batch.batch_code} are available in ${where} at that time; ${quantity} cannot be moved`,
    worse,
  );
}

function short(detail: string, { available }: Overdraw): AppError {
  const { status, message, extras } = conflict(detail, 'NOT_ENOUGH_ANIMALS');
  return new AppError(status, message, { ...extras, more: { available } });
}

/** What is unlikely about a transfer, but kept as it was entered. */
export function warningsOf(
  averageWeightG: number | null,
  currentWeightG: number | null,
  language: Language,
): TransferWarning[] {
  if (averageWeightG === null || currentWeightG === null || currentWeightG <= 0) return [];
  const factor = averageWeightG / currentWeightG;
  if (factor <= WEIGHT_FACTOR && factor >= 1 / WEIGHT_FACTOR) return [];
  return [{ code: 'WEIGHT_UNUSUAL', message: UNUSUAL_WEIGHT[language](averageWeightG, currentWeightG) }];
}

/** Name of a transfer in the audit. */
export function auditName(chain: Chain, source: Named, destination: Named): string {
  return `Transfer of ${chain.batch.batch_code}, ${source.name} to ${destination.name}`;
}

export const nowIso = (deps: Pick<TransferDeps, 'now'>): string => isoOf(deps.now());

/** That the weight of the animals moved is far from that of their batch, as a technician is told. */
const UNUSUAL_WEIGHT: Readonly<Record<Language, (sentG: number, batchG: number) => string>> = {
  'pt-BR': (sentG, batchG) =>
    `O peso médio de ${grams(sentG, 'pt-BR')} está longe dos ${grams(batchG, 'pt-BR')} da última pesagem do lote: confira.`,
  en: (sentG, batchG) =>
    `An average weight of ${grams(sentG, 'en')} is far from the ${grams(batchG, 'en')} the batch last weighed: check it.`,
  es: (sentG, batchG) =>
    `El peso promedio de ${grams(sentG, 'es')} está lejos de los ${grams(batchG, 'es')} del último muestreo del lote: revise.`,
};
