import type { RowOf, Stored } from '#contract/resource.ts';
import type { transfer } from '#contract/resources/transfers.ts';
import type { Kernel } from '#core/kernel.ts';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { Caller, FarmFound } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { BatchAnimals } from '#science/population.ts';
import type { Batch, BatchStates } from '../batch-state.ts';

export type Transfer = Stored<RowOf<typeof transfer>>;

/** A thing as answers name it: by its integer, its UUID and what people call it. */
export type Named = { id: number; uuid: string; name: string };

/** A transfer with the names of what it speaks of; they stay known when a pond is deleted. */
export type NamedTransfer = {
  transfer: Transfer;
  source: Named;
  destination: Named;
  batch: Named;
  creator: Named | null;
};

/** Everything a batch's population per pond follows from. */
export type Chain = { batch: Batch; timezone: string; animals: BatchAnimals };

/** Facts the transfer use cases ask for; only visible (not deleted) rows are answered. */
export type TransferQueries = NumericIdDeps & {
  /** By UUID or number. */
  transferBy: (ref: string) => Promise<NamedTransfer | null>;
  /** True for every id ever used, deleted transfers included. */
  transferIdTaken: (id: string) => Promise<boolean>;
  /** UUID of a pond or batch named by UUID or number, deleted or not; null: the number is not known. */
  idOf: (entity: 'pond' | 'batch', ref: string) => Promise<string | null>;
  /** Stream of the gateway that runs a farm; null: this instance runs it itself. */
  gatewayOf: (farmId: string) => Promise<number | null>;
  pondNames: (pondIds: readonly string[]) => Promise<Map<string, Named>>;
  userName: (userId: string) => Promise<Named | null>;
  /** Newest first. */
  transfersOf: (scope: TransferScope, page: { skip: number; limit: number }) => Promise<NamedTransfer[]>;
  totalsOf: (scope: TransferScope) => Promise<{ count: number; quantity: number }>;
};

export type TransferScope = { of: 'batch'; batchId: string } | { of: 'user'; userId: string };

export type TransferDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: TransferQueries;
  /** null: there is no such batch. */
  chainOf: (batchId: string) => Promise<Chain | null>;
  batches: Pick<BatchStates, 'byIds' | 'historyOf'>;
  /** How a user stands to the farm of a pond; null: there is no such pond. */
  accessToPond: (pondId: string, userId: string) => Promise<FarmFound | null>;
  /**
   * Rows and guards that go into the same commit when a batch comes into a pond: the plan's limit of batches per pond.
   * Throws when there is no room for another.
   */
  onIncoming: (arrival: {
    batch: Batch;
    pondId: string;
    ownerId: string;
    caller: Caller;
  }) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

export type TransferWarning = { code: string; message: string };
