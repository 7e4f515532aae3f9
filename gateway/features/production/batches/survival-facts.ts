import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { percent } from '#core/rounding.ts';
import type { Caller } from '#core/route.ts';
import type { BatchState } from '../batch-state.ts';
import type { BatchQueries } from './ports.ts';

export type SurvivalDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<BatchQueries, 'lastSurvivalChange'>;
};

export type SurvivalStep = Pick<RowOf<typeof survivalChange>, 'kind' | 'value' | 'description'> &
  Partial<Pick<RowOf<typeof survivalChange>, 'pond_id' | 'animals' | 'weight_kg'>>;

/**
 * The rows of a survival change: the fact itself, the audit entry with old and new rate, and the batch, whose version
 * moves on so that an If-Match sees it.
 */
export async function survivalRows(
  deps: SurvivalDeps,
  caller: Caller,
  state: BatchState,
  { id, step, newRate }: { id?: string | undefined; step: SurvivalStep; newRate: number },
): Promise<{ changes: Change[]; updatedAt: string }> {
  const now = deps.now();
  const last = await deps.queries.lastSurvivalChange(state.batch.id);
  // what is said now comes after all that was said before, whatever the clocks show
  const changedAt = last === null ? now : Math.max(now, Date.parse(last) + 1);
  const fact: RowOf<typeof survivalChange> = {
    id: id ?? deps.newId(),
    batch_id: state.batch.id,
    pond_id: null,
    animals: null,
    weight_kg: null,
    ...step,
    changed_at: isoOf(changedAt),
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(now),
  };
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
      ...(step.pond_id == null ? {} : { pond_id: step.pond_id }),
      ...(step.animals == null ? {} : { dead_count: step.animals }),
      ...(step.weight_kg == null ? {} : { dead_weight_kg: step.weight_kg }),
      ...(step.description === null ? {} : { description: step.description }),
    },
  });
  return { changes: [insert(survivalChange, fact), entry], updatedAt: isoOf(now) };
}

/** Moves the version of the batch on, and its `updated_at`. */
export function touched(state: BatchState, updatedAt: string): Change {
  return update(batch, state.batch, { updated_at: updatedAt });
}
