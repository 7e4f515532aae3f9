import * as z from 'zod';
import { heartbeatAnswer, shadowDesired } from '#contract/mqtt/messages.ts';
import { SWITCH_STATES } from '#contract/words.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { heartbeat, opposite, order, parseAs, readLevel, withSession } from './gateway-under-test.ts';
import type { Check } from './report.ts';
import { demand } from './report.ts';

const FOR_S = 60;
/** What a delivery may take. */
const GRACE_S = 10;
const PASSES_S = 3;

const end = { until: z.int().min(0).optional(), then: z.enum(SWITCH_STATES).optional() };
const endingLevel = shadowDesired.extend(end);
const endingAnswer = heartbeatAnswer.extend(end);
const endingStatus = z.object(end);

type End = z.infer<typeof endingStatus>;

// A level that ends by itself says so, so that it ends with the gateway gone.
export const GATEWAY_END_CHECKS: readonly Check<GatewayUnderTest>[] = [
  {
    id: 'order.ends',
    clause: '4.1.1',
    title: 'an order for a time says at each delivery what is left of it, and what follows',
    needs: ['order.delivered', 'http.heartbeat.answer'],
    run: async (gateway) => {
      const before = await standingLevel(gateway);
      // what follows is what was ordered without an end
      await order(gateway, before.target_status);
      await order(gateway, opposite(before.target_status), { for_s: FOR_S });
      try {
        const first = await standingLevel(gateway);
        demandEnd('shadow/desired', first, before.target_status, FOR_S);
        await gateway.pause(PASSES_S * 1000);
        const left = (first.until ?? 0) - PASSES_S + 1;
        demandEnd(
          'shadow/desired, some seconds later,',
          await standingLevel(gateway),
          before.target_status,
          left,
        );
        const answer = parseAs('answer', endingAnswer, (await heartbeat(gateway)).body);
        demandEnd('the answer to a heartbeat', answer, before.target_status, left);
        demandEnd('GET status', await statusOfDevice(gateway), before.target_status, left);
      } finally {
        await order(gateway, before.target_status);
      }
    },
  },
  {
    id: 'order.endless',
    clause: '4.1.1',
    title: 'a level without an end tells of none',
    needs: ['order.delivered', 'http.heartbeat.answer'],
    run: async (gateway) => {
      const before = await standingLevel(gateway);
      await order(gateway, before.target_status);
      const answer = parseAs('answer', endingAnswer, (await heartbeat(gateway)).body);
      for (const told of [await standingLevel(gateway), answer])
        demand(told.until === undefined && told.then === undefined, `until ${told.until}, then ${told.then}`);
    },
  },
];

function demandEnd(where: string, told: End, then: End['then'], mostS: number): void {
  demand(told.then === then, `${where} says then ${told.then ?? 'nothing'}, not ${then}`);
  const { until } = told;
  const isRight = until !== undefined && until <= mostS && until >= mostS - GRACE_S;
  demand(isRight, `${where} says until ${until ?? 'nothing'}: ${mostS} s or a little less are left`);
}

function standingLevel(gateway: GatewayUnderTest): Promise<z.infer<typeof endingLevel>> {
  return withSession(gateway, async (probe) => {
    const { value } = await readLevel(gateway, probe, 'shadow/desired', endingLevel);
    return value;
  });
}

async function statusOfDevice(gateway: GatewayUnderTest): Promise<End> {
  const { device_id, key } = gateway.device;
  const path = `/api/v1/devices/status/${encodeURIComponent(device_id)}`;
  const { status, body } = await gateway.call(path, { bearer: key });
  demand(status === 200, `status answered ${status}`);
  return parseAs('status', endingStatus, body);
}
