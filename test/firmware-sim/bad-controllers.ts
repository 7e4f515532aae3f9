import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet';
import { step as rightStep } from '#sim/controller/controller.ts';
import type { ControllerEvent, ControllerState, Effect } from '#sim/controller/state.ts';
import type { MqttFault, Session } from './between.ts';

// Controllers that do one thing wrong each, and which checks must find it: by what they say, or by what they decide.
// What hangs on a failed check is not judged; all others must pass.

type Step = typeof rightStep;

export type BadController = {
  name: string;
  transport?: 'http';
  /** Somebody between it and the gateway side; made anew for each. */
  mqtt?: () => MqttFault;
  /** Its rules; made anew for each. */
  step?: () => Step;
  /** It comes with this key. */
  key?: string;
  fails: readonly string[];
};

export const BAD_CONTROLLERS: readonly BadController[] = [
  { name: 'has another key', key: 'not-its-key', fails: ['mqtt.arrives'] },
  {
    name: 'never comes',
    mqtt: () => ({ takes: () => undefined }),
    fails: ['mqtt.arrives'],
  },
  {
    name: 'connects under another name',
    mqtt: () => ofConnect((packet) => ({ ...packet, clientId: `${packet.clientId}-2` })),
    fails: ['mqtt.arrives'],
  },
  {
    name: 'never comes back once its session has ended',
    step: () => onEvent('disconnected', ({ state }) => void (state.link.tryAtMs = null)),
    // whoever is not there is not judged any further
    fails: ['mqtt.back-off', 'heartbeat.rhythm'],
  },
  {
    name: 'connects with a keepalive of five minutes',
    mqtt: () => ofConnect((packet) => ({ ...packet, keepalive: 300 })),
    fails: ['mqtt.connect'],
  },
  {
    name: 'connects without a will',
    mqtt: () =>
      ofConnect((packet) => {
        const { will: _will, ...without } = packet;
        return without;
      }),
    fails: ['mqtt.will'],
  },
  {
    name: 'has a will that does not stand retained',
    mqtt: () => ofWill((will) => ({ ...will, retain: false })),
    // it shows when the will is spoken, too
    fails: ['mqtt.will', 'mqtt.messages'],
  },
  {
    name: 'has another session id in its will than in its birth',
    mqtt: () => {
      let sessions = 0;
      return ofWill((will) => {
        sessions += 1;
        return { ...will, payload: JSON.stringify({ s: 'lost', sid: `other-${sessions}` }) };
      });
    },
    fails: ['mqtt.birth'],
  },
  {
    name: 'has one session id for all its sessions',
    mqtt: () => ({
      toGateway: (packet) => {
        if (packet.cmd === 'connect' && packet.will !== undefined)
          return [{ ...packet, will: { ...packet.will, payload: '{"s":"lost","sid":"always"}' } }];
        return [isPublish(packet, '/state') ? withFields(packet, { sid: 'always' }) : packet];
      },
    }),
    fails: ['mqtt.sid'],
  },
  {
    name: 'subscribes to everything besides',
    mqtt: () => ({
      toGateway: (packet) =>
        packet.cmd === 'subscribe' && 'subscriptions' in packet
          ? [{ ...packet, subscriptions: [...packet.subscriptions, { topic: '#', qos: 0 }] }]
          : [packet],
    }),
    fails: ['mqtt.subscribe'],
  },
  {
    name: 'sends no heartbeat for the first seconds',
    mqtt: () => {
      let beats = 0;
      return withoutPublishes('/hb', () => {
        beats += 1;
        return beats <= 3;
      });
    },
    fails: ['mqtt.heartbeat.first'],
  },
  {
    name: 'does not answer its configuration',
    mqtt: () => withoutPublishes('/config/reported'),
    fails: ['mqtt.revisions'],
  },
  {
    name: 'comes back half a second after every failure',
    step: () => onEvent('disconnected', ({ state, event }) => void (state.link.tryAtMs = event.nowMs + 500)),
    fails: ['mqtt.back-off'],
  },
  {
    name: 'beats half as often as it is told',
    step: () =>
      beforeEvent('config', (state, event) => {
        const heartbeat_s = event.config.heartbeat_s * 2;
        return rightStep(state, { ...event, config: { ...event.config, heartbeat_s } });
      }),
    fails: ['heartbeat.rhythm'],
  },
  {
    name: 'stands retained with its heartbeats',
    mqtt: () => ofPublishes('/hb', (packet) => ({ ...packet, retain: true })),
    fails: ['mqtt.messages'],
  },
  {
    name: 'publishes on topics of its own making',
    mqtt: () => ofPublishes('/event', (packet) => ({ ...packet, topic: 'tele/aerator/EVENT' })),
    fails: ['mqtt.messages'],
  },
  {
    name: 'sends a field of the wrong type',
    mqtt: () => ofPublishes('/event', (packet) => withFields(packet, { k: 'sneeze' })),
    fails: ['mqtt.messages'],
  },
  {
    name: 'reports with QoS 0',
    mqtt: () => ({
      toGateway: (packet, session) => {
        if (!isPublish(packet, '/hb')) return [packet];
        acknowledge(packet, session);
        return [{ ...packet, qos: 0 }];
      },
    }),
    fails: ['mqtt.messages.qos'],
  },
  {
    name: 'sends heartbeats of 2 KiB',
    mqtt: () => ofPublishes('/hb', (packet) => withFields(packet, { note: 'x'.repeat(2_000) })),
    fails: ['mqtt.messages.size'],
  },
  {
    name: 'counts its meter down',
    mqtt: () => {
      let wh = 1_000_000;
      return ofPublishes('/meter', (packet) => withFields(packet, { wh: (wh -= 10) }));
    },
    fails: ['mqtt.meter'],
  },
  {
    name: 'has a clock that runs an hour late',
    mqtt: () =>
      ofPublishes('/hb', (packet) => {
        const { sent_at } = JSON.parse(String(packet.payload)) as { sent_at: number }; // of our own controller
        return withFields(packet, { sent_at: sent_at - 3_600 });
      }),
    fails: ['clock.taken'],
  },
  {
    name: 'does not say that a level is stale',
    mqtt: () => withoutPublishes('/shadow/reported', ({ payload }) => String(payload).includes('"stale"')),
    fails: ['level.stale'],
  },
  {
    name: 'takes no level of another epoch with a lower version',
    step: () =>
      beforeEvent('desired', (state, event) => {
        const { level } = state.nvs;
        const isIgnored = level !== null && event.level.version < level.version;
        return isIgnored ? { state, effects: [] } : rightStep(state, event);
      }),
    fails: ['level.epoch', 'level.stale'],
  },
  {
    name: 'drops what has a field that it does not know',
    mqtt: () => ({
      toDevice: (packet) =>
        packet.cmd === 'publish' && 'payload' in packet && String(packet.payload).includes('colour')
          ? []
          : [packet],
    }),
    fails: ['level.fields'],
  },
  {
    name: 'gives its motor no rest',
    step: () => configured({ min_off_s: 0 }),
    fails: ['rest.off', 'mqtt.min-off'],
  },
  {
    name: 'does not let its motor run as long as it must',
    step: () => configured({ min_on_s: 0 }),
    fails: ['run.on'],
  },
  {
    name: 'knows no lock-out',
    step: () => configured({ locked_out: false }),
    fails: ['lock-out', 'lock-out.stop'],
  },
  {
    name: 'lets a motor run on that is locked out',
    step: () =>
      beforeEvent('config', (state, event) =>
        state.relay.coil === 'ON'
          ? rightStep(state, { ...event, config: { ...event.config, locked_out: false } })
          : rightStep(state, event),
      ),
    fails: ['lock-out.stop'],
  },
  {
    name: 'says "deferred" of an ON while it is locked out',
    mqtt: () =>
      ofPublishes('/shadow/reported', (packet) =>
        String(packet.payload).includes('"refused"') ? withFields(packet, { ack: 'deferred' }) : packet,
      ),
    fails: ['lock-out.refused'],
  },
  {
    name: 'ends its session at a body that it cannot read',
    mqtt: () => ({
      toDevice: (packet, { end }) => {
        if (packet.cmd === 'publish' && 'payload' in packet && String(packet.payload) === '{"epoch":') end();
        return [packet];
      },
    }),
    fails: ['mqtt.garbage'],
  },
  {
    name: 'obeys a command that stands retained',
    step: () => beforeEvent('command', (state, event) => rightStep(state, { ...event, isRetained: false })),
    fails: ['mqtt.command.retained'],
  },
  {
    name: 'obeys one command twice',
    step: () => beforeEvent('command', (state, event) => rightStep({ ...state, recentCommands: [] }, event)),
    fails: ['mqtt.command.once'],
  },
  {
    name: 'restarts before it has answered',
    step: () =>
      beforeEvent('command', (state, event) => {
        const turned = rightStep(state, event);
        if (event.command.op !== 'reboot') return turned;
        return { ...turned, effects: turned.effects.filter(({ kind }) => kind !== 'result') };
      }),
    fails: ['start.answered'],
  },
  {
    name: 'starts its motor without waiting for its slot',
    step: () => configured({ start_delay_s: 0 }),
    fails: ['start.slot'],
  },
  {
    name: 'forgets its level over a start',
    step: () =>
      beforeEvent('power_on', (state, event) =>
        rightStep({ ...state, nvs: { ...state.nvs, level: null } }, event),
      ),
    fails: ['start.remembers'],
  },
  {
    name: 'follows levels of its neighbours',
    mqtt: () => ({
      toDevice: (packet) =>
        packet.cmd === 'publish' && 'topic' in packet && packet.topic.includes('dut-1x/')
          ? [{ ...packet, topic: packet.topic.replace('dut-1x/', 'dut-1/') }]
          : [packet],
    }),
    fails: ['mqtt.foreign'],
  },
  {
    name: 'installs firmware that nobody signed',
    step: () =>
      beforeEvent('firmware_fetched', (state, event) =>
        rightStep(state, { ...event, fetched: { ok: true, behaviour: 'good' } }),
      ),
    fails: ['ota.unsigned'],
  },
  {
    name: 'switches off whenever its session ends',
    step: () =>
      beforeEvent('disconnected', (state, event) =>
        rightStep({ ...state, control: { ...state.control, mode: 'boot' } }, event),
      ),
    fails: ['alone.hold'],
  },
  {
    name: 'does not take its fail-safe state',
    step: () => configured({ fail_safe: 'HOLD' }),
    fails: ['alone.fail-safe'],
  },
  {
    name: 'does not come back to the level that was told before',
    step: () =>
      beforeEvent('desired', (state, event) => {
        const { level } = state.nvs;
        const isOld = level?.epoch === event.level.epoch && level.version === event.level.version;
        return state.control.mode === 'lost' && isOld ? { state, effects: [] } : rightStep(state, event);
      }),
    fails: ['alone.return'],
  },
  {
    name: 'knows no schedule when it is alone',
    step: () => dropping('schedule'),
    fails: ['mqtt.revisions', 'alone.schedule'],
  },
  {
    name: 'knows no weekly table when it is alone',
    step: () =>
      beforeEvent('schedule', (state, event) =>
        rightStep(state, { ...event, schedule: { ...event.schedule, weekly: [] } }),
      ),
    fails: ['alone.weekly'],
  },
  {
    name: 'lets its schedule win over what was ordered later',
    step: () =>
      beforeEvent('desired', (state, event) => {
        const { issuedAtS: _issuedAtS, ...level } = event.level;
        return rightStep(state, { ...event, level });
      }),
    fails: ['alone.ordered'],
  },
  {
    name: 'forgets over a start that its level ends',
    step: () =>
      beforeEvent('power_on', (state, event) =>
        rightStep({ ...state, nvs: { ...state.nvs, ending: null } }, event),
      ),
    fails: ['level.ends.start'],
  },
  {
    name: 'takes a level that has ended for a new one',
    step: () =>
      beforeEvent('desired', (state, event) =>
        rightStep({ ...state, nvs: { ...state.nvs, hasEnded: false } }, event),
      ),
    fails: ['level.ended'],
  },
  {
    name: 'waits for the gateway to end its level',
    mqtt: () => ({
      toDevice: (packet) => [isPublish(packet, '/shadow/desired') ? withoutEnd(packet) : packet],
    }),
    fails: ['level.ends'],
  },
  {
    name: 'says yes to a new key and keeps the old one',
    step: () => (state, event) => {
      const turned = rightStep(state, event);
      return { ...turned, effects: turned.effects.filter(({ kind }) => kind !== 'rekey') };
    },
    fails: ['key.rotated'],
  },
  {
    name: 'comes back over HTTP a second after every failure',
    transport: 'http',
    step: () =>
      onEvent('http_failed', ({ state, event }) => void (state.link.heartbeatAtMs = event.nowMs + 1_000)),
    fails: ['http.back-off'],
  },
  {
    name: 'does not fetch its schedule over HTTP',
    transport: 'http',
    step: () => dropping('schedule'),
    fails: ['alone.schedule'],
  },
  {
    name: 'fetches nothing over HTTP',
    transport: 'http',
    step: () => (state, event) => {
      const turned = rightStep(state, event);
      return { ...turned, effects: turned.effects.filter(({ kind }) => kind !== 'fetch') };
    },
    // its minimum times are those from the factory for ever
    fails: ['http.revisions', 'level.applied'],
  },
  {
    name: 'gives its motor no rest over HTTP',
    transport: 'http',
    step: () => configured({ min_off_s: 0 }),
    fails: ['rest.off'],
  },
];

type EventOf<Kind> = Extract<ControllerEvent, { kind: Kind }>;

/** Its own rule for one kind of event. */
function beforeEvent<Kind extends ControllerEvent['kind']>(
  kind: Kind,
  rule: (state: ControllerState, event: EventOf<Kind>) => { state: ControllerState; effects: Effect[] },
): Step {
  return (state, event) =>
    event.kind === kind ? rule(state, event as EventOf<Kind>) : rightStep(state, event); // of that kind
}

/** What it makes of one kind of event, changed afterwards; its timer follows. */
function onEvent<Kind extends ControllerEvent['kind']>(
  kind: Kind,
  change: (after: { state: ControllerState; event: EventOf<Kind> }) => void,
): Step {
  return beforeEvent(kind, (state, event) => {
    const turned = rightStep(state, event);
    change({ state: turned.state, event });
    // the next thing that happens arms the timer anew
    const atMs = event.nowMs + 100;
    turned.state.timerAtMs = atMs;
    return { ...turned, effects: [...turned.effects, { kind: 'timer', atMs }] };
  });
}

/** Parts of its configuration that it does not follow. */
function configured(ignored: Partial<ControllerState['nvs']['config']>): Step {
  return beforeEvent('config', (state, event) =>
    rightStep(state, { ...event, config: { ...event.config, ...ignored } }),
  );
}

/** It never hears one kind of event. */
function dropping(kind: ControllerEvent['kind']): Step {
  return beforeEvent(kind, (state) => ({ state, effects: [] }));
}

function isPublish(packet: Packet, topicEnd: string): packet is IPublishPacket {
  return packet.cmd === 'publish' && 'topic' in packet && packet.topic.endsWith(topicEnd);
}

function withFields(packet: IPublishPacket, fields: object): IPublishPacket {
  return { ...packet, payload: JSON.stringify({ ...JSON.parse(String(packet.payload)), ...fields }) };
}

/** The gateway side also sends what is no JSON. */
function withoutEnd(packet: IPublishPacket): IPublishPacket {
  const payload = String(packet.payload).replace(/,"until":\d+,"then":"(ON|OFF)"/, '');
  return { ...packet, payload };
}

/** What it publishes on these topics, changed. */
function ofPublishes(topicEnd: string, change: (packet: IPublishPacket) => IPublishPacket): MqttFault {
  return { toGateway: (packet) => [isPublish(packet, topicEnd) ? change(packet) : packet] };
}

/** What it would publish there never arrives, and it does not know. */
function withoutPublishes(
  topicEnd: string,
  test: (packet: IPublishPacket) => boolean = () => true,
): MqttFault {
  return {
    toGateway: (packet, session) => {
      if (!isPublish(packet, topicEnd) || !test(packet)) return [packet];
      acknowledge(packet, session);
      return [];
    },
  };
}

function acknowledge({ messageId }: IPublishPacket, { sayToDevice }: Session): void {
  if (messageId !== undefined) sayToDevice({ cmd: 'puback', messageId });
}

function ofConnect(change: (packet: IConnectPacket) => IConnectPacket): MqttFault {
  return {
    toGateway: (packet) => [packet.cmd === 'connect' && 'clientId' in packet ? change(packet) : packet],
  };
}

function ofWill(
  change: (will: NonNullable<IConnectPacket['will']>) => NonNullable<IConnectPacket['will']>,
): MqttFault {
  return ofConnect((packet) =>
    packet.will === undefined ? packet : { ...packet, will: change(packet.will) },
  );
}
