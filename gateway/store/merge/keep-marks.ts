import type { StreamMove } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Steps, UnitContext } from '../register.ts';

/** Notes the chains of a stream's move. Those of an epoch that ends say nothing about the numbers of the next. */
export function* keepMarks(move: StreamMove, { nowMs }: Pick<UnitContext, 'nowMs'>): Steps<void> {
  if (move.set.epoch !== undefined)
    yield { sql: 'delete from sync_marks where stream_id = ?', params: [move.id] };
  // what a gateway counts anew has nothing to do with numbers that are kept aside
  if (move.set.epoch !== undefined && move.set.in_core_seq === 0)
    yield { sql: 'update sync_parked set seq = 0 where stream_id = ?', params: [move.id] };
  const { marks = [] } = move;
  if (marks.length === 0) return;
  yield {
    sql: `insert into sync_marks (stream_id, lane, seq, chain, marked_at) values ${marks
      .map(() => '(?, ?, ?, ?, ?)')
      .join(', ')} on conflict (stream_id, lane, seq) do update set chain = excluded.chain`,
    params: marks.flatMap(({ lane, seq, chain }) => [move.id, lane, seq, chain, isoOf(nowMs)]),
  };
}
