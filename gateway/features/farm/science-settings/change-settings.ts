import { farmScience } from '#contract/resources/science.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, insert, update } from '#core/changes.ts';
import { AppError, type FieldError, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { disorderIn, faultsIn } from './check-overrides.ts';
import { inTodaysNames, isTable, mergedConstants, type Overrides } from './merge-constants.ts';
import type { FarmScience, ScienceSettingQueries } from './ports.ts';

export type ChangeSettingsDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: ScienceSettingQueries;
};

export type Settings = {
  overrides: Overrides;
  rev: number;
  updatedAt: string | null;
  updatedBy: string | null;
};

export function settingsOf(row: FarmScience | null): Settings {
  return {
    overrides: inTodaysNames(row?.overrides ?? {}),
    rev: row?.rev ?? 0,
    updatedAt: row === null ? null : (row.updated_at ?? row.created_at),
    updatedBy: row?.updated_by ?? null,
  };
}

/**
 * Decides which figures a farm sets for itself: what is sent is laid over what was set, null goes back to the default.
 * Throws 422 with the path of every figure that is unknown, out of range, or out of order with another.
 */
export async function changeSettings(
  deps: ChangeSettingsDeps,
  caller: Caller,
  farmId: string,
  { current, sent }: { current: FarmScience | null; sent: Readonly<Record<string, unknown>> },
): Promise<Decision<Settings>> {
  refuse(faultsIn(sent));
  const before = settingsOf(current).overrides;
  const overrides = laidOver(before, sent);
  if (JSON.stringify(overrides) === JSON.stringify(before)) return { answer: settingsOf(current) };
  refuse(disorderIn(mergedConstants(overrides)));
  const now = isoOf(deps.now());
  const set = { overrides, updated_by: caller.userId, updated_at: now };
  const answer = { overrides, updatedAt: now, updatedBy: caller.userId };
  const entry = audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: farmId,
    entity_name: 'Science settings',
    action: 'update',
    user_id: caller.userId,
    details: { record: 'farm_science', before, after: overrides },
  });
  if (current !== null) {
    return {
      answer: { ...answer, rev: current.rev + 1 },
      changes: [update(farmScience, current, set), entry],
    };
  }
  const guard = asParent(await deps.guard('farm', farmId));
  if (!(await deps.queries.farmExists(farmId))) throw notFound('Farm');
  return { answer: { ...answer, rev: 1 }, changes: [firstRow(deps, farmId, set), entry], guards: [guard] };
}

function firstRow(
  deps: ChangeSettingsDeps,
  farmId: string,
  { overrides, updated_by, updated_at }: { overrides: Overrides; updated_by: string; updated_at: string },
): Change {
  return insert(farmScience, {
    id: deps.idOf(`farm_science:${farmId}`),
    farm_id: farmId,
    overrides,
    updated_by,
    created_at: updated_at,
    updated_at: null,
  });
}

function refuse(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (first === undefined) return;
  throw new AppError(422, `${first.path || 'body'}: ${first.message}`, {
    code: 'VALIDATION_ERROR',
    errors: errors.slice(0, 50),
  });
}

function laidOver(before: Overrides, sent: Overrides): Record<string, unknown> {
  const after: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) delete after[name];
    else if (isTable(value)) {
      const known = after[name];
      const laid = laidOver(isTable(known) ? known : {}, value);
      if (Object.keys(laid).length === 0) delete after[name];
      else after[name] = laid;
    } else after[name] = value;
  }
  return after;
}
