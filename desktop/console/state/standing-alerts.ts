import { type AlertType, RETURNED_FOR_MS } from '#contract/words.ts';

// What the page remembers of the alerts of its farms: of each episode the newest, of which it may have heard a few, and
// what ended by itself before anybody answered it, of each condition the last. Pure.

type Row = {
  id: string;
  rev: number;
  deleted: boolean;
  farm_id: string;
  pond_id: string | null;
  control_point_id: string | null;
  type: AlertType;
  status: 'ACTIVE' | 'RESOLVED';
  source: 'automatic' | 'manual';
  triggered_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  acknowledged_at: string | null;
  folded_into: string | null;
  episode_id: string;
  /** Alerts of the episode and the first of them, where the gateway told or this page counted. */
  episode_count?: number | undefined;
  episode_since?: string | undefined;
};

/** A probe may tell of the same trouble all night; the newest stand for the others. */
const MOST_OF_EPISODE = 10;

const MOST_GONE = 1_000;

/** The condition at its place: the pond where there is one, else the control point, else the farm. */
export const conditionAt = ({
  type,
  farm_id,
  pond_id,
  control_point_id,
}: Pick<Row, 'type' | 'farm_id' | 'pond_id' | 'control_point_id'>): string =>
  `${type} ${pond_id ?? control_point_id ?? farm_id}`;

export const isNewer = (a: Pick<Row, 'triggered_at' | 'id'>, b: Pick<Row, 'triggered_at' | 'id'>): boolean =>
  a.triggered_at === b.triggered_at ? a.id > b.id : a.triggered_at > b.triggered_at;

const endedByItself = (row: Row): boolean =>
  !row.deleted &&
  row.status === 'RESOLVED' &&
  row.resolved_by === null &&
  row.folded_into === null &&
  row.source === 'automatic';

/** Rows by their id, and those that are gone with the `rev` that said so: a word from before does not bring them back. */
export type KnownAlerts<Known extends Row> = {
  rows: ReadonlyMap<string, Known>;
  gone: ReadonlyMap<string, number>;
};

/**
 * Takes one row as it stands now; of two words about a row the higher `rev` counts. `now` by the server, in milliseconds
 * since 1970: what ended too long ago waits no longer.
 */
export function withAlert<Known extends Row>(
  known: KnownAlerts<Known>,
  told: Known,
  now: number,
): KnownAlerts<Known> {
  const before = known.rows.get(told.id);
  if ((before?.rev ?? known.gone.get(told.id) ?? 0) > told.rev) return known;
  const others = [...known.rows.values()].filter(
    ({ id, episode_id }) => id !== told.id && episode_id === told.episode_id,
  );
  const newest = newestOf(others);
  const isNewest = newest === undefined || isNewer(told, newest);
  const { rows, gone } = withoutReturned(known, told, now);
  const isStanding = !told.deleted && told.status === 'ACTIVE';
  // one that this page never showed did not end before its eyes
  const mayWait = endedByItself(told) && told.acknowledged_at === null && before !== undefined && isNewest;
  if (!isStanding && !mayWait) {
    rows.delete(told.id);
    return { rows, gone: withGone(gone, told) };
  }
  rows.set(told.id, { ...told, ...counted(told, before, isNewest ? newest : undefined) });
  for (const { id } of others.toSorted(newestFirst).slice(MOST_OF_EPISODE - 1)) rows.delete(id);
  return { rows, gone };
}

/** Without what waits for an answer since too long, and what the end of a later one at the same place stands for. */
function withoutReturned<Known extends Row>({ rows, gone }: KnownAlerts<Known>, told: Known, now: number) {
  const isLast = endedByItself(told);
  const left = new Map(rows);
  let forgotten = gone;
  for (const row of rows.values()) {
    if (row.status !== 'RESOLVED' || row.id === told.id) continue;
    const isLong = now - Date.parse(row.resolved_at ?? '') > RETURNED_FOR_MS;
    if (!isLong && !(isLast && conditionAt(row) === conditionAt(told) && isNewer(told, row))) continue;
    left.delete(row.id);
    forgotten = withGone(forgotten, row);
  }
  return { rows: left, gone: forgotten };
}

const newestFirst = (a: Row, b: Row): number => (isNewer(a, b) ? -1 : 1);

const newestOf = <Known extends Row>(rows: readonly Known[]): Known | undefined =>
  rows.toSorted(newestFirst)[0];

/** A new alert counts on from the newest before it; a row that changed keeps what was counted. */
function counted(told: Row, before: Row | undefined, newest: Row | undefined) {
  const from = told.episode_count === undefined ? (before ?? newest) : undefined;
  if (from === undefined) {
    return { episode_count: told.episode_count ?? 1, episode_since: told.episode_since ?? told.triggered_at };
  }
  const isOneMore = before === undefined && told.rev === 1;
  return {
    episode_count: (from.episode_count ?? 1) + (isOneMore ? 1 : 0),
    episode_since: from.episode_since ?? from.triggered_at,
  };
}

function withGone(gone: ReadonlyMap<string, number>, { id, rev }: Row): ReadonlyMap<string, number> {
  const next = new Map(gone);
  // the latest stand last, so that the oldest are forgotten
  next.delete(id);
  next.set(id, rev);
  for (const [oldest] of next) {
    if (next.size <= MOST_GONE) break;
    next.delete(oldest);
  }
  return next;
}
