/** Runs one after another what must not interleave: answers of several requests move the same points. */
export function inTurns(): <Answer>(run: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };
}
