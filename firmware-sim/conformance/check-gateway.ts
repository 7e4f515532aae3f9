import type { TLSSocket } from 'node:tls';
import * as z from 'zod';
import { deviceSchedule, heartbeatAnswer, shadowDesired } from '#contract/mqtt/messages.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { SWITCH_STATES } from '#contract/words.ts';
import { createRealClock } from '../sim-clock.ts';
import { connectTrusted, readPin } from '../transport/gateway-trust.ts';
import { GATEWAY_HTTP_CHECKS } from './gateway-http-checks.ts';
import { call, GATEWAY_KEY_CHECKS, withOwnDevice } from './gateway-key-checks.ts';
import { GATEWAY_MQTT_CHECKS } from './gateway-mqtt-checks.ts';
import { GATEWAY_ORDER_CHECKS } from './gateway-order-checks.ts';
import { GATEWAY_TIME_CHECKS } from './gateway-time-checks.ts';
import {
  type GatewayTarget,
  type GatewayUnderTest,
  heartbeat,
  openSession,
  opposite,
  order,
  parseAs,
  reachGateway,
  readJson,
  readLevel,
  withSession,
} from './gateway-under-test.ts';
import {
  type Check,
  type CheckResult,
  demand,
  orLate,
  type Report,
  reportOf,
  runChecks,
  Skipped,
} from './report.ts';

type End = z.infer<typeof endingStatus>;

const FOR_S = 60;

/** What a delivery may take. */
const GRACE_S = 10;

const PASSES_S = 3;

const end = { until: z.int().min(0).optional(), then: z.enum(SWITCH_STATES).optional() };

const endingLevel = shadowDesired.extend(end);

const endingAnswer = heartbeatAnswer.extend(end);

const endingStatus = z.object(end);

// A level that ends by itself says so, so that it ends with the gateway gone.
const GATEWAY_END_CHECKS: readonly Check<GatewayUnderTest>[] = [
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

const identity = z.object({
  authority: z.object({ spki_sha256: z.string() }).nullable(),
  ports: z.object({ https: z.number().nullable(), mqtts: z.number().nullable() }),
});

const ANSWER_WITHIN_MS = 10_000;

const CURVE = 'prime256v1';

// Who the gateway is, where it offers TLS.
const GATEWAY_TRUST_CHECKS: readonly Check<GatewayUnderTest>[] = [
  {
    id: 'tls.chain',
    clause: '9.2.2',
    title: 'where it offers TLS its certificate descends from the authority whose pin it tells, with P-256',
    needs: ['http.answers'],
    run: async (gateway) => {
      const { status, body } = await gateway.call('/api/v1/system/identity');
      const told = identity.safeParse(body);
      if (status !== 200 || !told.success || told.data.authority === null)
        throw new Skipped('the gateway tells of no authority: it offers no TLS');
      const pin = readPin(told.data.authority.spki_sha256);
      demand(pin !== null, `its pin is none: ${told.data.authority.spki_sha256}`);
      const { https, mqtts } = told.data.ports;
      for (const port of [https, mqtts]) if (port !== null) await demandTrusted(gateway, port, pin);
    },
  },
];

const HOUR_S = 3_600;

const TOLD_WITHIN_MS = 10_000;

// What a gateway makes of a schedule for a controller that may be alone by then. On a control point of its own.
const GATEWAY_SCHEDULE_CHECKS: readonly Check<GatewayUnderTest>[] = [
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

export const GATEWAY_CHECKS: readonly Check<GatewayUnderTest>[] = [
  ...GATEWAY_MQTT_CHECKS,
  ...GATEWAY_HTTP_CHECKS,
  ...GATEWAY_TIME_CHECKS,
  ...GATEWAY_TRUST_CHECKS,
  ...GATEWAY_ORDER_CHECKS,
  ...GATEWAY_END_CHECKS,
  ...GATEWAY_SCHEDULE_CHECKS,
  ...GATEWAY_KEY_CHECKS,
];

/** A right gateway needs half a minute, and three when it is checked thoroughly. */
const RUN_S = { quick: 600, thorough: 900 };
const CHECK_S = 60;

export type CheckGatewayDeps = {
  tell: (result: CheckResult) => void;
  /** What the checking machine's clock says; absent: that of the operating system. */
  unixMs?: () => number;
};

/**
 * Checks a gateway against the published protocol, one named check after another. It ends within the limits above,
 * whatever the gateway does or leaves undone.
 */
export async function checkGateway(
  deps: CheckGatewayDeps,
  target: GatewayTarget,
  checks: readonly Check<GatewayUnderTest>[] = GATEWAY_CHECKS,
): Promise<Report> {
  const clock = createRealClock();
  const { gateway, closeAll } = reachGateway({ clock, unixMs: deps.unixMs ?? clock.unixMs }, target);
  const limits = { checkS: CHECK_S, runS: target.isThorough ? RUN_S.thorough : RUN_S.quick };
  try {
    const results = await runChecks({ clock, tell: deps.tell, limits, tidy: closeAll }, checks, gateway);
    return reportOf(target.httpBase, results);
  } finally {
    clock.stop();
  }
}

async function demandTrusted(gateway: GatewayUnderTest, port: number, pin: string): Promise<void> {
  const host = new URL(gateway.httpBase).hostname.replace(/^\[|\]$/g, '');
  let socket: TLSSocket | undefined;
  const proved = new Promise<{ wrong: string | null }>((resolve) => {
    socket = connectTrusted({ host, port }, { pins: [pin] }, (error) => {
      resolve({ wrong: error === null ? null : error.message });
    });
    socket.once('error', (error) => resolve({ wrong: error.message }));
  });
  try {
    const late = { wrong: `no TLS within ${ANSWER_WITHIN_MS / 1000} s` };
    const { wrong } = await orLate(gateway.clock, proved, ANSWER_WITHIN_MS, () => late);
    demand(wrong === null, `port ${port}: ${wrong}`);
    const key = socket?.getPeerX509Certificate()?.publicKey;
    const curve = key?.asymmetricKeyDetails?.namedCurve ?? key?.asymmetricKeyType;
    demand(curve === CURVE, `port ${port}: the key of its certificate is of ${curve}`);
  } finally {
    socket?.destroy();
  }
}

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
