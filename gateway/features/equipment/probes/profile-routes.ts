import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { probeProfileAnswer, probeProfileCreate, probeProfileUpdate } from '#contract/resources/probes.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { profileOfRow } from './decode-registers.ts';
import type { ProfileRow } from './ports.ts';
import { profileAnswerOf } from './probe-answers.ts';
import { type SetUpDeps } from './set-up-bus.ts';
import { changeProfile, createProfile, deleteProfile } from './set-up-profile.ts';
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
