import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';

/** As long as it takes to see that something else stands where the finger is going. */
const SETTLES_MS = 500;

/** Whether what is shown since then has been there long enough for a press to be meant for it. */
export const isSettled = (since: number): boolean => performance.now() - since >= SETTLES_MS;

/** Whether a list of that order has stood still: a press that comes right behind a move was meant for another row. */
export function useSettled(order: string): () => boolean {
  const seen = useRef({ order, since: Number.NEGATIVE_INFINITY });
  useLayoutEffect(() => {
    if (seen.current.order !== order) seen.current = { order, since: performance.now() };
  }, [order]);
  return useCallback(() => isSettled(seen.current.since), []);
}
