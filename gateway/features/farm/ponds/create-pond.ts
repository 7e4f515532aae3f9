import type { RowOf } from '#contract/resource.ts';
import { type PondCreate, pond } from '#contract/resources/ponds.ts';
import { asParent, insert } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { codWarnings, type PondWarning, requireControlPoint } from './pond-rules.ts';
import type { PondQueries } from './ports.ts';

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
