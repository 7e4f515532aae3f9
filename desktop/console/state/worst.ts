import type { Priority } from './alarm-state.ts';

// Which pond is to be looked at first. Pure.

export type PondConcern = {
  cod: string;
  priority: Priority | null;
  inProduction: boolean;
  /** null: not known, or too old to trust. */
  oxygen: number | null;
};

/** What nobody has measured is as worrying as oxygen at the edge of what is good. */
const UNKNOWN_OXYGEN = 5;
const NOTHING_TO_LOSE = 99;

const concern = ({ inProduction, oxygen }: PondConcern): number =>
  inProduction ? (oxygen ?? UNKNOWN_OXYGEN) : NOTHING_TO_LOSE;

/** By alarm, then by how little oxygen there is, then by code. */
export const byConcern = (a: PondConcern, b: PondConcern): number =>
  (a.priority ?? 9) - (b.priority ?? 9) ||
  concern(a) - concern(b) ||
  a.cod.localeCompare(b.cod, undefined, { numeric: true });
