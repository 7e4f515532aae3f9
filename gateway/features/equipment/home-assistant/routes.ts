import { homeAssistantAnswer } from '#contract/resources/home-assistant.ts';
import { type Route, route } from '#core/route.ts';
import type { HomeAssistantBridge } from './bridge.ts';

export function homeAssistantRoutes(deps: { bridge: Pick<HomeAssistantBridge, 'status'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/system/home-assistant',
      tag: 'System',
      summary: 'The bridge to Home Assistant: connection, what it shows, and whether it takes orders',
      access: { who: 'box', right: 'work' },
      answers: { 200: { schema: homeAssistantAnswer } },
      async handle() {
        return { answer: { status: 200, body: deps.bridge.status() } };
      },
    }),
  ];
}
