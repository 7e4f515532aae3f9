import type { Skew } from '../ipc.ts';

/**
 * How this program stands to the gateway whose console it shows. The last number is for mends that change nothing between
 * the two; null: one of them is not known, or they fit.
 */
export function skewOf(own: string, gateway: string | null): Skew | null {
  const [mine, theirs] = [read(own), gateway === null ? null : read(gateway)];
  if (mine === null || theirs === null) return null;
  const apart = mine.major - theirs.major || mine.minor - theirs.minor;
  return apart === 0 ? null : apart < 0 ? 'outdated' : 'newer';
}

function read(version: string): { major: number; minor: number } | null {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  return major === undefined || minor === undefined ? null : { major: Number(major), minor: Number(minor) };
}
