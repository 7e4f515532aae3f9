import { isRenamed } from '../../../test/sync/sim/ledger.ts';
import { keyOf, type ReplicaState } from '../../../test/sync/sim/replica-state.ts';
import type { Side } from '../../../test/sync/sim/things.ts';

// What was answered with yes, and what must therefore still be somewhere: in its row, among the conflicts, aside, or
// replaced by somebody who had seen it.

export type Write = {
  n: number;
  side: Side;
  table: string;
  id: string;
  kind: 'made' | 'edited' | 'deleted';
  field: string;
  value: string | number | null;
  /** What stood there, where the answer proves that it was replaced; undefined: nobody knows. */
  saw?: unknown;
  /** On this machine's monotonic clock, ms. */
  from: number;
  to: number;
  /** No answer came: it may have been done. */
  isSure: boolean;
  /** Its only copy was on a disk that is gone. */
  isExcused: boolean;
};

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  const writes: Write[] = [];

  const isReplacedBy = (write: Write, later: Write): boolean =>
    later !== write &&
    later.kind === 'edited' &&
    later.table === write.table &&
    later.id === write.id &&
    later.field === write.field &&
    later.from >= write.to &&
    !later.isExcused &&
    (later.side === write.side || later.saw === undefined || later.saw === write.value);

  function missing(states: readonly ReplicaState[]): Write[] {
    const edits = Map.groupBy(
      writes.filter(({ kind }) => kind === 'edited'),
      ({ table, id, field }) => `${table} ${id} ${field}`,
    );
    const known = new Map<Write, boolean>();
    function isThere(write: Write): boolean {
      const answer = known.get(write);
      if (answer !== undefined) return answer;
      known.set(write, false);
      const is =
        states.some((state) => holds(state, write)) ||
        (edits.get(`${write.table} ${write.id} ${write.field}`) ?? []).some(
          (later) => isReplacedBy(write, later) && (!later.isSure || isThere(later)),
        );
      known.set(write, is);
      return is;
    }
    const isRowKnown = ({ table, id }: Write) => states.some(({ rows }) => rows.has(keyOf(table, id)));
    const goneRows = new Set(
      writes.flatMap(({ kind, id, isExcused }) => (kind === 'made' && isExcused ? id : [])),
    );
    return writes.filter(
      (write) =>
        write.isSure &&
        !write.isExcused &&
        !isThere(write) &&
        !(goneRows.has(write.id) && !isRowKnown(write)),
    );
  }

  return {
    note(write: Omit<Write, 'isExcused'>): void {
      writes.push({ ...write, isExcused: false });
    },
    missing,
    /** A disk went back: what was done before, and none of the states holds any more, is nobody's fault. Answers how much that is. */
    excuse(states: readonly ReplicaState[], before: number): number {
      const gone = missing(states).filter(({ to }) => to < before);
      for (const write of gone) write.isExcused = true;
      return gone.length;
    },
    count: () => writes.filter(({ isSure }) => isSure).length,
    of: (id: string) => writes.filter((write) => write.id === id),
  };
}

function holds({ rows, dropped, parked }: ReplicaState, { table, id, kind, field, value }: Write): boolean {
  const key = keyOf(table, id);
  const known = rows.get(key);
  const aside = parked.get(key) ?? [];
  if (kind === 'made') return known !== undefined || aside.length > 0;
  if (kind === 'deleted')
    return (
      known?.isHidden === true || aside.some((text) => /"op":2/.test(text)) || (known?.register?.cl ?? 0) >= 2
    );
  const now = known?.row[field];
  if (now === value || isRenamed(JSON.stringify(now ?? ''), JSON.stringify(value))) return true;
  if ((dropped.get(key) ?? []).some((found) => found[field] === value)) return true;
  return aside.some((text) => text.includes(JSON.stringify(value)));
}
