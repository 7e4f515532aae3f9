/**
 * What happens in this process and is no row of a table: a step of the clock, a heartbeat, the disk. Who reacts subscribes
 * by itself. Nobody waits for a listener or counts on the order of two, and one that fails keeps no other from hearing.
 */
export type Signals<Events extends Record<string, readonly unknown[]>> = {
  tell: <Name extends keyof Events>(name: Name, ...what: Events[Name]) => void;
  /** Answers how the listener is let go of. */
  on: <Name extends keyof Events>(name: Name, listener: (...what: Events[Name]) => void) => () => void;
};

export function createSignals<Events extends Record<string, readonly unknown[]>>(
  onError: (name: keyof Events, error: unknown) => void,
): Signals<Events> {
  type Listeners = { [Name in keyof Events]?: Set<(...what: Events[Name]) => void> };
  const listeners: Listeners = {};
  return {
    tell(name, ...what) {
      // a heartbeat of a thousand controllers comes through here: nothing is made where nobody listens
      for (const listener of listeners[name] ?? []) {
        try {
          listener(...what);
        } catch (error) {
          onError(name, error);
        }
      }
    },
    on(name, listener) {
      const known = listeners[name] ?? new Set();
      listeners[name] = known;
      known.add(listener);
      return () => void known.delete(listener);
    },
  };
}
