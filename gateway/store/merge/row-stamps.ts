import { LIFE, newestOf, type Register } from '../register.ts';
import type { Held } from './edit.ts';
import { textOf } from './text-of.ts';

// Stamps of a row as a whole: of its making, of the last change of any group, of its last delete or restore.

/** The stamp of a delete or restore stays: it is of no group that the making could stand for. */
export const withoutMaking = (hlc: string, over: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(over).filter(([group, stamp]) => group === LIFE || stamp !== hlc));

/** Without the stamp of the last delete or restore. */
export const editable = (over: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(over).filter(([group]) => group !== LIFE));

/** The newest stamp of what is changed of the row: of its making or of any group. */
export const newestEditOf = (stamps: Pick<Register, 'hlc' | 'over'>): string =>
  newestOf({ cl: 1, hlc: stamps.hlc, over: editable(stamps.over) });

/** Does its `updated_at` count? That of the newest edit does; under one stamp the later moment, on both sides alike. */
export function isLaterEdit(edit: { stamp: string; at: unknown }, { row, register }: Held): boolean {
  const own = newestEditOf(register);
  return edit.stamp === own ? textOf(edit.at) > textOf(row['updated_at']) : edit.stamp > own;
}

/** The greater causal length wins, then the greater stamp of it. */
export function laterLife(
  register: Register,
  other: { cl: number; stamp: string },
): { cl: number; over: Record<string, string> } {
  const own = register.over[LIFE] ?? '';
  const stamp = other.cl > register.cl || (other.cl === register.cl && other.stamp > own) ? other.stamp : own;
  return { cl: Math.max(register.cl, other.cl), over: stamp === '' ? {} : { [LIFE]: stamp } };
}
