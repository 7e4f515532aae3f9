import type { IPublishPacket, Packet } from 'mqtt-packet';
import type { HttpFault, MqttFault } from './between.ts';

// Gateways that do one thing wrong each, and which checks must find it. What hangs on a failed check is not judged; all
// others must pass.

export type BadGateway = {
  name: string;
  /** Made anew for each, so that it may remember. */
  mqtt?: () => MqttFault;
  http?: () => HttpFault;
  /** Seconds that its SNTP server is ahead. */
  ntpAheadS?: number;
  fails: readonly string[];
};

const HOUR_S = 3_600;

export const BAD_GATEWAYS: readonly BadGateway[] = [
  {
    name: 'acknowledges nothing',
    mqtt: () => ({ toDevice: (packet) => (packet.cmd === 'puback' ? [] : [packet]) }),
    fails: ['mqtt.acknowledged', 'mqtt.publish.stray'],
  },
  {
    name: 'takes MQTT connections and says nothing',
    mqtt: () => ({ takes: () => undefined }),
    fails: ['mqtt.answers'],
  },
  {
    name: 'closes every MQTT connection at once',
    mqtt: () => ({ takes: (socket) => socket.destroy() }),
    fails: ['mqtt.answers'],
  },
  {
    name: 'resets every MQTT connection at its CONNECT',
    mqtt: () => ({ takes: (socket) => socket.once('data', () => socket.resetAndDestroy()) }),
    fails: ['mqtt.answers'],
  },
  {
    name: 'lets in, and then says nothing',
    mqtt: () => ({ toDevice: (packet) => (packet.cmd === 'connack' ? [packet] : []) }),
    fails: ['mqtt.subscribe.own', 'mqtt.acknowledged', 'mqtt.publish.stray'],
  },
  { name: 'never answers HTTP', http: () => () => 'silent', fails: ['http.answers'] },
  { name: 'closes every HTTP connection', http: () => () => 'closed', fails: ['http.answers'] },
  { name: 'never ends an HTTP answer', http: () => () => 'endless', fails: ['http.answers'] },
  {
    name: 'answers 503',
    http: () => () => ({ status: 503, body: { detail: 'busy' } }),
    fails: ['http.answers'],
  },
  {
    name: 'has a server_time that is an hour off',
    http: () => ofHeartbeats((body) => ({ ...body, server_time: shifted(body['server_time']) })),
    fails: ['http.time'],
  },
  {
    name: 'tells a time over MQTT that is an hour off',
    mqtt: () => ofPublishes('sf/v1/time', (body) => ({ t: Number(body['t']) + HOUR_S })),
    fails: ['mqtt.time.at-once'],
  },
  {
    name: 'never tells the time over MQTT',
    mqtt: () => ({ toDevice: (packet) => (isPublish(packet, 'sf/v1/time') ? [] : [packet]) }),
    fails: ['mqtt.time.at-once'],
  },
  {
    name: 'tells a time over MQTT that stands retained',
    mqtt: () => ofPackets('sf/v1/time', (packet) => ({ ...packet, retain: true })),
    fails: ['mqtt.time.at-once'],
  },
  { name: 'serves a time over SNTP that is an hour off', ntpAheadS: HOUR_S, fails: ['ntp.time'] },
  {
    name: 'sends its levels with QoS 0',
    mqtt: () => ofPackets('/desired', (packet) => ({ ...packet, qos: 0 })),
    fails: ['mqtt.levels.qos'],
  },
  {
    name: 'sends what is ordered with QoS 0',
    mqtt: () => ofPackets('/shadow/desired', (packet) => (packet.retain ? packet : { ...packet, qos: 0 })),
    fails: ['order.qos'],
  },
  {
    name: 'grants levels with QoS 0',
    mqtt: () => ({
      toDevice: (packet) =>
        packet.cmd === 'suback' && 'granted' in packet
          ? [{ ...packet, granted: packet.granted.map((granted) => (granted === 1 ? 0 : granted)) }]
          : [packet],
    }),
    fails: ['mqtt.levels.qos'],
  },
  ...(['shadow', 'config', 'schedule'] as const).map((level) => ({
    name: `has no retain flag on ${level}/desired`,
    mqtt: () => ofPackets(`/${level}/desired`, (packet) => ({ ...packet, retain: false })),
    fails: [level === 'shadow' ? 'mqtt.desired.retained' : `mqtt.${level}.retained`],
  })),
  {
    name: 'has a command that stands retained',
    mqtt: () => ({
      toDevice: (packet, { sayToDevice }) => {
        if (packet.cmd === 'suback') {
          const payload = JSON.stringify({ op: 'identify', expires_in_s: 60 });
          const topic = 'sf/v1/d/aer-100/cmd/old';
          sayToDevice({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: true });
        }
        return [packet];
      },
    }),
    fails: ['mqtt.cmd.not-retained'],
  },
  {
    name: 'sends its levels on another topic',
    mqtt: () =>
      ofPackets('/shadow/desired', (packet) => ({
        ...packet,
        topic: packet.topic.replace('shadow/desired', 'shadow/wanted'),
      })),
    fails: ['mqtt.desired'],
  },
  {
    name: 'has levels longer than 1,024 bytes',
    mqtt: () => ofPublishes('/config/desired', (body) => ({ ...body, note: 'x'.repeat(1_100) })),
    fails: ['mqtt.levels.size'],
  },
  {
    name: 'names a revision of the configuration that is not its',
    mqtt: () => ofPublishes('/config/desired', (body) => ({ ...body, rev: Number(body['rev']) + 1 })),
    fails: ['mqtt.desired.revisions'],
  },
  {
    name: 'has transitions in any order',
    mqtt: () =>
      ofPublishes('/schedule/desired', (body) => ({
        ...body,
        tr: [
          ...(Array.isArray(body['tr']) ? body['tr'] : []),
          [Number(body['to']) - 10, 1, 's1'],
          [Number(body['to']) - 20, 0, 's1'],
        ],
      })),
    fails: ['mqtt.schedule.order'],
  },
  {
    name: 'tells its controllers of no schedules',
    mqtt: () => ofPublishes('/schedule/desired', (body) => ({ ...body, tr: [], weekly: [] })),
    fails: ['schedule.told'],
  },
  {
    name: 'tells what is left of an order once and for all',
    mqtt: () => {
      let first: unknown = null;
      return ofPublishes('/shadow/desired', (body) => {
        if (body['until'] === undefined) return body;
        first ??= body['until'];
        return { ...body, until: first };
      });
    },
    fails: ['order.ends'],
  },
  {
    name: 'does not tell that an order ends by itself',
    mqtt: () => ofPublishes('/shadow/desired', ({ until: _until, then: _then, ...body }) => body),
    fails: ['order.ends'],
  },
  {
    name: 'tells over HTTP that another state follows an order',
    http: () =>
      ofHeartbeats((body) =>
        body['then'] === undefined ? body : { ...body, then: body['then'] === 'ON' ? 'OFF' : 'ON' },
      ),
    fails: ['order.ends'],
  },
  {
    name: 'tells of an end that a level does not have',
    mqtt: () => ofPublishes('/shadow/desired', (body) => ({ until: 60, then: 'OFF', ...body })),
    fails: ['order.endless'],
  },
  {
    name: 'has a new epoch at each connect',
    mqtt: () => ({
      toDevice: (packet, { number }) =>
        isPublish(packet, '/shadow/desired')
          ? [changed(packet, (body) => ({ ...body, epoch: `${body['epoch']}-${number}` }))]
          : [packet],
    }),
    // what it tells over HTTP has yet another
    fails: ['mqtt.version.monotone', 'http.same-level'],
  },
  {
    name: 'counts versions down from connect to connect',
    mqtt: () => ({
      toDevice: (packet, { number }) =>
        isPublish(packet, '/shadow/desired')
          ? [
              changed(packet, (body) => ({
                ...body,
                version: 1_000_000 + Number(body['version']) - number * 1_000,
              })),
            ]
          : [packet],
    }),
    fails: ['mqtt.version.monotone', 'http.same-level'],
  },
  {
    name: 'starts a new epoch with each order',
    mqtt: () => {
      let first: number | null = null;
      return ofPublishes('/shadow/desired', (body) => {
        first ??= Number(body['version']);
        return { ...body, epoch: Number(body['version']) === first ? body['epoch'] : `e${body['version']}` };
      });
    },
    fails: ['order.delivered'],
  },
  {
    name: 'tells an order without a new version',
    mqtt: () => ofPublishes('/shadow/desired', (body) => ({ ...body, version: 1 })),
    http: () => ofHeartbeats((body) => ({ ...body, version: 1 })),
    fails: ['order.delivered'],
  },
  {
    name: 'raises no version for an order that repeats the target',
    mqtt: () => {
      let last = { target: '', version: 0 };
      return ofPublishes('/shadow/desired', (body) => {
        const target = String(body['target_status']);
        if (last.target !== target) last = { target, version: last.version + 1 };
        return { ...body, version: last.version };
      });
    },
    fails: ['order.repeated'],
  },
  {
    name: 'grants every subscription',
    mqtt: () => grantsAll(),
    fails: ['mqtt.subscribe.wildcard'],
  },
  {
    name: 'ends the session of a device that publishes elsewhere',
    mqtt: () => endsAt(({ topic }) => topic.startsWith('cmnd/')),
    fails: ['mqtt.publish.stray'],
  },
  {
    name: 'ends the session of a device whose JSON is broken',
    mqtt: () => endsAt(({ payload }) => String(payload) === '{not json'),
    fails: ['mqtt.payload.bad'],
  },
  {
    name: 'never ends a session',
    mqtt: () => ({ hidesTheEnd: true }),
    fails: ['mqtt.keepalive', 'mqtt.packet.oversize', 'mqtt.takeover'],
  },
  {
    name: 'lets in whoever has a wrong key',
    mqtt: () => refusesWith(0),
    fails: [
      'mqtt.key.wrong',
      'mqtt.key.missing',
      'mqtt.client-id.other',
      'mqtt.unknown',
      'mqtt.client-id.tricks',
      'key.rotated',
      'boot.closed',
    ],
  },
  {
    name: 'refuses a wrong key with CONNACK 3',
    mqtt: () => refusesWith(3),
    fails: ['mqtt.key.wrong', 'mqtt.key.missing', 'mqtt.unknown', 'key.rotated', 'boot.closed'],
  },
  {
    name: 'does not see that a device has vanished',
    mqtt: () => ({ hidesTheLoss: true }),
    fails: ['will.believed'],
  },
  {
    name: 'acknowledges reports and forgets them',
    mqtt: () => ({
      toGateway: (packet, { sayToDevice }) => {
        if (!isPublish(packet, '/hb') && !isPublish(packet, '/shadow/reported')) return [packet];
        sayToDevice({ cmd: 'puback', messageId: packet.messageId ?? 0 });
        return [];
      },
    }),
    fails: ['report.believed'],
  },
  {
    name: 'takes a heartbeat whose other fields are wrong',
    mqtt: () => ({
      toGateway: (packet) =>
        isPublish(packet, '/hb') && String(packet.payload).includes('"much"')
          ? [{ ...packet, payload: '{"current_status":"OFF"}' }]
          : [packet],
    }),
    fails: ['report.fields'],
  },
  {
    name: 'counts an event as often as it comes',
    mqtt: () => {
      let events = 0;
      return {
        toGateway: (packet) => {
          if (!isPublish(packet, '/event')) return [packet];
          events += 1;
          return [changed(packet, (body) => ({ ...body, id: `${String(body['id'])}-${events}` }))];
        },
      };
    },
    fails: ['event.once'],
  },
  {
    name: 'refuses a heartbeat with a field that it does not know',
    mqtt: () => ({
      toGateway: (packet) =>
        isPublish(packet, '/hb') && String(packet.payload).includes('colour')
          ? [{ ...packet, payload: '{' }]
          : [packet],
    }),
    fails: ['report.fields'],
  },
  {
    name: 'answers heartbeats without a version',
    http: () => ofHeartbeats(({ version: _version, ...body }) => body),
    fails: ['http.heartbeat.answer'],
  },
  {
    name: 'tells another level over HTTP',
    http: () => ofHeartbeats((body) => ({ ...body, version: Number(body['version']) + 1 })),
    fails: ['http.same-level'],
  },
  {
    name: 'calls every error 400 without a word',
    http: () => (answer) => (answer.status < 400 ? answer : { status: 400, body: {} }),
    fails: [
      'http.heartbeat.invalid',
      'http.heartbeat.malformed',
      'http.key.wrong',
      'http.key.missing',
      'http.unknown',
      'http.bodies.key',
    ],
  },
  {
    name: 'gives config and schedule to anybody',
    http:
      () =>
      (answer, { path }) =>
        /\/devices\/(config|schedule)\//.test(path) ? { status: 200, body: answer.body } : answer,
    fails: ['http.bodies.key'],
  },
  {
    name: 'has another revision in GET config than it names',
    http:
      () =>
      (answer, { path }) =>
        path.includes('/devices/config/') && answer.status === 200
          ? { status: 200, body: { ...bodyOf(answer.body), rev: 999 } }
          : answer,
    fails: ['http.config'],
  },
  {
    name: 'gives the same key twice',
    http: () => {
      const keys = new Map<string, unknown>();
      return (answer, { path }) => {
        if (!path.endsWith('/device-key')) return answer;
        if (!keys.has(path)) keys.set(path, bodyOf(answer.body)['key']);
        return { ...answer, body: { ...bodyOf(answer.body), key: keys.get(path) } };
      };
    },
    fails: ['key.bits'],
  },
  {
    name: 'gives keys of eight characters',
    http:
      () =>
      (answer, { path }) =>
        path.endsWith('/device-key')
          ? { ...answer, body: { ...bodyOf(answer.body), key: `${bodyOf(answer.body)['key']}`.slice(0, 8) } }
          : answer,
    fails: ['schedule.told', 'key.mqtt-id', 'key.bits', 'key.overlap', 'key.rotated'],
  },
  {
    name: 'lets boards in while its window is closed',
    mqtt: () => {
      const boards = new WeakSet<object>();
      return {
        toGateway: (packet, session) => {
          if (packet.cmd === 'connect' && packet.clientId.startsWith('boot-')) boards.add(session);
          return [packet];
        },
        toDevice: (packet, session) =>
          packet.cmd === 'connack' && boards.has(session) ? [{ ...packet, returnCode: 0 }] : [packet],
      };
    },
    fails: ['boot.closed'],
  },
];

/** The same for boards without a key: one window serves the whole gateway, so that these are tried one by one. */
export const BAD_FOR_BOARDS: readonly BadGateway[] = [
  {
    name: 'grants a board every subscription',
    mqtt: () => grantsAll(),
    fails: ['boot.topics'],
  },
  {
    name: 'never ends the session of a board',
    mqtt: () => ({ hidesTheEnd: true }),
    fails: ['boot.claim.own', 'boot.window.ends'],
  },
  {
    name: 'sends a board nothing',
    mqtt: () => ({ toDevice: (packet) => (packet.cmd === 'publish' ? [] : [packet]) }),
    fails: ['boot.claim.other', 'boot.claim.own'],
  },
  {
    name: 'sends a board the answer to another hello',
    mqtt: () => ofPublishes('/credentials', (body) => ({ ...body, nonce: 'x'.repeat(22) })),
    fails: ['boot.claim.other', 'boot.claim.own'],
  },
];

type Body = Readonly<Record<string, unknown>>;

const bodyOf = (body: unknown): Body => (typeof body === 'object' && body !== null ? { ...body } : {});

function shifted(instant: unknown): string {
  return new Date(Date.parse(String(instant)) + HOUR_S * 1000).toISOString();
}

function isPublish(packet: Packet, topicEnd: string): packet is IPublishPacket {
  return packet.cmd === 'publish' && 'topic' in packet && packet.topic.endsWith(topicEnd);
}

function changed(packet: IPublishPacket, change: (body: Body) => Body): IPublishPacket {
  if (packet.payload.length === 0) return packet;
  return { ...packet, payload: JSON.stringify(change(bodyOf(JSON.parse(String(packet.payload))))) };
}

/** What the gateway publishes on these topics, changed as a packet. */
function ofPackets(topicEnd: string, change: (packet: IPublishPacket) => IPublishPacket): MqttFault {
  return { toDevice: (packet) => [isPublish(packet, topicEnd) ? change(packet) : packet] };
}

/** The same, changed in its body. */
function ofPublishes(topicEnd: string, change: (body: Body) => Body): MqttFault {
  return ofPackets(topicEnd, (packet) => changed(packet, change));
}

function ofHeartbeats(change: (body: Body) => Body): HttpFault {
  return (answer, { path }) =>
    path.endsWith('/devices/heartbeat') && answer.status === 200
      ? { ...answer, body: change(bodyOf(answer.body)) }
      : answer;
}

/** Ends the session at a message of the device. */
function endsAt(test: (packet: IPublishPacket) => boolean): MqttFault {
  return {
    toGateway: (packet, { end }) => {
      if (packet.cmd === 'publish' && 'topic' in packet && test(packet)) end();
      return [packet];
    },
  };
}

function grantsAll(): MqttFault {
  return {
    toDevice: (packet) =>
      packet.cmd === 'suback' && 'granted' in packet
        ? [{ ...packet, granted: packet.granted.map(() => 1) }]
        : [packet],
  };
}

/** Another code in the CONNACK of who is refused. */
function refusesWith(code: number): MqttFault {
  return {
    toDevice: (packet) =>
      packet.cmd === 'connack' && packet.returnCode !== 0 ? [{ ...packet, returnCode: code }] : [packet],
  };
}
