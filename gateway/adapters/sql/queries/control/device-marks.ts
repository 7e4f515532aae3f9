import { deviceMark } from '#contract/resources/local-tables.ts';
import type { MarkQueries } from '#features/equipment/adoption/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

const COLUMNS = ['id', 'mark', 'control_point_id', 'device_id', 'marked_at', 'marked_by'] as const;
/** Names in one statement. */
const AT_ONCE = 500;

export function markQueries(db: Db): MarkQueries {
  return {
    async marksOf(ids) {
      const rows = [];
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const some = ids.slice(start, start + AT_ONCE);
        rows.push(...(await db.selectFrom('device_marks').select(COLUMNS).where('id', 'in', some).execute()));
      }
      return rows.map((row) => decodeRow(deviceMark, row));
    },
    async marksBeyond(mark, kept) {
      const rows = await db
        .selectFrom('device_marks')
        .select('id')
        .where('mark', '=', mark)
        .orderBy('marked_at', 'desc')
        .offset(kept)
        .limit(100)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
