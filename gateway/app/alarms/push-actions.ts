import { channelQueries } from '#adapters/sql/queries/alarms/channels.ts';
import { pushActionQueries } from '#adapters/sql/queries/alarms/push-actions.ts';
import { actionTokens } from '#adapters/tokens/action-tokens.ts';
import { pushActionRoute } from '#features/alarms/push-actions/use-action.ts';
import { movedAway } from '#features/cloud/moved-farms.ts';
import { orderByPerson } from '#features/control/control-points/order-routes.ts';
import type { ControlArea } from '../control/control.ts';
import type { ControlMemory } from '../control/memory.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';
import type { Alarms } from './alarms.ts';

/** What a person does from a notification, with no page open. */
export function wirePushActions(
  platform: Platform,
  needs: {
    memory: Pick<ControlMemory, 'moved'>;
    alarms: Pick<Alarms, 'acknowledge'>;
    people: Pick<People, 'standsStill'>;
    control: Pick<ControlArea, 'control'>;
  },
) {
  const { kernel, database, accessTo, attempts } = platform;
  const { memory, alarms, people } = needs;
  const { orderDeps } = needs.control.control;
  return {
    routes: [
      pushActionRoute({
        ...kernel,
        tokens: actionTokens,
        queries: { ...pushActionQueries(database.read), channelOf: channelQueries(database.read).channelOf },
        standsStill: people.standsStill,
        accessTo,
        requireHere(farmId) {
          if (memory.moved?.has(farmId) === true) throw movedAway();
        },
        acknowledge: alarms.acknowledge,
        turnOn: (id, { userId, requestId }) =>
          orderByPerson(orderDeps, id, {
            target: 'ON',
            issuedBy: userId,
            reason: null,
            holdS: null,
            requestId,
          }),
        wrongTokens: attempts({ name: 'push action', attempts: 30, windowS: 15 * 60 }),
      }),
    ],
  };
}
