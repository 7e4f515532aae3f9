import type { Stay } from '#features/production/batches/ports.ts';
import type { Db } from '../../database.ts';

/** Which batches these ponds held, told by the indexes on the ponds of batches and transfers; as many ids as a statement takes. */
export function staysIn(db: Db, pondIds: readonly string[]): Promise<Stay[]> {
  const stocked = db
    .selectFrom('batches')
    .select(['pond_id', 'id as batch_id', 'actual_harvest_date as ended_at'])
    .where('pond_id', 'in', pondIds)
    .where('hidden', '=', 0);
  const moved = db
    .selectFrom('transfers')
    .innerJoin('batches', 'batches.id', 'transfers.batch_id')
    .select([
      'transfers.destination_pond_id as pond_id',
      'batches.id as batch_id',
      'batches.actual_harvest_date as ended_at',
    ])
    .where('transfers.destination_pond_id', 'in', pondIds)
    .where('transfers.hidden', '=', 0)
    .where('batches.hidden', '=', 0);
  return db
    .selectFrom(stocked.union(moved).as('stay'))
    .select((stay) => [
      'pond_id',
      'batch_id',
      'ended_at',
      stay
        .selectFrom('transfers')
        .select((move) => move.fn.max('transfer_date').as('at'))
        .whereRef('transfers.source_pond_id', '=', 'stay.pond_id')
        .whereRef('transfers.batch_id', '=', 'stay.batch_id')
        .where('transfers.hidden', '=', 0)
        .as('moved_at'),
    ])
    .execute();
}
