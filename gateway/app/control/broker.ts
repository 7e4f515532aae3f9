import type { Server } from 'node:http';
import { isOwnUpgrade, ownNamesOf } from '#adapters/http/client-address.ts';
import { createCounters } from '#adapters/mqtt/counters.ts';
import { type SupervisedBroker, superviseBroker } from '#adapters/mqtt/supervise-broker.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { tellBrokerRestart } from '#features/alarms/notifications/tell-broker-restart.ts';
import type { Config } from '#runtime/config.ts';
import type { Instance as Composed } from '../compose.ts';

type Instance = Pick<
  Composed,
  'technicians' | 'control' | 'kernel' | 'metrics' | 'notify' | 'refusals' | 'checks' | 'trust' | 'clients'
>;

/** The broker of this instance, its figures and its place in `/readyz`. */
export async function openBroker(
  config: Config,
  instance: Instance,
  server: Server,
): Promise<SupervisedBroker> {
  const { control, kernel, trust } = instance;
  const names = ownNamesOf(config);
  const broker = await superviseBroker({
    door: instance.technicians?.relays.door ?? control.door,
    relays: instance.technicians?.relays.desk,
    guestDoor: instance.technicians?.adoption.guestDoor,
    levels: control.levels,
    levelsOf: control.levelsOf,
    log: kernel.log,
    now: kernel.now,
    isTimeTrusted: () => kernel.clockQuality() === 'trusted',
    bounds: {
      maxClients: config.maxMqttClients,
      messagesPerS: config.mqttMessagesPerS,
      connectsPerMinutePerAddress: config.mqttConnectsPerMinute,
    },
    counters: createCounters((why, source) => instance.refusals.count('mqtt', why, source)),
    restarted: () => void tellFarms(instance),
    sourceOf: instance.clients.of,
    mayUpgrade: (request) => isOwnUpgrade(request, names),
    ...(trust.makeTlsServer === undefined ? {} : { makeTlsServer: trust.makeTlsServer }),
  });
  broker.attachWebSocket(server, '/mqtt');
  instance.checks.add('broker', broker.health);
  tellFigures(instance, broker);
  return broker;
}

/** From here on controllers and relays hear what is wanted of them. */
export function connectBroker(
  { technicians, control }: Pick<Instance, 'technicians' | 'control'>,
  broker: SupervisedBroker,
  at: { port: number; httpBase: string; mqttUrl: string },
): void {
  technicians?.relays.attach(broker.sendToRelay, at.port);
  technicians?.simulator.attach(at);
  control.attach(technicians?.relays.following(broker.link) ?? broker.link);
  control.attachTalk(broker.talk);
}

/** What the broker does again and again. */
export const brokerTicks = (broker: SupervisedBroker): Tick[] => [
  { name: 'time to controllers', everyS: 60, run: () => broker.publishTime() },
  { name: 'broker', everyS: 3, run: () => broker.look() },
];

function tellFigures({ metrics }: Instance, broker: SupervisedBroker): void {
  metrics.gauge('mqtt_clients', 'Controllers connected over MQTT', broker.clientCount);
  metrics.gauge('mqtt_retained_messages', 'Levels and states the broker keeps', broker.retainedCount);
  metrics.counter(
    'mqtt_broker_restarts_total',
    'Times the broker fell silent and was started anew in place',
    broker.restarts,
  );
  metrics.counterBy('mqtt_events_total', 'What happened at the broker', ['event'], broker.counters.events);
  metrics.counterBy(
    'mqtt_refused_total',
    'What the broker refused, dropped or cut off, by reason',
    ['reason'],
    broker.counters.refusals,
  );
}

async function tellFarms({ control, kernel, notify }: Instance): Promise<void> {
  const namesById = new Map([...control.registry.all()].map(({ row, farmName }) => [row.farm_id, farmName]));
  const deps = { ...kernel, notify };
  for (const [id, name] of namesById) {
    await tellBrokerRestart(deps, { id, name }).catch((error: unknown) =>
      kernel.log.warn({ err: error, farmId: id }, 'the restart of the broker could not be told'),
    );
  }
}
