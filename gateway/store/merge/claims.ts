import canonicalize from 'canonicalize';
import type { Register } from '../register.ts';
import type { Fields, Lost } from './edit.ts';

// What each side says of one group of fields, and which of both counts.

export type Claim = { hlc: string; value: Fields };

/** Stamp of a group in a register. */
export const stampOf = ({ hlc, over }: Pick<Register, 'hlc' | 'over'>, group: string): string =>
  over[group] ?? hlc;

/** Positive when the first of two values of a group wins. */
export function compareClaims(a: Claim, b: Claim): number {
  if (a.hlc !== b.hlc) return a.hlc > b.hlc ? 1 : -1;
  const [left, right] = [canonicalize(a.value) ?? '', canonicalize(b.value) ?? ''];
  // UTF-16 order, as the canonical form's own order of names: the same everywhere
  return left === right ? 0 : left > right ? 1 : -1;
}

export const isSame = (a: Claim, b: Claim): boolean =>
  compareClaims({ ...a, hlc: '' }, { ...b, hlc: '' }) === 0;

export function fieldsOf(row: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

/** Nothing is lost where one of both knew the other, or both said the same. */
export function lostOf(
  group: string,
  { own, other, isOtherKept }: { own: Claim; other: Claim; isOtherKept: boolean },
  base: unknown,
): Lost[] {
  if (base === own.hlc || isSame(own, other)) return [];
  const [kept, dropped] = isOtherKept ? [other, own] : [own, other];
  return [
    {
      group,
      rule: 'last_writer',
      kept: kept.value,
      dropped: dropped.value,
      keptHlc: kept.hlc,
      droppedHlc: dropped.hlc,
    },
  ];
}
