// Chance that can be repeated: the same seed gives the same night on the farm.

/** One draw of mulberry32: a value in [0, 1) and the seed of the next draw. */
export function draw(seed: number): { value: number; seed: number } {
  const next = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, seed: next };
}

/** A generator for the parts that are not pure (links, motors). */
export function createRandom(seed: number): () => number {
  let current = seed;
  return () => {
    const drawn = draw(current);
    current = drawn.seed;
    return drawn.value;
  };
}

/** The seed of one named part, so that adding a controller changes nothing for the others (FNV-1a). */
export function seedFor(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
