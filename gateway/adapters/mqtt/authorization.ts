import type { AedesOptions } from 'aedes';
import { bootTopic } from '#contract/mqtt/boot.ts';
import { maySubscribe } from '#contract/mqtt/topics.ts';
import { MAX_FILTERS } from './bounds.ts';
import type { Peer, PeerOf } from './peer.ts';
import { kick, noteViolation, type TakeDeps, takeInTurn } from './take-message.ts';

export type Authorization = Required<
  Pick<AedesOptions, 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
>;

/**
 * What a controller may say and hear. Messages enter here, the last place before aedes acknowledges one. Denying by an
 * error would end the connection, and a relay that publishes one stray topic at every start would come back for ever:
 * so a denied message is acknowledged and led astray.
 */
export function createAuthorization(
  deps: TakeDeps & {
    peerOf: PeerOf;
    /** A controller is about to get what is retained for this filter of its own. */
    subscribing: (peer: Peer, filter: string) => void;
  },
): Authorization {
  const { peerOf, counters, bounds } = deps;
  return {
    authorizePublish: (client, packet, done) => {
      const peer = client === null ? undefined : peerOf(client);
      if (client === null || peer === undefined) done(new Error('nobody publishes'));
      else takeInTurn(deps, { peer, client, packet, proceed: () => done(null) });
    },

    authorizeSubscribe: (client, subscription, done) => {
      const peer = peerOf(client);
      if (peer !== undefined && peer.guest !== null) {
        const isOwn = subscription.topic === bootTopic(peer.guest, 'credentials');
        if (!isOwn) noteViolation(deps, peer);
        done(null, isOwn ? subscription : null);
        return;
      }
      const mqttId = peer?.controller?.mqttId;
      if (peer !== undefined && mqttId !== undefined && deps.relays?.isRelay(mqttId) === true) {
        // it comes with filters for whatever its makers thought of; that is no offence
        const isAllowed =
          deps.relays.maySubscribe(mqttId, subscription.topic) && hasRoomFor(peer, subscription.topic);
        if (isAllowed) peer.filters.add(subscription.topic);
        else counters.refuse('subscriptions_denied', peer.source);
        done(null, isAllowed ? subscription : null);
        return;
      }
      if (peer === undefined || mqttId === undefined || !mayHear(peer, mqttId, subscription.topic)) {
        counters.refuse('subscriptions_denied', peer?.source ?? '');
        if (peer !== undefined) noteViolation(deps, peer);
        done(null, null);
        return;
      }
      peer.filters.add(subscription.topic);
      deps.subscribing(peer, subscription.topic);
      done(null, subscription);
    },

    // aedes holds what a client does not read without a bound.
    authorizeForward: (client, packet) => {
      const peer = peerOf(client);
      if (peer === undefined || peer.stream.writableLength <= bounds.maxUnsentBytes) return packet;
      kick(deps, peer, 'slow_kicks');
      return null;
    },
  };
}

function mayHear(peer: Peer, mqttId: string, filter: string): boolean {
  return maySubscribe(mqttId, filter) && hasRoomFor(peer, filter);
}

function hasRoomFor(peer: Peer, filter: string): boolean {
  return peer.filters.has(filter) || peer.filters.size < MAX_FILTERS;
}
