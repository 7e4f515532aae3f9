import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type FarmConsoleAnswer,
  farmConsoleAnswer,
  farmConsoleUpdate,
} from '#contract/resources/farm-console.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type Arranged, arrangedIn, type ChangeConsoleDeps, changeConsole } from './change-console.ts';

const params = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Farms';

const toAnswer = (farm_id: string, { wall, alarm_responses, updated_at }: Arranged): FarmConsoleAnswer => ({
  farm_id,
  wall,
  alarm_responses,
  updated_at,
});

export function farmConsoleRoutes(deps: ChangeConsoleDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/console',
      tag,
      summary: 'What the people of a farm arranged for their screens: the wall, and what to do about alarms',
      access: { ...atFarm, right: 'read' },
      params,
      answers: { 200: { schema: farmConsoleAnswer } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const arranged = arrangedIn(await deps.queries.farmConsole(farmId));
        return { answer: { status: 200, body: toAnswer(farmId, arranged), rev: arranged.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}/console',
      tag,
      summary: 'Arrange the wall of a farm and what is to be done about its alarms',
      access: { ...atFarm, right: 'manage' },
      params,
      body: farmConsoleUpdate,
      answers: { 200: { schema: farmConsoleAnswer } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const current = await deps.queries.farmConsole(farmId);
        requireMatch(request, { rev: current?.rev ?? 0 });
        const changed = await changeConsole(deps, signedIn(request), farmId, { current, sent: request.body });
        const body = toAnswer(farmId, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
  ];
}
