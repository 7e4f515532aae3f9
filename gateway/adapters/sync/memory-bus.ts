import type { Bus, BusMessage } from '../../sync/ports.ts';

export type BusListener = Parameters<Bus['hear']>[0];

/** Who listens in this process; one that throws is reported and harms nobody. */
export function busListeners(onError: (error: unknown) => void) {
  const listeners = new Set<BusListener>();
  return {
    hear(listener: BusListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pass(message: BusMessage, from: 'here' | 'elsewhere'): void {
      for (const listener of listeners) {
        try {
          listener(message, from);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}

/** The bus of an instance that is one process; what the command line does beside it is a gap. */
export function createMemoryBus(onError: (error: unknown) => void): Bus {
  const { hear, pass } = busListeners(onError);
  return {
    hear,
    tell: (message) => pass(message, 'here'),
    isHeard: () => true,
    close: async () => undefined,
  };
}
