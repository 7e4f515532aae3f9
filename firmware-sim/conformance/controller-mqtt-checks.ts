import { deviceState, MAX_DEVICE_MESSAGE_BYTES, meterReading } from '#contract/mqtt/messages.ts';
import {
  commandTopic,
  DEVICE_LEVELS,
  DEVICE_PUBLISHES,
  deviceTopic,
  parseDeviceTopic,
} from '#contract/mqtt/topics.ts';
import { fitsBackOff } from './back-off.ts';
import { aloneChecks } from './controller-alone-checks.ts';
import { endChecks, endOverStartChecks } from './controller-end-checks.ts';
import { keyChecks } from './controller-key-checks.ts';
import {
  applyLevel,
  type ControllerCheck,
  configure,
  giveLevel,
  levelChecks,
  otaChecks,
  rhythmChecks,
} from './controller-level-checks.ts';
import { restChecks } from './controller-rest-checks.ts';
import { reportIn, resultOf, returned, revisionOf, sessionOf, stateIn } from './controller-seen.ts';
import { startChecks, trustChecks } from './controller-start-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import { demand, type Observed, Skipped } from './report.ts';

const FIRST_WITHIN_S = 90;
const ANSWERS_WITHIN_S = 5;

const sessionChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.arrives',
    clause: '2.3',
    title: 'it connects with mqtt_id as client id and user name, and its key',
    run: async (side) => {
      await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
    },
  },
  {
    id: 'mqtt.connect',
    clause: '2.3',
    title: 'its session is clean, with a keepalive of 1 to 120 s',
    run: async (side) => {
      const session = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
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
    needs: ['mqtt.will'],
    run: async (side) => {
      const session = await side.until('a session', 0, FIRST_WITHIN_S, sessionOf);
      const birth = await side.until('state online', session.place, 10, (seen) => {
        const state = stateIn(seen);
        return state?.s === 'online' ? state : null;
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
      await side.until('a heartbeat', session.place, 10, (seen) => (seen.kind === 'heartbeat' ? seen : null));
    },
  },
  {
    id: 'mqtt.revisions',
    clause: '4.6',
    title: 'it answers config and schedule with the revision it took',
    run: async (side) => {
      const since = side.mark();
      const { rev } = side.setConfig({ heartbeat_s: 4 });
      await side.until('config/reported', since, ANSWERS_WITHIN_S, revisionOf('config/reported', rev));
      const schedule = side.setSchedule({});
      await side.until(
        'schedule/reported',
        since,
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
        const kicked = side.mark();
        const kickedMs = side.clock.nowMs();
        side.kick();
        const session = await returned(side, kicked);
        gaps.push((session.atMs - kickedMs) / 1000);
      }
      const told = gaps.map((gapS) => `${gapS.toFixed(1)} s`).join(', then ');
      demand(fitsBackOff(gaps), `it waited ${told}`);
    },
  },
  {
    id: 'mqtt.sid',
    clause: '3.6',
    title: 'each session has a session id of its own',
    needs: ['mqtt.will', 'mqtt.back-off'],
    run: async (side) => {
      const sessions = side.observed.flatMap((seen) => sessionOf(seen) ?? []);
      const sids = sessions.map(({ will }) => deviceState.safeParse(will?.body).data?.sid ?? 'none');
      demand(new Set(sids).size === sids.length, `sid ${sids.join(', then ')}`);
    },
  },
];

const reportChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.reported',
    clause: '4.4',
    title: 'a level is answered on shadow/reported with its epoch and version, an equal one again',
    needs: ['level.applied'],
    run: async (side) => {
      const since = side.mark();
      await applyLevel(side, 'ON');
      const isAnswer = reportIn(side.level());
      const { ack } = await side.until('shadow/reported', since, ANSWERS_WITHIN_S, isAnswer);
      demand(ack === 'applied' || ack === 'deferred', `ack ${ack}`);
      const again = side.mark();
      side.setLevel(side.level());
      await side.until('shadow/reported for the same level', again, ANSWERS_WITHIN_S, isAnswer);
    },
  },
  {
    id: 'level.stale',
    clause: '5.1',
    title: 'a lower version is answered "stale"',
    needs: ['level.lower', 'mqtt.reported'],
    run: async (side) => {
      const { epoch, version } = side.level();
      const since = side.mark();
      side.sendStrayLevel({ epoch, version: version - 1, target: 'OFF' });
      const isAnswer = reportIn({ epoch, version: version - 1 });
      const { ack } = await side.until('shadow/reported', since, ANSWERS_WITHIN_S, isAnswer);
      demand(ack === 'stale', `ack ${ack}`);
    },
  },
  {
    id: 'mqtt.min-off',
    clause: '6.5',
    title: 'a start within min_off_s is answered "deferred" with until_s, and "applied" when it is done',
    needs: ['mqtt.reported'],
    run: async (side) => {
      await applyLevel(side, 'ON');
      side.setConfig({ min_off_s: 12 });
      await side.sleep(2);
      await applyLevel(side, 'OFF');
      const off = side.mark();
      giveLevel(side, 'ON');
      const reported = await side.until('shadow/reported', off, ANSWERS_WITHIN_S, reportIn(side.level()));
      demand(reported.ack === 'deferred', `ack ${reported.ack}`);
      demand(reported.until_s !== undefined, 'until_s is missing');
      await side.until('"applied" on shadow/reported', off, 30, reportIn(side.level(), 'applied'));
    },
  },
  {
    id: 'lock-out.refused',
    clause: '6.9',
    title: 'locked out, an ON is answered "refused" with a reason',
    needs: ['lock-out', 'mqtt.reported'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { locked_out: true });
      const since = side.mark();
      giveLevel(side, 'ON');
      const reported = await side.until('shadow/reported', since, ANSWERS_WITHIN_S, reportIn(side.level()));
      demand(reported.ack === 'refused', `ack ${reported.ack}`);
      demand(reported.reason !== undefined, 'reason is missing');
    },
  },
  {
    id: 'mqtt.garbage',
    clause: '8.2',
    title: 'a body it cannot read changes nothing and does not end its session',
    needs: ['level.applied'],
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
    title: 'a command is answered on res/ with its correlation within 5 s',
    run: async (side) => {
      const since = side.mark();
      side.command('conformance-1', 'identify');
      await side.until('res/conformance-1', since, ANSWERS_WITHIN_S, resultOf('conformance-1'));
    },
  },
  {
    id: 'mqtt.command.once',
    clause: '4.8',
    title: 'a command that comes again with the same correlation is not obeyed again',
    needs: ['mqtt.command'],
    run: async (side) => {
      // A reading of its own rhythm may come just then: twice it is no chance.
      const isObeyedAgain = await readsMeterAgain(side, 'conformance-2');
      demand(!isObeyedAgain || !(await readsMeterAgain(side, 'conformance-3')), 'it read its meter again');
    },
  },
  {
    id: 'mqtt.command.retained',
    clause: '4.8',
    title: 'a command that carries the retain flag is not obeyed',
    needs: ['mqtt.command'],
    run: async (side) => {
      const kicked = side.mark();
      side.kick();
      // A retained order reaches the controller when it subscribes anew.
      side.command('conformance-ghost', 'identify', { retain: true });
      try {
        await returned(side, kicked);
        await side.sleep(3);
      } finally {
        side.forgetCommand('conformance-ghost');
      }
      const obeyed = side.observed.find((seen) => resultOf('conformance-ghost')(seen) !== null);
      demand(obeyed === undefined, 'it obeyed a retained command');
    },
  },
];

/** Of the table in 3.1; a log line may come with QoS 0. */
const QOS_1 = new Set(DEVICE_PUBLISHES.filter((path) => path !== 'log').map(String)).add('res');

const closingChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.messages',
    clause: '3.1',
    title:
      'everything it published was on its own topics, in the contract’s shape, retained only where it may',
    run: async (side) => {
      for (const seen of side.observed) {
        if (seen.kind === 'invalid') demand(false, `${seen.where}: ${seen.reason}`);
        if (seen.kind !== 'message') continue;
        demand(
          parseDeviceTopic(seen.topic)?.mqttId === side.identity.mqtt_id,
          `it published on ${seen.topic}`,
        );
        demand(!seen.isRetained || seen.path === 'state', `a retained message on ${seen.path}`);
        demand(seen.isRetained || seen.path !== 'state', 'a state that is not retained');
      }
    },
  },
  {
    id: 'mqtt.messages.qos',
    clause: '3.1',
    title: 'it published with QoS 1',
    run: async (side) => {
      const loose = side.observed.find(
        (seen) => seen.kind === 'message' && QOS_1.has(seen.path) && seen.qos !== 1,
      );
      demand(loose === undefined, loose?.kind === 'message' ? `${loose.path} with QoS ${loose.qos}` : '');
    },
  },
  {
    id: 'mqtt.messages.size',
    clause: '8.1',
    title: 'nothing it published was longer than 1,024 bytes',
    run: async (side) => {
      for (const seen of side.observed) {
        if (seen.kind !== 'message') continue;
        demand(seen.bytes <= MAX_DEVICE_MESSAGE_BYTES, `${seen.bytes} bytes on ${seen.path}`);
      }
    },
  },
  {
    id: 'mqtt.meter',
    clause: '4.10',
    title: 'its meter only grew within one wh_ep',
    run: async (side) => {
      const readings = side.observed.flatMap((seen) =>
        seen.kind === 'message' && seen.path === 'meter'
          ? (meterReading.safeParse(seen.body).data ?? [])
          : [],
      );
      if (readings.length === 0) throw new Skipped('it told of no meter');
      const highest = new Map<number | undefined, number>();
      for (const { wh, wh_ep } of readings) {
        const before = highest.get(wh_ep) ?? 0;
        demand(wh >= before, `wh fell from ${before} to ${wh} within wh_ep ${wh_ep ?? 'none'}`);
        highest.set(wh_ep, wh);
      }
    },
  },
];

/** In this order: the first ones need a controller that has just come, the last ones look back. */
export const CONTROLLER_MQTT_CHECKS: readonly ControllerCheck[] = [
  ...sessionChecks,
  ...rhythmChecks,
  ...levelChecks,
  ...restChecks,
  ...reportChecks,
  ...trustChecks,
  ...startChecks,
  ...aloneChecks,
  ...endChecks,
  ...endOverStartChecks,
  ...keyChecks,
  ...otaChecks,
  ...closingChecks,
];

/** Whether a `read_meter` told twice under one name is carried out twice. */
async function readsMeterAgain(side: GatewaySide, correlation: string): Promise<boolean> {
  const meterSince = (since: number, withinS: number) =>
    side
      .until('meter', since, withinS, (seen) =>
        seen.kind === 'message' && seen.path === 'meter' ? true : null,
      )
      .catch(() => null);
  const first = side.mark();
  side.command(correlation, 'read_meter');
  if ((await meterSince(first, ANSWERS_WITHIN_S)) === null) throw new Skipped('it tells of no meter');
  await side.sleep(1);
  const again = side.mark();
  side.command(correlation, 'read_meter');
  return (await meterSince(again, 3)) !== null;
}
