import type { TransferAnswer, TransferDetail, TransferHistory } from '#contract/resources/transfers.ts';
import { grams, kilograms } from '#core/rounding.ts';
import type { BatchState } from '../batch-state.ts';
import type { Named, NamedTransfer } from './ports.ts';

/** `overdrawn`: what took more animals of its batch than there were; a move that was just decided did not. */
export function toAnswer(
  { transfer, source, destination, batch, creator }: NamedTransfer,
  overdrawn: ReadonlySet<string> = new Set(),
): TransferAnswer {
  const { quantity, average_weight } = transfer;
  return {
    id: transfer.numeric_id,
    uuid: transfer.id,
    source_pond_id: source.id,
    destination_pond_id: destination.id,
    batch_id: batch.id,
    quantity,
    average_weight: grams(average_weight),
    biomass_transferred: kilograms(average_weight === null ? null : (quantity * average_weight) / 1000),
    transfer_date: transfer.transfer_date,
    reason: transfer.reason,
    notes: transfer.notes,
    contested: transfer.contested || overdrawn.has(transfer.id),
    clock_quality: transfer.clock_quality,
    created_at: transfer.created_at,
    created_by: creator?.id ?? null,
    updated_at: transfer.updated_at,
  };
}

export function toDetail(named: NamedTransfer, overdrawn: ReadonlySet<string>): TransferDetail {
  return {
    ...toAnswer(named, overdrawn),
    source_pond: named.source,
    destination_pond: named.destination,
    batch: named.batch,
    created_by: named.creator,
  };
}

/** The moves of a batch, newest first, and where its animals are now. */
export function toHistory(
  { batch, populationByPond }: BatchState,
  moves: readonly NamedTransfer[],
  { totals, ponds }: { totals: { count: number; quantity: number }; ponds: ReadonlyMap<string, Named> },
): TransferHistory {
  return {
    batch_id: batch.numeric_id,
    batch_name: batch.batch_code,
    total_transfers: totals.count,
    total_quantity_moved: totals.quantity,
    history: moves.map(({ transfer, source, destination }) => ({
      id: transfer.numeric_id,
      date: transfer.transfer_date,
      from: source.name,
      to: destination.name,
      from_pond_id: source.id,
      to_pond_id: destination.id,
      quantity: transfer.quantity,
      average_weight: grams(transfer.average_weight),
      reason: transfer.reason,
    })),
    current_locations: [...populationByPond].flatMap(([pondId, quantity]) => {
      const pond = ponds.get(pondId);
      return pond === undefined ? [] : [{ pond_id: pond.id, pond_name: pond.name, quantity }];
    }),
  };
}
