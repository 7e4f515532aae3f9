import { NewestMap } from './newest-map.ts';

export type Remembered<Value> = {
  /** The value of a key: as remembered while fresh, else as `load` answers. */
  get: (key: string, load: (key: string) => Promise<Value>) => Promise<Value>;
  set: (key: string, value: Value) => void;
  forget: (key: string) => void;
};

/**
 * A bounded memory of what the database said a moment ago. What changes in this process is forgotten by its own
 * commits; what another process changes is seen after `ttlMs` of monotonic time.
 */
export function remembered<Value>(deps: {
  monotonic: () => number;
  ttlMs: number;
  limit: number;
}): Remembered<Value> {
  const entries = new NewestMap<string, { value: Value; until: number }>(deps.limit);
  let generation = 0;

  function store(key: string, value: Value): void {
    entries.set(key, { value, until: deps.monotonic() + deps.ttlMs });
  }

  return {
    async get(key, load) {
      const entry = entries.get(key);
      if (entry !== undefined && deps.monotonic() < entry.until) return entry.value;
      const begun = generation;
      const value = await load(key);
      // what was read before a commit must not be remembered after it
      if (begun === generation) store(key, value);
      return value;
    },
    set(key, value) {
      generation += 1;
      store(key, value);
    },
    forget(key) {
      generation += 1;
      entries.delete(key);
    },
  };
}
