import type { HeartbeatFields } from '#contract/mqtt/messages.ts';

// What the gateway side saw the controller do.

export type Will = { topic: string; body: unknown; qos: number; isRetained: boolean };

export type ObservedNow =
  | {
      kind: 'session';
      clientId: string;
      username: string;
      isClean: boolean;
      keepaliveS: number;
      will: Will | null;
      /** It opened with a key that it was just sent. */
      isNewKey: boolean;
    }
  /** It came with a key that it was sent and that the gateway does not let in. */
  | { kind: 'turned_away' }
  /** It came as a board without a key. */
  | { kind: 'guest'; mac: string; hasPassword: boolean; isClean: boolean; isLetIn: boolean }
  | { kind: 'guest_message'; mac: string; path: string; body: unknown }
  | { kind: 'session_end' }
  | { kind: 'subscribe'; filter: string; isAllowed: boolean }
  | {
      kind: 'message';
      topic: string;
      path: string;
      body: unknown;
      bytes: number;
      qos: number;
      isRetained: boolean;
    }
  /** A heartbeat in the contract's shape, whichever way it came. */
  | { kind: 'heartbeat'; via: 'mqtt' | 'http'; body: HeartbeatFields }
  | { kind: 'request'; method: string; path: string; hasKey: boolean; status: number; body: unknown }
  /** A body outside the contract. */
  | { kind: 'invalid'; where: string; reason: string };

export type Observed = { atMs: number } & ObservedNow;
