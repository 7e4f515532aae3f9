/**
 * Calls `turn` again and again, each time after the milliseconds it answered. `stop` wakes it from its rest and resolves
 * when the last turn is over. A turn must not reject.
 */
export function keepTurning(turn: () => Promise<number>): { stop: () => Promise<void> } {
  const state = { isStopped: false, wake: () => undefined as void };
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      state.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    while (!state.isStopped) {
      const ms = await turn();
      // at least once through the event loop: control comes first
      if (!state.isStopped) await rest(Math.max(1, ms));
    }
  };
  const done = run();
  return {
    async stop() {
      state.isStopped = true;
      state.wake();
      await done;
    },
  };
}
