import { boardLabel } from '#contract/resources/local-tables.ts';
import type { BoardLabel } from '#features/equipment/bench/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

const COLUMNS = ['id', 'mac', 'device_id', 'claim', 'made_at'] as const;

/** Labels of control points, in any order; at most 240 ids. */
export async function boardLabelsOf(db: Db, ids: readonly string[]): Promise<BoardLabel[]> {
  const rows = await db.selectFrom('board_labels').select(COLUMNS).where('id', 'in', ids).execute();
  return rows.map((row) => decodeRow(boardLabel, row));
}
