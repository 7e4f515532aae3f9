import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { percent } from '#core/rounding.ts';
import type { Caller } from '#core/route.ts';
import type { BatchState } from '../batch-state.ts';
import type { BatchQueries, LossRow } from './ports.ts';

export type SurvivalDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<BatchQueries, 'lastSurvivalChange'>;
};

export type SurvivalStep = Pick<RowOf<typeof survivalChange>, 'kind' | 'value' | 'description'> &
  Partial<Pick<LossRow, 'pond_id' | 'animals' | 'weight_kg' | 'pond_share' | 'corrects'>>;

/** When what is told now of a survival counts: after all that was told before, whatever the clocks show. */
export async function afterAllTold(
  deps: Pick<SurvivalDeps, 'now' | 'queries'>,
  batchId: string,
): Promise<string> {
  const last = await deps.queries.lastSurvivalChange(batchId);
  const now = deps.now();
  return isoOf(last === null ? now : Math.max(now, Date.parse(last) + 1));
}

/** A fact about the survival of a batch. */
export function survivalFact(
  deps: SurvivalDeps,
  caller: Caller,
  batchId: string,
  { id, at, step }: { id?: string | undefined; at: string; step: SurvivalStep },
): LossRow {
  return {
    id: id ?? deps.newId(),
    batch_id: batchId,
    pond_id: null,
    animals: null,
    weight_kg: null,
    pond_share: null,
    corrects: null,
    ...step,
    changed_at: at,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
  };
}

/**
 * The rows of a survival change: the fact itself, the audit entry with old and new rate, and the batch, whose version
 * moves on so that an If-Match sees it.
 */
export async function survivalRows(
  deps: SurvivalDeps,
  caller: Caller,
  state: BatchState,
  told: { id?: string | undefined; at?: string; step: SurvivalStep; newRate: number },
): Promise<{ changes: Change[]; updatedAt: string }> {
  const { id, step, newRate } = told;
  const at = told.at ?? (await afterAllTold(deps, state.batch.id));
  const fact = survivalFact(deps, caller, state.batch.id, { id, at, step });
  const entry = audit(deps, {
    farm_id: state.batch.farm_id,
    entity_type: 'SYSTEM',
    entity_id: state.batch.id,
    entity_name: state.batch.batch_code,
    action: 'survival_adjusted',
    user_id: caller.userId,
    details: {
      old_survival_rate: percent(state.survivalRate),
      new_survival_rate: percent(newRate),
      ...(step.kind === 'FACTOR' ? { severity: step.value } : {}),
      ...(at < fact.created_at ? { lost_at: at } : {}),
      ...(step.pond_id == null ? {} : { pond_id: step.pond_id }),
      ...(step.animals == null ? {} : { dead_count: step.animals }),
      ...(step.weight_kg == null ? {} : { dead_weight_kg: step.weight_kg }),
      ...(step.description === null ? {} : { description: step.description }),
    },
  });
  return { changes: [insert(survivalChange, fact), entry], updatedAt: isoOf(deps.now()) };
}

/** Moves the version of the batch on, and its `updated_at`. */
export function touched(state: BatchState, updatedAt: string): Change {
  return update(batch, state.batch, { updated_at: updatedAt });
}
