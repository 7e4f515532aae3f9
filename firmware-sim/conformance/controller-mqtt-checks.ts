import type { ShadowReported } from '#contract/mqtt/messages.ts';
import {
  commandResult,
  deviceState,
  MAX_DEVICE_MESSAGE_BYTES,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import { commandTopic, DEVICE_LEVELS, deviceTopic, parseDeviceTopic } from '#contract/mqtt/topics.ts';
import { fitsBackOff } from './back-off.ts';
import { keyChecks } from './controller-key-checks.ts';
import type { ControllerCheck } from './controller-level-checks.ts';
import { aloneChecks, applyLevel, endChecks, levelChecks, rhythmChecks } from './controller-level-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { Observed } from './observed.ts';
import { demand } from './report.ts';

const FIRST_WITHIN_S = 90;
const ANSWERS_WITHIN_S = 5;

const sessionChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.connect',
    clause: '2.3',
    title:
      'it connects with mqtt_id as client id and user name, a clean session and a keepalive of 1 to 120 s',
    run: async (side) => {
      const session = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
      demand(session.clientId === side.identity.mqtt_id, `client id ${session.clientId}`);
      demand(session.username === side.identity.mqtt_id, `user name ${session.username}`);
      demand(session.isClean, 'the session is not clean');
      demand(session.keepaliveS >= 1 && session.keepaliveS <= 120, `keepalive ${session.keepaliveS}`);
    },
  },
  {
    id: 'mqtt.will',
    clause: '3.6',
    title: 'its will is a retained "lost" on its own state topic, QoS 1',
    run: async (side) => {
      const { will } = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
      demand(will !== null, 'there is no will');
      demand(will.topic === deviceTopic(side.identity.mqtt_id, 'state'), `on ${will.topic}`);
      demand(will.qos === 1 && will.isRetained, `QoS ${will.qos}, retain ${will.isRetained}`);
      const state = deviceState.safeParse(will.body);
      demand(state.success && state.data.s === 'lost', `body ${JSON.stringify(will.body)}`);
    },
  },
  {
    id: 'mqtt.birth',
    clause: '3.6',
    title: 'after connecting it says "online" with the session id of its will',
    run: async (side) => {
      const session = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
      const birth = await side.until('state online', session.atMs, 10, (seen) => {
        const state =
          seen.kind === 'message' && seen.path === 'state' ? deviceState.safeParse(seen.body) : null;
        return state?.success === true && state.data.s === 'online' ? state.data : null;
      });
      const will = deviceState.safeParse(session.will?.body);
      const willSid = will.success ? will.data.sid : undefined;
      demand(birth.sid === willSid, `sid ${birth.sid ?? 'missing'}, will ${willSid ?? 'missing'}`);
    },
  },
  {
    id: 'mqtt.subscribe',
    clause: '3.3',
    title: 'it subscribes to its levels and commands, and to nothing that is not its own',
    run: async (side) => {
      const { mqtt_id } = side.identity;
      const wanted = [
        ...DEVICE_LEVELS.filter((level) => level !== 'ota/desired').map((level) =>
          deviceTopic(mqtt_id, level),
        ),
        commandTopic(mqtt_id, '+'),
      ];
      for (const filter of wanted) {
        const isIt = (seen: Observed) => (seen.kind === 'subscribe' && seen.filter === filter ? seen : null);
        await side.until(`a subscription to ${filter}`, 0, 10, isIt);
      }
      const stray = side.observed.find((seen) => seen.kind === 'subscribe' && !seen.isAllowed);
      demand(stray === undefined, `it also asked for ${stray?.kind === 'subscribe' ? stray.filter : ''}`);
    },
  },
  {
    id: 'mqtt.heartbeat.first',
    clause: '4.5',
    title: 'a heartbeat follows within 10 s of connecting',
    run: async (side) => {
      const session = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
      await side.until('a heartbeat', session.atMs, 10, (seen) => (seen.kind === 'heartbeat' ? seen : null));
    },
  },
  {
    id: 'mqtt.revisions',
    clause: '4.6',
    title: 'it answers config and schedule with the revision it took',
    run: async (side) => {
      const sinceMs = side.clock.nowMs();
      const { rev } = side.setConfig({ heartbeat_s: 4 });
      await side.until('config/reported', sinceMs, ANSWERS_WITHIN_S, revisionOf('config/reported', rev));
      const schedule = side.setSchedule({});
      await side.until(
        'schedule/reported',
        sinceMs,
        ANSWERS_WITHIN_S,
        revisionOf('schedule/reported', schedule.rev),
      );
    },
  },
  {
    id: 'mqtt.back-off',
    clause: '6.3',
    title: 'when its session ends it returns after 5, 10, 30, 60 s, each within a quarter',
    run: async (side) => {
      const gaps: number[] = [];
      for (let time = 0; time < 2; time += 1) {
        const kickedMs = side.clock.nowMs();
        side.kick();
        const session = await side.until('it returns', kickedMs, 90, sessionOf);
        gaps.push((session.atMs - kickedMs) / 1000);
        await side.sleep(1);
      }
      const told = gaps.map((gapS) => `${gapS.toFixed(1)} s`).join(', then ');
      demand(fitsBackOff(gaps), `it waited ${told}`);
    },
  },
];

const reportChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.reported',
    clause: '4.4',
    title: 'a level is answered on shadow/reported with its epoch and version',
    run: async (side) => {
      const sinceMs = side.clock.nowMs();
      await applyLevel(side, 'ON');
      const reported = await side.until('shadow/reported', sinceMs, ANSWERS_WITHIN_S, reportOfLevel(side));
      demand(reported.ack === 'applied' || reported.ack === 'deferred', `ack ${reported.ack}`);
    },
  },
  {
    id: 'mqtt.min-off',
    clause: '6.5',
    title: 'a start within min_off_s is answered "deferred" and done when the rest is over',
    run: async (side) => {
      await applyLevel(side, 'ON');
      side.setConfig({ min_off_s: 12 });
      await side.sleep(2);
      await applyLevel(side, 'OFF');
      const offMs = side.clock.nowMs();
      side.setLevel({ ...side.level(), version: side.level().version + 1, target: 'ON' });
      const reported = await side.until('shadow/reported', offMs, ANSWERS_WITHIN_S, reportOfLevel(side));
      demand(reported.ack === 'deferred', `ack ${reported.ack}`);
      demand(reported.until_s !== undefined, 'until_s is missing');
      const startedMs = await side.until('it starts', offMs, 30, (seen) =>
        seen.kind === 'heartbeat' && seen.body.current_status === 'ON' ? seen.atMs : null,
      );
      // The gateway hears of the stop a little after it: a second and a half of grace.
      demand(startedMs - offMs >= 10_500, `it rested ${((startedMs - offMs) / 1000).toFixed(1)} s`);
      side.setConfig({ min_off_s: 0 });
      await side.sleep(2);
    },
  },
  {
    id: 'mqtt.garbage',
    clause: '8.2',
    title: 'a body it cannot read changes nothing and does not end its session',
    run: async (side) => {
      await applyLevel(side, 'ON');
      const from = side.observed.length;
      side.publishRaw('shadow/desired', '{"epoch":');
      side.publishRaw(
        'shadow/desired',
        JSON.stringify({ epoch: 'x', version: 'many', target_status: 'TOGGLE' }),
      );
      side.publishRaw('config/desired', 'null');
      await side.sleep(8);
      const harm = side.observed
        .slice(from)
        .find(
          (seen) =>
            seen.kind === 'session_end' || (seen.kind === 'heartbeat' && seen.body.current_status !== 'ON'),
        );
      demand(harm === undefined, harm?.kind === 'session_end' ? 'the session ended' : 'the relay moved');
    },
  },
  {
    id: 'mqtt.command',
    clause: '4.8',
    title: 'a command is answered on res/ with its correlation; a retained one is not obeyed',
    run: async (side) => {
      const sinceMs = side.clock.nowMs();
      side.command('conformance-1', 'identify');
      await side.until('res/conformance-1', sinceMs, ANSWERS_WITHIN_S, resultOf('conformance-1'));
      const kickedMs = side.clock.nowMs();
      side.kick();
      // A retained order reaches the controller when it subscribes anew.
      side.command('conformance-ghost', 'identify', { retain: true });
      await side.until('it returns', kickedMs, 90, sessionOf);
      await side.sleep(4);
      side.forgetCommand('conformance-ghost');
      const obeyed = side.observed.find((seen) => resultOf('conformance-ghost')(seen) !== null);
      demand(obeyed === undefined, 'it obeyed a retained command');
    },
  },
];

const closingChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.messages',
    clause: '3.1',
    title: 'everything it published was on its own topics, in the contract’s shape and not too long',
    run: async (side) => {
      for (const seen of side.observed) {
        if (seen.kind === 'invalid') demand(false, `${seen.where}: ${seen.reason}`);
        if (seen.kind !== 'message') continue;
        demand(
          parseDeviceTopic(seen.topic)?.mqttId === side.identity.mqtt_id,
          `it published on ${seen.topic}`,
        );
        demand(seen.bytes <= MAX_DEVICE_MESSAGE_BYTES, `${seen.bytes} bytes on ${seen.path}`);
        demand(!seen.isRetained || seen.path === 'state', `a retained message on ${seen.path}`);
      }
    },
  },
];

/** In this order: the first ones need a controller that has just come, the last ones look back. */
export const CONTROLLER_MQTT_CHECKS: readonly ControllerCheck[] = [
  ...sessionChecks,
  ...rhythmChecks,
  ...levelChecks,
  ...endChecks,
  ...reportChecks,
  ...aloneChecks,
  ...keyChecks,
  ...closingChecks,
];

type SessionSeen = Extract<Observed, { kind: 'session' }>;

function sessionOf(seen: Observed): SessionSeen | null {
  return seen.kind === 'session' ? seen : null;
}

function revisionOf(path: string, rev: number): (seen: Observed) => Observed | null {
  return (seen) => {
    const said = seen.kind === 'message' && seen.path === path ? revisionReported.safeParse(seen.body) : null;
    return said?.success === true && said.data.rev === rev ? seen : null;
  };
}

function reportOfLevel(side: GatewaySide): (seen: Observed) => ShadowReported | null {
  const { epoch, version } = side.level();
  return (seen) => {
    const said =
      seen.kind === 'message' && seen.path === 'shadow/reported' ? shadowReported.safeParse(seen.body) : null;
    return said?.success === true && said.data.version === version && said.data.epoch === epoch
      ? said.data
      : null;
  };
}

function resultOf(correlation: string): (seen: Observed) => Observed | null {
  return (seen) => {
    if (seen.kind !== 'message' || !seen.topic.endsWith(`/res/${correlation}`)) return null;
    return commandResult.safeParse(seen.body).success ? seen : null;
  };
}
