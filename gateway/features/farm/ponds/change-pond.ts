import { type PondUpdate, pond } from '#contract/resources/ponds.ts';
import { audit } from '#core/audit.ts';
import { remove, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { codWarnings, type PondWarning, requireControlPoint } from './pond-rules.ts';
import type { Pond, PondQueries } from './ports.ts';

type ChangePondDeps = Pick<Kernel, 'now' | 'guard'> & { queries: PondQueries };

/** Decides new values of a pond; fields left out stay, null clears. What changes nothing leaves the row alone. */
export async function changePond(
  deps: ChangePondDeps,
  current: Pond,
  { input, language }: { input: PondUpdate; language: Language },
): Promise<Decision<{ pond: Pond; warnings: PondWarning[] }>> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(given.filter(([field, value]) => value !== current[field as keyof Pond]));
  if (Object.keys(set).length === 0) return { answer: { pond: current, warnings: [] } };
  const isMoved = 'control_point_id' in set;
  const guards = isMoved
    ? await requireControlPoint(deps, current.farm_id, input.control_point_id ?? null)
    : [];
  const stamped = { ...set, updated_at: isoOf(deps.now()) };
  const changed: Pond = { ...current, ...stamped, rev: current.rev + 1 };
  return {
    answer: { pond: changed, warnings: 'cod' in set ? await codWarnings(deps, changed, language) : [] },
    changes: [update(pond, current, stamped)],
    guards,
  };
}

export type DeletePondDeps = ChangePondDeps &
  Pick<Kernel, 'newId' | 'idOf' | 'clockQuality'> & {
    /** Codes of the batches in production that are stocked in the pond or have animals there. */
    activeBatchesIn: (pondId: string) => Promise<string[]>;
  };

/**
 * Decides the end of a pond: it and what lies below is hidden in the same commit. The guard makes a create under this
 * pond that runs at the same moment read again, and find it gone. Throws 409 while a batch is in production there,
 * unless it is meant.
 */
export async function deletePond(
  deps: DeletePondDeps,
  caller: Caller,
  pondId: string,
  { evenWithBatch }: { evenWithBatch: boolean },
): Promise<Decision<void>> {
  const guard = await deps.guard('pond', pondId);
  const current = await deps.queries.pondById(pondId);
  if (current === null) throw notFound('Pond');
  const batches = evenWithBatch ? [] : await deps.activeBatchesIn(pondId);
  if (batches.length > 0) {
    throw conflict(
      `Pond ${current.cod} has an ACTIVE batch (${batches.join(', ')}): finish it, or delete the pond with ?force=true`,
      'BATCH_ACTIVE',
    );
  }
  const aerators = await deps.queries.aeratorsOfPond(pondId);
  const entries = aerators.map((aerator) =>
    audit(deps, {
      farm_id: current.farm_id,
      entity_type: 'AERATOR',
      entity_id: aerator.id,
      entity_name: aerator.name,
      action: 'delete',
      user_id: caller.userId,
      details: { reason: 'its pond was deleted', pond_id: pondId, pond_cod: current.cod },
    }),
  );
  return { answer: undefined, changes: [remove(pond, current), ...entries], guards: [guard] };
}
