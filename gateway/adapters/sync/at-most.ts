/**
 * The same function, of which so many calls run at a time and the others wait their turn: when a region comes back after
 * an outage its gateways must not take every connection to the database from the people who give orders.
 */
export function atMost<Input extends readonly unknown[], Answer>(
  most: number,
  run: (...input: Input) => Promise<Answer>,
): (...input: Input) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  const state = { running: 0 };
  return async (...input) => {
    if (state.running >= most) await new Promise<void>((go) => waiting.push(go));
    else state.running += 1;
    try {
      return await run(...input);
    } finally {
      // the place is handed on as it is
      const next = waiting.shift();
      if (next === undefined) state.running -= 1;
      else next();
    }
  };
}
