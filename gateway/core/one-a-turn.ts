/** Makes what runs one piece of work in each turn of the loop, in the order in which they came. */
export function oneATurn(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  function next(): void {
    const work = waiting.shift();
    if (waiting.length > 0) setImmediate(next);
    work?.();
  }
  return (work) => {
    waiting.push(work);
    if (waiting.length === 1) setImmediate(next);
  };
}

/** Long work goes on when all else that is due has had its turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
