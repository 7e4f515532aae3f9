// Where a line over time must not be drawn because nobody measured. Pure.

/** A pause of so many times the usual one is an outage. */
const TIMES = 5;
/** Of a handful of readings nobody knows how often there should be one. */
const LEAST_READINGS = 8;
const LEAST_MS = 30 * 60_000;

/**
 * Places in a row of instants before which the line breaks: a probe that writes every five minutes was silent for an
 * hour. People who measure at dawn, noon and dusk leave no gaps.
 */
export function gapsIn(instants: readonly number[]): readonly number[] {
  if (instants.length < LEAST_READINGS) return [];
  const pauses = instants.slice(1).map((at, index) => at - (instants[index] ?? at));
  const usual = pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 0;
  const longest = Math.max(usual * TIMES, LEAST_MS);
  return pauses.flatMap((pause, index) => (pause > longest ? [index + 1] : []));
}
