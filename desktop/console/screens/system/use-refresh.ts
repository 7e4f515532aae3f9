import { useEffect } from 'preact/hooks';
import { refresh } from '../../data/query.ts';

/** Asks anew what no event tells of, while somebody looks at the page. Null as time: not now. */
export function useRefresh(everyMs: number | null, ...kinds: readonly string[]): void {
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh(...kinds);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, kinds.join(' ')]);
}
