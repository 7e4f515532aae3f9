import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type ProbeProfileCreate,
  type ProbeProfileUpdate,
  probeProfile,
  probeProfileAnswer,
  probeProfileCreate,
  probeProfileUpdate,
} from '#contract/resources/probes.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, purge, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { profileOfRow } from './decode-registers.ts';
import type { ProfileRow } from './ports.ts';
import { profileAnswerOf } from './probe-answers.ts';
import { type SetUpDeps, setUpGuard } from './set-up-bus.ts';
import { SHIPPED_PROFILES } from './shipped-profiles.ts';

const tag = 'Probes';
const params = z.object({ probe_profile_id: idInput });
const atProfile = {
  who: 'farm',
  of: 'probe_profile',
  at: 'params',
  field: 'probe_profile_id',
  others: 404,
  right: 'operate',
} as const;
const onFarmOf = { who: 'farm', of: 'farm', field: 'farm_id' } as const;

const shown = (row: ProfileRow) => profileAnswerOf(profileOfRow(row), row.farm_id);

export function profileRoutes(deps: SetUpDeps): Route[] {
  const profileById = async (id: string) => {
    const row = await deps.queries.profileById(id);
    if (row === null) throw notFound('Probe profile');
    return row;
  };
  return [
    route({
      method: 'GET',
      path: '/probe-profiles/',
      tag,
      summary: 'Models of probes: the shipped ones, then those of the farm',
      access: { ...onFarmOf, right: 'read', at: 'query', others: 404 },
      query: z.object({ farm_id: idInput }),
      answers: { 200: { schema: probeProfileAnswer, list: true } },
      async handle(request) {
        const own = await deps.queries.profilesOf(onFarm(request).farmId);
        const rows = [
          ...SHIPPED_PROFILES.map((profile) => profileAnswerOf(profile, null)),
          ...own.map(shown),
        ];
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      method: 'POST',
      path: '/probe-profiles/',
      tag,
      summary: 'Describe a model of probe by its registers',
      access: { ...onFarmOf, right: 'operate', at: 'body', others: 403 },
      body: probeProfileCreate,
      answers: { 201: { schema: probeProfileAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createProfile(deps, signedIn(request).userId, request.body);
        return { ...made, answer: { status: 201, body: shown(made.answer) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/probe-profiles/{probe_profile_id}',
      hasNoTag: true,
      tag,
      summary: 'Change a model of the farm; its probes are read the new way at once',
      access: atProfile,
      params,
      body: probeProfileUpdate,
      answers: { 200: { schema: probeProfileAnswer } },
      async handle(request) {
        const current = await profileById(request.params.probe_profile_id);
        const done = changeProfile(deps, signedIn(request).userId, current, request.body);
        return { ...done, answer: { status: 200, body: shown(done.answer) } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/probe-profiles/{probe_profile_id}',
      tag,
      summary: 'Delete a model of the farm that no probe is read by',
      access: atProfile,
      params,
      answers: { 204: null },
      async handle(request) {
        const current = await profileById(request.params.probe_profile_id);
        const done = await deleteProfile(deps, signedIn(request).userId, current);
        return { ...done, answer: { status: 204 } };
      },
    }),
  ];
}

/** Profiles of one farm, most. */
const MOST_PROFILES = 64;

/** Decides a profile of a model that is not shipped. Throws 409 beyond the most. */
async function createProfile(
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

function changeProfile(
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
async function deleteProfile(deps: SetUpDeps, userId: string, current: ProfileRow): Promise<Decision<void>> {
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
