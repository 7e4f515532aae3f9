import type { BatchAnswer } from '#contract/resources/batches.ts';
import { codeOrder, onceEach } from '../state/code-order.ts';
import { farm } from './farm-store.ts';
import { useGet } from './query.ts';

export type Batch = BatchAnswer;

const inOrder = onceEach((batches: readonly Batch[]) =>
  batches.toSorted((a, b) => codeOrder(a.batch_code, b.batch_code)),
);
const NONE: readonly Batch[] = [];

/** Batches of the chosen farm; by default those that swim. */
export function useBatches(status: 'ACTIVE' | 'FINISHED' | 'ABORTED' = 'ACTIVE') {
  const result = useGet(farm.value === null ? null : '/batches/', {
    farm_id: farm.value?.id,
    status,
    limit: 500,
  });
  const batches = result.data === undefined ? NONE : inOrder(result.data);
  return { ...result, batches };
}

/** The batch of a code, whatever became of it. */
export function useBatchByCode(code: string) {
  const found = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')];
  return {
    batch: found.flatMap(({ batches }) => batches).find(({ batch_code }) => batch_code === code),
    isSure: found.every(({ isSuccess }) => isSuccess),
    answers: found,
  };
}

/** Kinds of questions that rest on what a batch is. */
export const BATCH_TOUCHES = [
  'batches',
  'ponds',
  'transfers',
  'biometries',
  'feeding',
  'financial',
  'dashboard',
  'duties',
] as const;

/** `Dia 12`, as the interface names the days of culture of its chart. */
export const dayOfLabel = (label: string, index: number): number => Number(/\d+/.exec(label)?.[0] ?? index);
