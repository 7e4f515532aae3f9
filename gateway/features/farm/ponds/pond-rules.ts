import type { GuardSeen } from '#core/changes.ts';
import { invalidField } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#science/advice/language.ts';
import type { Pond, PondQueries } from './ports.ts';

type PondRulesDeps = Pick<Kernel, 'guard'> & { queries: PondQueries };

export type PondWarning = { code: string; message: string };

/**
 * A pond is aired by a control point of its own farm, or by none; throws 400 otherwise. Answers the guard that makes
 * a deletion of the control point, or its mark as a siren, at the same moment see the pond.
 */
export async function requireControlPoint(
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
};

/** A code may repeat, but people tell ponds apart by it. */
export async function codWarnings(
  deps: PondRulesDeps,
  pond: Pick<Pond, 'id' | 'farm_id' | 'cod'>,
  language: Language,
): Promise<PondWarning[]> {
  if (!(await deps.queries.isCodUsed(pond.farm_id, pond.cod, pond.id))) return [];
  return [{ code: 'DUPLICATE_COD', message: COD_IS_USED[language](pond.cod) }];
}
