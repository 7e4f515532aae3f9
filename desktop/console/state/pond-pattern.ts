// Codes of ponds by a pattern: `V-01` to `V-24` is 24 ponds. Pure.

export const MOST_PONDS = 200;

export type PatternFault = 'unreadable' | 'different' | 'backwards' | 'too-many';

const CODE = /^(.*?)(\d{1,6})(\D*)$/;

/** From one code to another, counting the last figure in them and keeping its leading zeros. */
export function codesOf(from: string, to: string): readonly string[] | PatternFault {
  const first = CODE.exec(from.trim());
  const last = CODE.exec(to.trim());
  if (first === null || last === null) return 'unreadable';
  const [, before = '', low = '', after = ''] = first;
  if (before !== last[1] || after !== last[3]) return 'different';
  const [start, end] = [Number(low), Number(last[2])];
  if (end < start) return 'backwards';
  if (end - start + 1 > MOST_PONDS) return 'too-many';
  return Array.from(
    { length: end - start + 1 },
    (_, index) => `${before}${String(start + index).padStart(low.length, '0')}${after}`,
  );
}
