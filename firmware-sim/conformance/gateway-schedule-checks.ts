import { deviceSchedule } from '#contract/mqtt/messages.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { call, withOwnDevice } from './gateway-key-checks.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { openSession, readJson } from './gateway-under-test.ts';
import type { Check } from './report.ts';

const HOUR_S = 3_600;
const TOLD_WITHIN_MS = 10_000;

// What a gateway makes of a schedule for a controller that may be alone by then. On a control point of its own.
export const GATEWAY_SCHEDULE_CHECKS: readonly Check<GatewayUnderTest>[] = [
  {
    id: 'schedule.told',
    clause: '4.7.1',
    title: 'a new schedule reaches the connected device as transitions, one at its start and one at its end',
    needs: ['mqtt.schedule.retained', 'http.time'],
    run: (gateway) =>
      withOwnDevice(gateway, async (own) => {
        const identity = await own.newKey();
        const startS = Math.floor(gateway.unixMs() / 1000 / HOUR_S + 2) * HOUR_S;
        const endS = startS + HOUR_S;
        const probe = await openSession(gateway, identity);
        const topic = deviceTopic(identity.clientId, 'schedule/desired');
        await probe.subscribe(topic);
        await call(gateway, 'POST', `/control-points/${own.id}/schedules`, {
          action: 'ON',
          start_time: isoAt(startS),
          end_time: isoAt(endS),
        });
        await probe.until(
          `transitions to ON at ${startS} and to OFF at ${endS}`,
          (message) => {
            const { tr = [] } = deviceSchedule.safeParse(readJson(message.text)).data ?? {};
            const has = (atS: number, to: 0 | 1) => tr.some((each) => each[0] === atS && each[1] === to);
            return message.topic === topic && has(startS, 1) && has(endS, 0);
          },
          TOLD_WITHIN_MS,
        );
        await probe.leave();
      }),
  },
];

const isoAt = (unixS: number): string => new Date(unixS * 1000).toISOString();
