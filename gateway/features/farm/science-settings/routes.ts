import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type ScienceSettingsAnswer,
  scienceSettings,
  scienceSettingsUpdate,
} from '#contract/resources/science.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type ChangeSettingsDeps, changeSettings, type Settings, settingsOf } from './change-settings.ts';
import { listRules } from './list-rules.ts';
import { mergedConstants, unknownIn } from './merge-constants.ts';

const params = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Science settings';

export function scienceSettingRoutes(deps: ChangeSettingsDeps): Route[] {
  const rules = listRules();
  const toAnswer = (farmId: string, settings: Settings): ScienceSettingsAnswer => ({
    farm_id: farmId,
    constants: mergedConstants(settings.overrides),
    overrides: { ...settings.overrides },
    unread: unknownIn(settings.overrides),
    defaults: SCIENCE_DEFAULTS,
    rules,
    updated_at: settings.updatedAt,
    updated_by: settings.updatedBy,
  });
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/science',
      tag,
      summary: 'The figures behind advice and alerts: defaults, the farm’s own, and what holds',
      access: { ...atFarm, right: 'read' },
      params,
      answers: { 200: { schema: scienceSettings } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const settings = settingsOf(await deps.queries.farmScience(farmId));
        return { answer: { status: 200, body: toAnswer(farmId, settings), rev: settings.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}/science',
      tag,
      summary: 'Set figures of the farm; null goes back to the default',
      access: { ...atFarm, right: 'manage' },
      params,
      body: scienceSettingsUpdate,
      answers: { 200: { schema: scienceSettings } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const current = await deps.queries.farmScience(farmId);
        requireMatch(request, { rev: current?.rev ?? 0 });
        const changed = await changeSettings(deps, signedIn(request), farmId, {
          current,
          sent: request.body,
        });
        const body = toAnswer(farmId, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
  ];
}
