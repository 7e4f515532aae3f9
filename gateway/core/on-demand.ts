/** Work that runs one at a time: who asks while it runs has it done once more. */
export type OnDemand = { ask: () => Promise<void>; isRunning: () => boolean };

/** `ask` resolves when there was nothing more asked for; it rejects when the work does. */
export function onDemand(work: () => Promise<unknown>): OnDemand {
  const state = { running: null as Promise<void> | null, isAsked: false };
  async function all(): Promise<void> {
    try {
      while (state.isAsked) {
        state.isAsked = false;
        await work();
      }
    } finally {
      state.running = null;
    }
  }
  return {
    ask() {
      state.isAsked = true;
      state.running ??= all();
      return state.running;
    },
    isRunning: () => state.running !== null,
  };
}
