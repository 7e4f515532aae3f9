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
