/**
 * A map that keeps its newest entries, for what something outside can name: devices, addresses, farms, zones. What is set
 * again counts as new. What falls out must be harmless to forget: the caller looks it up, counts it or says it once more.
 */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return this;
  }
}

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

/** Work that runs one at a time: who asks while it runs has it done once more. */
type OnDemand = { ask: () => Promise<void>; isRunning: () => boolean };

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
