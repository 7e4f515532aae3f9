import { useQuery } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { get } from '../../data/api.ts';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { refresh } from '../../data/query.ts';

const LOOKS_EVERY_MS = 1_000;

export const isUnderWay = ({ state }: Pick<ImportRecordAnswer, 'state'>): boolean =>
  state === 'CHECKING' || state === 'IMPORTING' || state === 'UNDOING';

/** What was imported on this farm in the last days; asked again and again while something is under way. */
export function useRecords(farmId: string) {
  const result = useQuery<ImportRecordAnswer[]>({
    queryKey: ['imports', '/imports/', { farm_id: farmId }],
    queryFn: ({ signal }) => get('/imports/', { farm_id: farmId }, signal),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) === true ? LOOKS_EVERY_MS : false),
  });
  // whatever comes in or goes is on every screen at once
  const brought = (result.data ?? []).map(({ id, state }) => `${id} ${state}`).join();
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (result.data === undefined) return;
    if (before.current !== null && before.current !== brought) refresh(...BATCH_TOUCHES, 'water-quality');
    before.current = brought;
  }, [brought, result.data]);
  return result;
}
