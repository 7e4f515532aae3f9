import * as z from 'zod';
import { deviceConfig, deviceSchedule, heartbeatAnswer, shadowDesired } from '#contract/mqtt/messages.ts';
import type { HttpAnswer } from '../fetch-firmware.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { heartbeat, parseAs, readLevel, withSession } from './gateway-under-test.ts';
import { type Check, demand } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

const failure = z.object({ detail: z.string().min(1) });

export const GATEWAY_HTTP_CHECKS: readonly GatewayCheck[] = [
  {
    id: 'http.answers',
    clause: '7.1',
    title: 'a heartbeat is answered within 10 s, whatever the answer says',
    run: async (gateway) => {
      const { status } = await heartbeat(gateway);
      demand(status < 500, `answered ${status}`);
    },
  },
  {
    id: 'http.heartbeat.answer',
    clause: '7.2',
    title: 'a heartbeat is answered 200 with target, version and revisions',
    needs: ['http.answers'],
    run: async (gateway) => {
      const answer = parseAs('answer', heartbeatAnswer, okBody(await heartbeat(gateway)));
      demand(answer.poll_interval_s >= 1, `poll_interval_s ${answer.poll_interval_s}`);
      demand(Number.isFinite(Date.parse(answer.server_time)), `server_time ${answer.server_time}`);
    },
  },
  {
    id: 'http.heartbeat.case',
    clause: '7.3',
    title: 'current_status is understood in any case, and unknown fields are ignored',
    needs: ['http.answers'],
    run: async (gateway) => {
      okBody(await heartbeat(gateway, { current_status: 'off', colour: 'blue' }));
    },
  },
  {
    id: 'http.heartbeat.invalid',
    clause: '7.4',
    title: 'a wrong or missing field is 422 with a detail',
    needs: ['http.answers'],
    run: async (gateway) => {
      demandFailure(await heartbeat(gateway, { current_status: 'MAYBE' }), [422]);
      demandFailure(await heartbeat(gateway, { current_status: undefined }), [422]);
      demandFailure(await heartbeat(gateway, { motor_current_ma: 'much' }), [422]);
    },
  },
  {
    id: 'http.heartbeat.malformed',
    clause: '7.4',
    title: 'a body that is not JSON is 400 with a detail',
    needs: ['http.answers'],
    run: async (gateway) => {
      const answer = await gateway.call('/api/v1/devices/heartbeat', {
        bearer: gateway.device.key,
        rawBody: '{"device_id":',
      });
      demandFailure(answer, [400]);
    },
  },
  {
    id: 'http.key.wrong',
    clause: '7.5',
    title: 'a wrong key is 401',
    needs: ['http.answers'],
    run: async (gateway) => {
      const answer = await gateway.call('/api/v1/devices/heartbeat', {
        bearer: 'not-the-key',
        body: { device_id: gateway.device.device_id, current_status: 'OFF' },
      });
      demandFailure(answer, [401]);
    },
  },
  {
    id: 'http.key.missing',
    clause: '7.5',
    title: 'once its key has been used, a device without it is 401',
    needs: ['http.heartbeat.answer'],
    run: async (gateway) => {
      okBody(await heartbeat(gateway));
      const answer = await gateway.call('/api/v1/devices/heartbeat', {
        body: { device_id: gateway.device.device_id, current_status: 'OFF' },
      });
      demandFailure(answer, [401]);
    },
  },
  {
    id: 'http.unknown',
    clause: '7.6',
    title: 'an unknown device_id is 404 (401 where unkeyed devices are not served)',
    needs: ['http.answers'],
    run: async (gateway) => {
      const answer = await gateway.call('/api/v1/devices/heartbeat', {
        body: { device_id: 'conformance-unknown', current_status: 'OFF' },
      });
      demandFailure(answer, [404, 401]);
    },
  },
  {
    id: 'http.config',
    clause: '7.7',
    title: 'GET config answers the body of the revision the heartbeat names',
    needs: ['http.heartbeat.answer'],
    run: async (gateway) => {
      const { config_rev } = parseAs('answer', heartbeatAnswer, okBody(await heartbeat(gateway)));
      const config = parseAs('config', deviceConfig, okBody(await getBody(gateway, 'config')));
      demand(config.rev === config_rev, `config_rev ${config_rev}, config ${config.rev}`);
    },
  },
  {
    id: 'http.schedule',
    clause: '7.7',
    title: 'GET schedule answers the body of the revision the heartbeat names',
    needs: ['http.heartbeat.answer'],
    run: async (gateway) => {
      const { schedule_rev } = parseAs('answer', heartbeatAnswer, okBody(await heartbeat(gateway)));
      const schedule = parseAs('schedule', deviceSchedule, okBody(await getBody(gateway, 'schedule')));
      demand(schedule.rev === schedule_rev, `schedule_rev ${schedule_rev}, schedule ${schedule.rev}`);
    },
  },
  {
    id: 'http.bodies.key',
    clause: '7.5',
    title: 'config and schedule are 401 for a wrong key',
    needs: ['http.answers'],
    run: async (gateway) => {
      demandFailure(await getBody(gateway, 'config', 'not-the-key'), [401]);
      demandFailure(await getBody(gateway, 'schedule', 'not-the-key'), [401]);
    },
  },
  {
    id: 'http.same-level',
    clause: '5.6',
    title: 'MQTT and HTTP tell the same level',
    needs: ['http.heartbeat.answer', 'mqtt.desired'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: desired } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        const answer = parseAs('answer', heartbeatAnswer, okBody(await heartbeat(gateway)));
        const overMqtt = `${desired.epoch}/${desired.version} ${desired.target_status}`;
        const overHttp = `${answer.epoch}/${answer.version} ${answer.target_status}`;
        demand(overMqtt === overHttp, `MQTT ${overMqtt}, HTTP ${overHttp}`);
      }),
  },
];

function getBody(
  gateway: GatewayUnderTest,
  what: 'config' | 'schedule',
  bearer = gateway.device.key,
): Promise<HttpAnswer> {
  const path = `/api/v1/devices/${what}/${encodeURIComponent(gateway.device.device_id)}`;
  return gateway.call(path, { bearer });
}

function okBody(answer: HttpAnswer): unknown {
  demand(answer.status === 200, `answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function demandFailure(answer: HttpAnswer, statuses: readonly number[]): void {
  demand(statuses.includes(answer.status), `answered ${answer.status}, not ${statuses.join(' or ')}`);
  parseAs('body', failure, answer.body);
}
