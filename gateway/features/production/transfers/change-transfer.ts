import type { RowOf } from '#contract/resource.ts';
import { type TransferCreate, type TransferUpdate, transfer } from '#contract/resources/transfers.ts';
import { audit } from '#core/audit.ts';
import { type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import type { Chain, Named, NamedTransfer, Transfer, TransferDeps, TransferWarning } from './ports.ts';
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
  const weighed = await deps.batches.historyOf(batchId);
  const weightG = weighed?.weightAt({ pondId: source.id, at: movedAt }) ?? null;
  const row: RowOf<typeof transfer> = {
    id,
    numeric_id: numericId.number,
    batch_id: batchId,
    source_pond_id: source.id,
    destination_pond_id: destination.id,
    quantity: input.quantity,
    average_weight: input.average_weight ?? weightG,
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
    answer: { named, warnings: warningsOf(row.average_weight, weightG, sent.language) },
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
function nameIn(ponds: ReadonlyMap<string, Named>, pondId: string): Named {
  const name = ponds.get(pondId);
  if (name === undefined) throw notFound('Pond');
  return name;
}

/**
 * Decides a correction. Fields left out stay; the chain of the batch's moves must hold with the new ones. What changes
 * nothing leaves the row alone.
 */
export async function changeTransfer(
  deps: TransferDeps,
  caller: Caller,
  named: NamedTransfer,
  sent: { input: TransferUpdate; rawDate: unknown; language: Language },
): Promise<Decision<{ named: NamedTransfer; warnings: TransferWarning[] }>> {
  const current = named.transfer;
  const batchGuard = await deps.guard('batch', current.batch_id);
  const chain = await chainOf(deps, current);
  const moved = await movedBy(deps, { caller, chain }, current, sent);
  const { reason, notes } = sent.input;
  const weighed = await deps.batches.historyOf(current.batch_id);
  const weightOf = ({ source_pond_id: pondId, transfer_date: at }: Transfer) =>
    weighed?.weightAt({ pondId, at });
  const weightG = weightOf({ ...current, ...moved.fields }) ?? null;
  // one that was told without a weight has that of its own day, also of another
  const isAsWeighed = current.average_weight === weightOf(current);
  const followed = isAsWeighed ? weightG : undefined;
  const average_weight = sent.input.average_weight === undefined ? followed : sent.input.average_weight;
  const changed = changesOf(current, { ...moved.fields, average_weight, reason, notes });
  if (changed === null) return { answer: { named, warnings: [] } };
  requireActive(chain);
  const isMoved = Object.keys(moved.fields).some((field) => field in changed.after);
  // the corrected move was found to hold, so nobody disputes it any more
  const set = { ...changed.after, ...(isMoved ? { contested: false } : {}), updated_at: nowIso(deps) };
  const row: Transfer = { ...current, ...set, rev: current.rev + 1 };
  if (isMoved) await requireMove(deps, chain, row);
  const ponds = await deps.queries.pondNames([row.source_pond_id, row.destination_pond_id]);
  const after: NamedTransfer = {
    ...named,
    transfer: row,
    source: nameIn(ponds, row.source_pond_id),
    destination: nameIn(ponds, row.destination_pond_id),
  };
  const isElsewhere = row.destination_pond_id !== current.destination_pond_id;
  const beside = isElsewhere
    ? await deps.onIncoming({
        batch: chain.batch,
        pondId: row.destination_pond_id,
        ownerId: chain.batch.owner_id,
        caller,
      })
    : {};
  const isWeighed = 'average_weight' in changed.after;
  return {
    answer: {
      named: after,
      warnings: isWeighed ? warningsOf(row.average_weight, weightG, sent.language) : [],
    },
    changes: [
      update(transfer, current, set),
      correctionEntry(deps, { ...entryOf(caller, chain, after), ...changed }),
      ...(beside.changes ?? []),
    ],
    guards: [batchGuard, ...moved.guards, ...(beside.guards ?? [])],
  };
}

/** Decides that a move never was. 409 when later moves need its animals. */
export async function deleteTransfer(
  deps: TransferDeps,
  caller: Caller,
  named: NamedTransfer,
): Promise<Decision<void>> {
  const current = named.transfer;
  const batchGuard = await deps.guard('batch', current.batch_id);
  const chain = await chainOf(deps, current);
  if (chain.batch.status !== 'ACTIVE') {
    throw new AppError(409, `Batch ${chain.batch.batch_code} is ${chain.batch.status}: its transfers stay`, {
      code: 'BATCH_NOT_ACTIVE',
    });
  }
  await requireAnimals(deps, chain, { stepId: current.id, move: null });
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, chain, named), before, after: null });
  return { answer: undefined, changes: [remove(transfer, current), entry], guards: [batchGuard] };
}

async function chainOf(deps: TransferDeps, current: Transfer): Promise<Chain> {
  const chain = await deps.chainOf(current.batch_id);
  if (chain === null) throw notFound('Transfer');
  return chain;
}

type MovedFields = Partial<
  Pick<Transfer, 'source_pond_id' | 'destination_pond_id' | 'quantity' | 'transfer_date'>
>;

/** The fields that say who was moved when and whereto, as far as the caller sent them. */
async function movedBy(
  deps: TransferDeps,
  by: { caller: Caller; chain: Chain },
  current: Transfer,
  { input, rawDate }: { input: TransferUpdate; rawDate: unknown },
): Promise<{ fields: MovedFields; guards: GuardSeen[] }> {
  const fields: MovedFields = {};
  const guards: GuardSeen[] = [];
  for (const field of ['source_pond_id', 'destination_pond_id'] as const) {
    const ref = input[field];
    if (ref === undefined || (await deps.queries.idOf('pond', ref)) === current[field]) continue;
    const pond = await pondOf(deps, { ref, field }, by);
    fields[field] = pond.id;
    guards.push(pond.guard);
  }
  if (input.quantity !== undefined) fields.quantity = input.quantity;
  if (input.transfer_date !== undefined && input.transfer_date !== current.transfer_date)
    fields.transfer_date = transferDateOf(deps, by.chain, { parsed: input.transfer_date, raw: rawDate });
  return { fields, guards };
}

async function requireMove(deps: TransferDeps, chain: Chain, row: Transfer): Promise<void> {
  requireTwoPonds(row.source_pond_id, row.destination_pond_id);
  const move = {
    id: row.id,
    sourceId: row.source_pond_id,
    destinationId: row.destination_pond_id,
    quantity: row.quantity,
    at: row.transfer_date,
  };
  await requireAnimals(deps, chain, { stepId: row.id, move });
}

function entryOf(caller: Caller, chain: Chain, named: NamedTransfer) {
  return {
    kind: 'transfer' as const,
    id: named.transfer.id,
    name: auditName(chain, named.source, named.destination),
    farmId: chain.batch.farm_id,
    userId: caller.userId,
  };
}
