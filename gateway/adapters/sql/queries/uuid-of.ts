import type { Db } from '../database.ts';

/**
 * What to compare an `id` with: ponds, batches and transfers may be named by their number instead of their UUID.
 * An unknown number names nothing.
 */
export function uuidOf(db: Db, entity: 'pond' | 'batch' | 'transfer', ref: string) {
  if (!/^\d+$/.test(ref)) return ref;
  return db.selectFrom('numeric_ids').select('uuid').where('id', '=', ref).where('entity', '=', entity);
}
