import type { RowOf } from '#contract/resource.ts';
import { type PondCreate, type PondUpdate, pond } from '#contract/resources/ponds.ts';
import { audit } from '#core/audit.ts';
import { asParent, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import type { Pond, PondQueries } from './ports.ts';

type PondRulesDeps = Pick<Kernel, 'guard'> & { queries: PondQueries };

type PondWarning = { code: string; message: string };

/**
 * A pond is aired by a control point of its own farm, or by none; throws 400 otherwise. Answers the guard that makes
 * a deletion of the control point, or its mark as a siren, at the same moment see the pond.
 */
async function requireControlPoint(
  deps: PondRulesDeps,
  farmId: string,
  controlPointId: string | null,
): Promise<GuardSeen[]> {
  if (controlPointId === null) return [];
  const guard = await deps.guard('control_point', controlPointId);
  if ((await deps.queries.farmOfControlPoint(controlPointId)) !== farmId)
    throw invalidField(400, 'control_point_id', 'no such control point on this farm, or a siren');
  return [guard];
}

const COD_IS_USED: Readonly<Record<Language, (cod: string) => string>> = {
  'pt-BR': (cod) => `Outro viveiro desta fazenda também tem o código ${cod}.`,
  en: (cod) => `Another pond of this farm has the code ${cod}, too.`,
  es: (cod) => `Otra piscina de esta camaronera también tiene el código ${cod}.`,
};

/** A code may repeat, but people tell ponds apart by it. */
async function codWarnings(
  deps: PondRulesDeps,
  pond: Pick<Pond, 'id' | 'farm_id' | 'cod'>,
  language: Language,
): Promise<PondWarning[]> {
  if (!(await deps.queries.isCodUsed(pond.farm_id, pond.cod, pond.id))) return [];
  return [{ code: 'DUPLICATE_COD', message: COD_IS_USED[language](pond.cod) }];
}

export type CreatePondDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & {
  queries: PondQueries;
  /** Rows that go into the same commit: plan limits. Throws when the plan allows no further pond on this farm. */
  onCreate: (
    created: RowOf<typeof pond>,
    by: { caller: Caller; farm: FarmAccess },
  ) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

/**
 * Decides a new pond. Throws 404 for a farm that was deleted meanwhile, 400 for a control point that is not of this
 * farm, 409 for an id that is taken.
 */
export async function createPond(
  deps: CreatePondDeps,
  by: { caller: Caller; farm: FarmAccess; language: Language },
  input: PondCreate,
): Promise<Decision<{ pond: RowOf<typeof pond>; warnings: PondWarning[] }>> {
  const { queries } = deps;
  const { farmId } = by.farm;
  const farmGuard = asParent(await deps.guard('farm', farmId));
  if (!(await queries.farmExists(farmId))) throw notFound('Farm');
  if (input.id !== undefined && (await queries.pondIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const controlPointGuards = await requireControlPoint(deps, farmId, input.control_point_id ?? null);
  const id = input.id ?? deps.newId();
  const numericId = await claimNumericId(queries, 'pond', id);
  const row: RowOf<typeof pond> = {
    id,
    numeric_id: numericId.number,
    farm_id: farmId,
    cod: input.cod,
    pond_type: input.pond_type ?? null,
    size_m2: input.size_m2 ?? null,
    depth_m: input.depth_m ?? null,
    lat: input.lat ?? null,
    lng: input.lng ?? null,
    aerator_count: input.aerator_count ?? 0,
    control_point_id: input.control_point_id ?? null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const beside = await deps.onCreate(row, by);
  return {
    answer: { pond: row, warnings: await codWarnings(deps, row, by.language) },
    changes: [insert(pond, row), numericId.change, ...(beside.changes ?? [])],
    guards: [farmGuard, ...controlPointGuards, ...(beside.guards ?? [])],
  };
}

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
