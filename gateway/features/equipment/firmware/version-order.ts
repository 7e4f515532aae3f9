/**
 * Below 0: `a` is older than `b`. Numbers count one after another, a missing one is 0; a word behind them
 * (1.5.0-rc.1) comes before the same numbers without one. Null when either is no version.
 */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === null || right === null) return null;
  for (let place = 0; place < 4; place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.word === right.word) return 0;
  if (left.word === null) return 1;
  if (right.word === null) return -1;
  return left.word.localeCompare(right.word, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: number[]; word: string | null } | null {
  const found = /^v?(\d{1,6}(?:\.\d{1,6}){0,3})(?:-([A-Za-z0-9.]{1,24}))?$/.exec(version);
  if (found?.[1] === undefined) return null;
  return { numbers: found[1].split('.').map(Number), word: found[2] ?? null };
}
