import type { Db } from '#adapters/sql/database.ts';

/** Farms of this gateway. */
export async function farmIds(read: Db): Promise<string[]> {
  const rows = await read.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
  return rows.map(({ id }) => id);
}
