import { useEffect, useState } from 'preact/hooks';

/** As many as a phone shows. */
const AT_FIRST = 4;
const A_TURN = 3;

/**
 * How many of so many large parts are drawn: what is in sight first, then some more at a time, so that a press on a cheap
 * phone never waits for the end of a long list.
 */
export function useInTurns(count: number): number {
  const [most, setMost] = useState(AT_FIRST);
  const isWhole = most >= count;
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setMost(most + A_TURN));
    return () => clearTimeout(timer);
  }, [most, isWhole]);
  return Math.min(most, count);
}
