import type { Duplex } from 'node:stream';
import type { Client, PublishPacket } from 'aedes';
import { MAX_DEVICE_MESSAGE_BYTES } from '#contract/mqtt/messages.ts';
import { type DevicePublishes, parseDeviceTopic } from '#contract/mqtt/topics.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { Log } from '#core/kernel.ts';
import type { Controller, DeviceDoor, RelayDesk } from '#features/control/device-link.ts';
import type { Counters, Refusal } from './counters.ts';
import type { LevelStore } from './device-link.ts';
import type { Guests } from './guests.ts';
import type { Limits, Peer } from './listeners.ts';
import { BAD_MESSAGE, parseJson, READERS, type Reader, readResult } from './read-message.ts';
import { takeToken } from './token-bucket.ts';

export type TakeDeps = Limits & {
  door: DeviceDoor;
  log: Log;
  now: () => number;
  counters: Counters;
  levels: Pick<LevelStore, 'isUnreleased'>;
  relays?: RelayDesk | undefined;
  guests: Pick<Guests, 'take'>;
};

/** A published message and the way to let aedes go on with it. */
export type Delivery = { peer: Peer; client: Client; packet: PublishPacket; proceed: () => void };

/** Where messages go that are not taken: nobody can subscribe to it. */
const DEAD_LETTER = 'dead-letter';

/** U+0000, or what the decoder puts in place of broken UTF-8. */
const NOT_A_TOPIC = /[\0\uFFFD]/;

/**
 * Hands a message to the door; aedes goes on, and so acknowledges, only then. The messages of one client are taken one
 * after another: while the door is busy with one, the next ones wait. They are at most those of one read of its socket,
 * for aedes reads no further before.
 */
export function takeInTurn(deps: TakeDeps, delivery: Delivery): void {
  const { peer } = delivery;
  if (peer.isTaking) {
    peer.waiting.push(() => takeNow(deps, delivery));
    return;
  }
  takeNow(deps, delivery);
}

function takeNow(deps: TakeDeps, delivery: Delivery): void {
  const { peer, packet, proceed } = delivery;
  const pending = take(deps, delivery);
  if (pending === undefined) {
    acknowledge(delivery);
    proceed();
    return;
  }
  peer.isTaking = true;
  const goOn = () => {
    peer.isTaking = false;
    acknowledge(delivery);
    proceed();
    while (!peer.isTaking) {
      const waiting = peer.waiting.shift();
      if (waiting === undefined) return;
      waiting();
    }
  };
  pending.then(goOn, (error: unknown) => {
    doorFailed(deps, peer, packet, error);
    goOn();
  });
}

const PUBACK = 0x40;

/**
 * Acknowledges what nobody can have subscribed to, which is all but a retained state: aedes would look for subscribers, and
 * write the four bytes in three pieces. What a client does not read is left to aedes, which waits for it and then ends it.
 */
function acknowledge({ peer: { stream }, packet }: Delivery): void {
  const { messageId } = packet;
  if (packet.qos !== 1 || packet.retain || messageId === undefined) return;
  if (stream.destroyed || stream.writableNeedDrain) return;
  // those of one read leave together, in the order of all that is written
  stream.cork();
  stream.write(Buffer.from([PUBACK, 2, messageId >> 8, messageId & 0xff]));
  process.nextTick(uncork, stream);
  leadAstray(packet);
  packet.qos = 0;
}

const uncork = (stream: Duplex) => stream.uncork();

function take(deps: TakeDeps, { peer, client, packet }: Delivery): Promise<void> | undefined {
  const { counters, allowances } = deps;
  const { controller } = peer;
  if ((controller === null && peer.guest === null) || peer.isDisowned) return ignore(deps, packet);
  if (!takeToken(peer.buckets.messages, allowances.messages, deps.now())) {
    counters.refuse('messages_over_rate', peer.source);
    if (!takeToken(peer.buckets.excess, allowances.excess, deps.now())) kick(deps, peer, 'rate_kicks');
    return ignore(deps, packet);
  }
  if (NOT_A_TOPIC.test(packet.topic)) {
    kick(deps, peer, 'bad_topics');
    return ignore(deps, packet);
  }
  if (controller === null) {
    if (!deps.guests.take(peer, packet)) noteViolation(deps, peer);
    leadAstray(packet);
    return undefined;
  }
  if (deps.relays?.isRelay(controller.mqttId) === true) {
    return takeFromRelay(deps, deps.relays, { peer, controller, packet });
  }
  const found = readerOf(packet.topic, controller.mqttId);
  if (found === undefined) {
    counters.refuse('messages_denied', peer.source);
    leadAstray(packet);
    noteViolation(deps, peer);
    return undefined;
  }
  if (found.path !== 'state') packet.retain = false;
  if (packet.qos === 2 && deps.levels.isUnreleased(client, packet.messageId)) {
    counters.count('duplicates');
    return undefined;
  }
  counters.count('messages');
  if (found.path === 'hb') counters.count('heartbeats');
  return found.reader === null ? undefined : hand(deps, found.reader, { peer, controller, packet });
}

/**
 * A relay says what its makers thought of, on many topics. All of it is acknowledged and nothing of it is passed on or
 * kept; what is of no use here is no offence, or one that publishes a stray topic at every start would never stay.
 */
function takeFromRelay(
  deps: TakeDeps,
  relays: RelayDesk,
  { peer, controller, packet }: { peer: Peer; controller: Controller; packet: PublishPacket },
): Promise<void> | undefined {
  const { topic, payload } = packet;
  leadAstray(packet);
  try {
    const heard = relays.hear(controller, topic, Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
    deps.counters.count('messages');
    return heard === 'ignored' ? undefined : heard;
  } catch (error) {
    doorFailed(deps, peer, packet, error);
    return undefined;
  }
}

/** Undefined when the topic is none of this controller's. */
function readerOf(
  topic: string,
  mqttId: string,
): { reader: Reader | null; path: DevicePublishes | 'res' } | undefined {
  const parsed = parseDeviceTopic(topic);
  if (parsed === null || parsed.mqttId !== mqttId) return undefined;
  if ('result' in parsed) return { reader: readResult(parsed.result), path: 'res' };
  return { reader: READERS[parsed.path], path: parsed.path };
}

function hand(
  deps: TakeDeps,
  reader: Reader,
  { peer, controller, packet }: { peer: Peer; controller: Controller; packet: PublishPacket },
): Promise<void> | undefined {
  const { counters, bounds } = deps;
  if (packet.payload.length > MAX_DEVICE_MESSAGE_BYTES) counters.count('large_payloads');
  const body = packet.payload.length > bounds.maxPayloadBytes ? undefined : parseJson(packet.payload);
  try {
    const handed = reader(deps.door, controller, body);
    if (handed !== BAD_MESSAGE) return handed;
    counters.refuse('bad_payloads', peer.source);
    leadAstray(packet);
  } catch (error) {
    doorFailed(deps, peer, packet, error);
  }
  return undefined;
}

function doorFailed(deps: TakeDeps, peer: Peer, packet: PublishPacket, error: unknown): void {
  // a full disk refuses every message of every controller: that is said once by who watches the disk, and summed up here
  if (error instanceof StorageUnavailable) deps.counters.refuse('not_stored', peer.source);
  else {
    deps.counters.count('door_failures');
    deps.log.error({ err: error, topic: packet.topic }, 'a message was not taken and is not acknowledged');
  }
  ignore(deps, packet);
}

/** Acknowledges without taking. */
function leadAstray(packet: PublishPacket): void {
  packet.topic = DEAD_LETTER;
  packet.retain = false;
}

/** Neither takes nor acknowledges: the controller still has the message, and sends it again when it comes back. */
function ignore(deps: TakeDeps, packet: PublishPacket): undefined {
  if (packet.qos > 0) deps.counters.count('not_acknowledged');
  leadAstray(packet);
  packet.qos = 0;
}

export function noteViolation(deps: TakeDeps, peer: Peer): void {
  if (!takeToken(peer.buckets.violations, deps.allowances.violations, deps.now())) {
    kick(deps, peer, 'violation_kicks');
  }
}

export function kick(deps: Pick<TakeDeps, 'counters' | 'log'>, peer: Peer, why: Refusal): void {
  if (peer.stream.destroyed) return;
  deps.counters.refuse(why, peer.source);
  deps.log.debug({ mqttId: peer.clientId, source: peer.source, why }, 'a controller was disconnected');
  peer.stream.destroy();
}
