/**
 * A typed event map: `tell` calls every listener, and one that throws breaks neither the teller nor the others.
 * Events announce what happened; nobody waits for their result or order.
 */
export function createEvents<Events extends Record<string, unknown>>(deps: {
  onListenerError: (name: string, error: unknown) => void;
}) {
  const listenersByName = new Map<keyof Events, Set<(event: never) => void>>();
  return {
    on<Name extends keyof Events & string>(name: Name, listener: (event: Events[Name]) => void): () => void {
      const listeners = listenersByName.get(name) ?? new Set();
      listenersByName.set(name, listeners);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell<Name extends keyof Events & string>(name: Name, event: Events[Name]): void {
      for (const listener of listenersByName.get(name) ?? []) {
        try {
          // listeners of a name were added with that name's event type
          (listener as (event: Events[Name]) => void)(event);
        } catch (error) {
          deps.onListenerError(name, error);
        }
      }
    },
  };
}
