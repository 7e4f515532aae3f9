import type { PublishPacket } from 'aedes';
import { BOOT_PUBLISHES, bootHello, bootResult, bootTopic } from '#contract/mqtt/boot.ts';
import type { Log } from '#core/kernel.ts';
import type { GuestDoor } from '#features/control/device-link.ts';
import type { Counters } from './counters.ts';
import type { Peer } from './listeners.ts';
import { parseJson } from './read-message.ts';

export type GuestsDeps = {
  /** null: no board without a key is ever let in. */
  door: GuestDoor | null;
  log: Log;
  counters: Counters;
  bounds: { maxPayloadBytes: number };
};

export type Guests = ReturnType<typeof createGuests>;

/** Boards without a key that are connected. They have one topic each and never become controllers on that connection. */
export function createGuests({ door, log, counters, bounds }: GuestsDeps) {
  const peersByMac = new Map<string, Peer>();

  function tell(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      counters.count('door_failures');
      log.error({ err: error, what }, 'a report of a board was not taken');
    }
  }

  return {
    /** False: refused. A board that comes again takes its own place. */
    enter(peer: Peer, mac: string): boolean {
      if (door?.admit(mac, peer.source) !== true) {
        counters.refuse('refused_guest', peer.source);
        return false;
      }
      const older = peersByMac.get(mac);
      peer.guest = mac;
      peersByMac.set(mac, peer);
      older?.stream.destroy();
      return true;
    },

    /** False: it said what it may not. */
    take(peer: Peer, packet: PublishPacket): boolean {
      const mac = peer.guest;
      if (mac === null || door === null || peersByMac.get(mac) !== peer) return false;
      const path = BOOT_PUBLISHES.find((known) => bootTopic(mac, known) === packet.topic);
      if (path === undefined) {
        counters.refuse('messages_denied', peer.source);
        return false;
      }
      const body = packet.payload.length > bounds.maxPayloadBytes ? undefined : parseJson(packet.payload);
      const parsed = path === 'hello' ? bootHello.safeParse(body) : bootResult.safeParse(body);
      if (!parsed.success) {
        counters.refuse('bad_payloads', peer.source);
        return false;
      }
      if ('nonce' in parsed.data) {
        const hello = parsed.data;
        tell('hello', () => door.hello(mac, hello));
      } else {
        const result = parsed.data;
        tell('result', () => door.result(mac, result));
      }
      return true;
    },

    leave(peer: Peer): void {
      const mac = peer.guest;
      if (mac === null || peersByMac.get(mac) !== peer) return;
      peersByMac.delete(mac);
      tell('left', () => door?.left(mac));
    },

    isHere: (mac: string): boolean => peersByMac.has(mac),

    end(mac?: string): void {
      const ending = mac === undefined ? [...peersByMac.values()] : [peersByMac.get(mac)];
      for (const peer of ending) peer?.stream.destroy();
    },
  };
}
