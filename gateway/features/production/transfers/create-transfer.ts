import type { RowOf } from '#contract/resource.ts';
import { type TransferCreate, transfer } from '#contract/resources/transfers.ts';
import { audit } from '#core/audit.ts';
import { insert } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { weightIn } from '../batch-in-pond.ts';
import type { Chain, Named, NamedTransfer, TransferDeps, TransferWarning } from './ports.ts';
import {
  auditName,
  nowIso,
  pondOf,
  requireActive,
  requireAnimals,
  requireTwoPonds,
  transferDateOf,
  warningsOf,
} from './transfer-rules.ts';

/**
 * Decides a move of animals between two ponds. The batch is guarded before anything is read, so that of two transfers
 * at the same moment, or a transfer and the end of the batch, the second sees what the first did. Throws 400, 403, 404,
 * 409 as the rules say.
 */
export async function createTransfer(
  deps: TransferDeps,
  caller: Caller,
  sent: { input: TransferCreate; rawDate: unknown; language: Language },
): Promise<Decision<{ named: NamedTransfer; warnings: TransferWarning[] }>> {
  const { input } = sent;
  const batchId = await deps.queries.idOf('batch', input.batch_id);
  if (batchId === null) throw notFound('Batch');
  const batchGuard = await deps.guard('batch', batchId);
  const chain = await deps.chainOf(batchId);
  if (chain === null) throw notFound('Batch');
  requireActive(chain);
  if (input.id !== undefined && (await deps.queries.transferIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const by = { caller, chain };
  const source = await pondOf(deps, { ref: input.source_pond_id, field: 'source_pond_id' }, by);
  const destination = await pondOf(
    deps,
    { ref: input.destination_pond_id, field: 'destination_pond_id' },
    by,
  );
  requireTwoPonds(source.id, destination.id);
  const at = nowIso(deps);
  const movedAt =
    input.transfer_date == null
      ? at
      : transferDateOf(deps, chain, { parsed: input.transfer_date, raw: sent.rawDate });
  const id = input.id ?? deps.newId();
  const move = {
    id,
    sourceId: source.id,
    destinationId: destination.id,
    quantity: input.quantity,
    at: movedAt,
  };
  await requireAnimals(deps, chain, { stepId: id, move });
  const numericId = await claimNumericId(deps.queries, 'transfer', id);
  const state = (await deps.batches.byIds([batchId])).get(batchId);
  const currentWeightG = state === undefined ? null : weightIn(state, source.id);
  const row: RowOf<typeof transfer> = {
    id,
    numeric_id: numericId.number,
    batch_id: batchId,
    source_pond_id: source.id,
    destination_pond_id: destination.id,
    quantity: input.quantity,
    average_weight: input.average_weight ?? currentWeightG,
    transfer_date: movedAt,
    reason: input.reason ?? null,
    notes: input.notes ?? null,
    contested: false,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: at,
    updated_at: null,
  };
  const named = await withNames(deps, chain, row, caller);
  const beside = await deps.onIncoming({
    batch: chain.batch,
    pondId: destination.id,
    ownerId: chain.batch.owner_id,
    caller,
  });
  return {
    answer: { named, warnings: warningsOf(row.average_weight, currentWeightG, sent.language) },
    changes: [
      insert(transfer, row),
      numericId.change,
      audit(deps, {
        farm_id: chain.batch.farm_id,
        entity_type: 'SYSTEM',
        entity_id: id,
        entity_name: auditName(chain, named.source, named.destination),
        action: 'transfer',
        user_id: caller.userId,
        details: {
          batch_id: batchId,
          source_pond_id: source.id,
          destination_pond_id: destination.id,
          quantity: row.quantity,
          average_weight: row.average_weight,
          transfer_date: movedAt,
        },
      }),
      ...(beside.changes ?? []),
    ],
    guards: [batchGuard, source.guard, destination.guard, ...(beside.guards ?? [])],
  };
}

async function withNames(
  deps: TransferDeps,
  { batch }: Chain,
  row: RowOf<typeof transfer>,
  caller: Caller,
): Promise<NamedTransfer> {
  const ponds = await deps.queries.pondNames([row.source_pond_id, row.destination_pond_id]);
  return {
    transfer: { ...row, rev: 1 },
    source: nameIn(ponds, row.source_pond_id),
    destination: nameIn(ponds, row.destination_pond_id),
    batch: { id: batch.numeric_id, uuid: batch.id, name: batch.batch_code },
    creator: await deps.queries.userName(caller.userId),
  };
}

/** Name of a pond that was just found to exist. */
export function nameIn(ponds: ReadonlyMap<string, Named>, pondId: string): Named {
  const name = ponds.get(pondId);
  if (name === undefined) throw notFound('Pond');
  return name;
}
