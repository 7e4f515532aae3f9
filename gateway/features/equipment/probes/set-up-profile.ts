import {
  type ProbeProfileCreate,
  type ProbeProfileUpdate,
  probeProfile,
} from '#contract/resources/probes.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, purge, update } from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { ProfileRow } from './ports.ts';
import { type SetUpDeps, setUpGuard } from './set-up-bus.ts';

/** Profiles of one farm, most. */
const MOST_PROFILES = 64;

/** Decides a profile of a model that is not shipped. Throws 409 beyond the most. */
export async function createProfile(
  deps: SetUpDeps,
  userId: string,
  input: ProbeProfileCreate,
): Promise<Decision<ProfileRow>> {
  const guard = await setUpGuard(deps);
  if ((await deps.queries.profilesOf(input.farm_id)).length >= MOST_PROFILES)
    throw conflict(`A farm has at most ${MOST_PROFILES} profiles`, 'TOO_MANY');
  const row: ProfileRow = {
    id: deps.newId(),
    farm_id: input.farm_id,
    name: input.name,
    notes: input.notes ?? null,
    registers: input.registers,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: row,
    changes: [insert(probeProfile, row), entry(deps, userId, row, 'create')],
    guards: [guard],
  };
}

export function changeProfile(
  deps: SetUpDeps,
  userId: string,
  current: ProfileRow,
  input: ProbeProfileUpdate,
): Decision<ProfileRow> {
  const row: ProfileRow = {
    ...current,
    name: input.name ?? current.name,
    notes: input.notes === undefined ? current.notes : input.notes,
    registers: input.registers ?? current.registers,
    updated_at: isoOf(deps.now()),
  };
  const { id, ...set } = row;
  return { answer: row, changes: [update(probeProfile, id, set), entry(deps, userId, row, 'update')] };
}

/** Decides the end of a profile. Throws 409 while a probe is read by it. */
export async function deleteProfile(
  deps: SetUpDeps,
  userId: string,
  current: ProfileRow,
): Promise<Decision<void>> {
  const guard = await setUpGuard(deps);
  const probes = await deps.queries.probesOf(current.farm_id);
  const own = probes.filter((one) => one.probe_profile_id === current.id).map(({ name }) => name);
  if (own.length > 0) throw conflict(`Probes are read by this profile (${own.join(', ')})`, 'PROFILE_IN_USE');
  return {
    answer: undefined,
    changes: [purge(probeProfile, current.id), entry(deps, userId, current, 'delete')],
    guards: [guard],
  };
}

function entry(deps: SetUpDeps, userId: string, row: ProfileRow, action: string): Change {
  return audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'SENSOR',
    entity_id: row.id,
    entity_name: row.name,
    action,
    user_id: userId,
    details: { registers: row.registers },
  });
}
