const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.]{1,40}))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Below 0: `a` is older than `b`. 1.2.0-rc.1 comes before 1.2.0. Both must be versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (const place of [0, 1, 2] as const) {
    const difference = left.numbers[place] - right.numbers[place];
    if (difference !== 0) return difference;
  }
  if (left.trial === right.trial) return 0;
  if (left.trial === null) return 1;
  if (right.trial === null) return -1;
  return left.trial.localeCompare(right.trial, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: [number, number, number]; trial: string | null } {
  const found = VERSION.exec(version);
  if (found === null) throw new Error(`${version} is no version`);
  return {
    numbers: [Number(found[1]), Number(found[2]), Number(found[3])],
    trial: found[4] ?? null,
  };
}
