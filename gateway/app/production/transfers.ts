import type { Database } from '#adapters/sql/database.ts';
import { accessQuery } from '#adapters/sql/queries/access.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { transferQueries } from '#adapters/sql/queries/production/transfers.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { animalsOf } from '#features/production/batches/batch-state.ts';
import { transferRoutes } from '#features/production/transfers/routes.ts';
import type { Limits } from '../people/subscriptions.ts';

type WireDeps = {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  batches: BatchStates;
  limits: Limits;
};

/** Wires moves of animals between ponds. */
export function wireTransfers({ kernel, database, batches, limits }: WireDeps): Route[] {
  const { factsOf } = batchFactQueries(database.read);
  const accessTo = accessQuery(database.read);
  return transferRoutes({
    ...kernel,
    queries: transferQueries(database.read),
    batches,
    async chainOf(batchId) {
      const [facts] = await factsOf([batchId], 'last two', countsUntil(kernel));
      return facts === undefined
        ? null
        : { batch: facts.batch, timezone: facts.timezone, animals: animalsOf(facts) };
    },
    accessToPond: (pondId, userId) => accessTo('pond', pondId, userId),
    onIncoming: ({ batch, pondId, ownerId }) => limits.incoming({ batchId: batch.id, pondId, ownerId }),
  });
}
