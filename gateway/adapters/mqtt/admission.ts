import type { AedesOptions, AuthenticateError, ConnectPacket } from 'aedes';
import { BOOT_USER, macOfClientId } from '#contract/mqtt/boot.ts';
import { deviceState } from '#contract/mqtt/messages.ts';
import { deviceTopic, MQTT_ID_PATTERN } from '#contract/mqtt/topics.ts';
import type { Log } from '#core/kernel.ts';
import type { Controller, DeviceDoor, Knock, RelayDesk } from '#features/control/device-link.ts';
import type { Counters } from './counters.ts';
import type { Guests } from './guests.ts';
import type { Peer, PeerOf, Will } from './listeners.ts';
import type { WhoComes } from './peek-connect.ts';
import { parseJson } from './read-message.ts';

export type AdmissionDeps = {
  door: DeviceDoor;
  log: Log;
  counters: Counters;
  peerOf: PeerOf;
  guests: Guests;
  relays?: RelayDesk | undefined;
  bounds: { keepaliveS: number; maxPayloadBytes: number };
  /** False: there are as many controllers as there may be. */
  hasRoomFor: (controller: Controller) => boolean;
  proved: (peer: Peer) => void;
};

/** Letters of a name that is no controller's. */
const MOST_SHOWN = 64;

const IDENTIFIER_REJECTED = 2;
const SERVER_UNAVAILABLE = 3;
const BAD_CREDENTIALS = 4;
const NOT_AUTHORIZED = 5;
/** Return codes of a CONNACK that refuses. */
export type Refusal =
  | typeof IDENTIFIER_REJECTED
  | typeof SERVER_UNAVAILABLE
  | typeof BAD_CREDENTIALS
  | typeof NOT_AUTHORIZED;

const refused = (sentence: string, returnCode: Refusal): AuthenticateError =>
  Object.assign(new Error(sentence), { returnCode });

export type Admission = Required<Pick<AedesOptions, 'preConnect' | 'authenticate'>>;

/** Who may come in: CONNECT is made harmless, then the controller proves who it is. */
export function createAdmission(deps: AdmissionDeps): Admission {
  const { peerOf } = deps;
  return {
    preConnect: (client, packet, callback) => {
      const peer = peerOf(client);
      // A bridge would get messages in another form; none is a controller.
      const isBridge = 'bridgeMode' in packet && packet.bridgeMode === true;
      if (peer === undefined || isBridge) return callback(new Error('not a controller'), false);
      takeConnect(peer, packet, deps.bounds.keepaliveS);
      callback(null, true);
    },
    authenticate: (client, username, password, done) => {
      const peer = peerOf(client);
      if (peer === undefined) return done(refused('nobody', NOT_AUTHORIZED), false);
      const mac = username === BOOT_USER ? macOfClientId(peer.clientId) : null;
      if (mac !== null) {
        peer.rawWill = null;
        if (deps.guests.enter(peer, mac)) done(null, true);
        else done(refused('no window is open', NOT_AUTHORIZED), false);
        return;
      }
      const answer = admit(deps, peer, username, password);
      if ('returnCode' in answer) return done(answer, false);
      if (!deps.hasRoomFor(answer)) {
        deps.counters.refuse('refused_full', peer.source);
        return done(refused('too many controllers', SERVER_UNAVAILABLE), false);
      }
      peer.controller = answer;
      peer.will = readWill(deps, peer, answer);
      deps.proved(peer);
      done(null, true);
    },
  };
}

function takeConnect(peer: Peer, packet: ConnectPacket, keepaliveS: number): void {
  peer.clientId = packet.clientId;
  // Kept sessions would queue for the absent without end; levels are retained instead.
  packet.clean = true;
  // Who asks to stay without a sign of life would be a half-open connection for ever.
  packet.keepalive = Math.min(packet.keepalive || keepaliveS, keepaliveS);
  // aedes publishes the will of a connection that was taken over; the table knows better when one is due.
  peer.rawWill = packet.will ?? null;
  delete packet.will;
}

function admit(
  deps: AdmissionDeps,
  peer: Peer,
  username: string | undefined,
  password: Buffer | undefined,
): Controller | AuthenticateError {
  const { door, counters, log } = deps;
  const name = username ?? '';
  if (isNoName(peer.clientId, name)) {
    noteNoName(deps, peer, name);
    return refused('identifier rejected', IDENTIFIER_REJECTED);
  }
  try {
    const controller = door.identify(name, password?.toString() ?? '');
    if (controller !== null) return controller;
    const reason = door.isKnown(name) ? 'wrong_key' : 'unknown';
    noteKnock(deps, peer, name, reason);
    return reason === 'wrong_key'
      ? refused('wrong key', BAD_CREDENTIALS)
      : refused('unknown controller', NOT_AUTHORIZED);
  } catch (error) {
    counters.count('door_failures');
    log.error({ err: error, name }, 'a controller could not be identified');
    return refused('not now', SERVER_UNAVAILABLE);
  }
}

/**
 * How a device is refused that belongs to nobody: thousands of them may knock for days, and each costs a fraction of what
 * it would at the broker. It is counted and told as it would be there. Null: the broker judges.
 */
export function whyTurnedAway(deps: AdmissionDeps, peer: Peer, who: WhoComes): Refusal | null {
  const { clientId, will } = who;
  const name = who.username ?? '';
  if (name === BOOT_USER && macOfClientId(clientId) !== null) return null;
  const knocking = { clientId, rawWill: will, source: peer.source };
  if (isNoName(clientId, name)) {
    noteNoName(deps, knocking, name);
    return IDENTIFIER_REJECTED;
  }
  try {
    if (deps.door.isKnown(name)) return null;
    noteKnock(deps, knocking, name, 'unknown');
    return NOT_AUTHORIZED;
  } catch (error) {
    deps.log.debug({ err: error, name }, 'a knock is left to the broker');
    return null;
  }
}

type Knocking = Pick<Peer, 'clientId' | 'rawWill' | 'source'>;

/** A controller comes with one name, as client id and as user name. */
const isNoName = (clientId: string, name: string): boolean =>
  !MQTT_ID_PATTERN.test(clientId) || clientId !== name;

/** It would be let in by another version of the protocol: the technician is told which one it speaks. */
export function noteOtherVersion(deps: AdmissionDeps, peer: Peer, { clientId, username }: WhoComes): void {
  deps.counters.refuse('refused_protocol', peer.source);
  seeWithName(deps, peer.source, [username ?? '', clientId], 'protocol_v5');
}

/** Shown to people: what cannot be a name of a controller is at least printable. */
function seeWithName(
  { door }: AdmissionDeps,
  source: string,
  names: readonly string[],
  reason: 'protocol_v5' | 'client_id',
): void {
  const name = names.map((said) => said.replaceAll(/[^\x20-\x7e]/g, '').slice(0, MOST_SHOWN)).find(Boolean);
  if (name !== undefined) door.seenUnknown({ name, source, via: 'mqtt', reason });
}

function noteNoName(deps: AdmissionDeps, peer: Knocking, name: string): void {
  deps.counters.refuse('refused_client_id', peer.source);
  seeWithName(deps, peer.source, [name, peer.clientId], 'client_id');
  tellKnock(deps, peer, name, 'unknown');
  deps.log.debug(
    { source: peer.source },
    'a client was refused: its client id is not its user name, or not allowed',
  );
}

function noteKnock(deps: AdmissionDeps, peer: Knocking, name: string, reason: Knock['reason']): void {
  const { source } = peer;
  deps.counters.refuse(reason === 'wrong_key' ? 'refused_wrong_key' : 'refused_unknown', source);
  deps.door.seenUnknown({ name, source, via: 'mqtt', reason });
  tellKnock(deps, peer, name, reason);
}

/** Relays show by their names and their will what they are, so that they can be adopted from a list. */
function tellKnock(
  { relays }: AdmissionDeps,
  peer: Knocking,
  username: string,
  reason: Knock['reason'],
): void {
  const { clientId, rawWill, source } = peer;
  const will = rawWill === null ? null : { topic: rawWill.topic, payload: rawWill.payload.toString() };
  relays?.knocked({ clientId, username, will, source, reason });
}

/** Only the own `state` may be a will. Another is left out, and the controller may stay: many relays are made so. */
function readWill(deps: AdmissionDeps, peer: Peer, controller: Controller): Will | null {
  const { rawWill } = peer;
  peer.rawWill = null;
  if (rawWill === null) return null;
  const payload = Buffer.from(rawWill.payload);
  const isOwn = rawWill.topic === deviceTopic(controller.mqttId, 'state');
  const state = deviceState.safeParse(
    isOwn && payload.length <= deps.bounds.maxPayloadBytes ? parseJson(payload) : undefined,
  );
  if (state.success) return { state: state.data, payload, isRetained: rawWill.retain === true };
  // the will of a relay is in its own words; the connection itself tells its end
  if (deps.relays?.isRelay(controller.mqttId) !== true) deps.counters.refuse('wills_refused', peer.source);
  return null;
}
