// Where ponds stand on the wall. Pure.

/** Counted from the upper left corner, beginning with 0. */
export type Place = { column: number; row: number };
export type Placed = { pond_id: string } & Place;
export type Arrangement = ReadonlyMap<string, Place>;

/** The gateway knows of no place beyond. */
const LAST = 99;
/** Before anybody arranges it the wall is wider than high, as screens are. */
const WIDE = 1.5;

/**
 * A place for every pond: the one it was given, moved up to the corner; those that nobody placed stand in rows of their own
 * below. What was placed and is no pond any more is left out.
 */
export function placesOf(pondIds: readonly string[], wall: readonly Placed[]): Arrangement {
  const there = new Set(pondIds);
  const known = wall.filter(({ pond_id }) => there.has(pond_id));
  const left = Math.min(...known.map(({ column }) => column));
  const top = Math.min(...known.map(({ row }) => row));
  const places = new Map(
    known.map(({ pond_id, column, row }) => [pond_id, { column: column - left, row: row - top }] as const),
  );
  const columns = known.length > 0 ? columnsOf(places) : Math.ceil(Math.sqrt(pondIds.length * WIDE));
  const below = rowsOf(places);
  const others = pondIds.filter((id) => !places.has(id));
  for (const [index, id] of others.entries()) {
    places.set(id, { column: index % columns, row: below + Math.floor(index / columns) });
  }
  return places;
}

export const columnsOf = (places: Arrangement): number =>
  1 + Math.max(-1, ...[...places.values()].map(({ column }) => column));
export const rowsOf = (places: Arrangement): number =>
  1 + Math.max(-1, ...[...places.values()].map(({ row }) => row));

/** Puts a pond there; the one that stood there takes its place. Beyond the edge nothing moves. */
export function movedTo(places: Arrangement, pondId: string, to: Place): Arrangement {
  const from = places.get(pondId);
  if (from === undefined || [to.column, to.row].some((at) => at < 0 || at > LAST)) return places;
  const moved = new Map(places);
  for (const [id, { column, row }] of places) {
    if (column === to.column && row === to.row) moved.set(id, from);
  }
  return moved.set(pondId, to);
}

/** In the order of reading: row by row, each from the left. */
export const inReadingOrder = (a: Place, b: Place): number => a.row - b.row || a.column - b.column;

export const wallOf = (places: Arrangement): Placed[] =>
  [...places].map(([pond_id, place]) => ({ pond_id, ...place }));

// Codes of ponds by a pattern: `V-01` to `V-24` is 24 ponds. Pure.

export const MOST_PONDS = 200;

type PatternFault = 'unreadable' | 'different' | 'backwards' | 'too-many';

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
