import { homeAssistantAnswer } from '#contract/resources/home-assistant.ts';
import { forbidden } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { HomeAssistantBridge } from './bridge.ts';

export function homeAssistantRoutes(deps: {
  bridge: Pick<HomeAssistantBridge, 'status'>;
  worksOnBox: (userId: string) => Promise<boolean>;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/system/home-assistant',
      tag: 'System',
      summary: 'The bridge to Home Assistant: connection, what it shows, and whether it takes orders',
      access: { who: 'account' },
      answers: { 200: { schema: homeAssistantAnswer } },
      async handle(request) {
        if (!(await deps.worksOnBox(signedIn(request).userId)))
          throw forbidden('Only those who have rights over this box see its bridges');
        return { answer: { status: 200, body: deps.bridge.status() } };
      },
    }),
  ];
}
