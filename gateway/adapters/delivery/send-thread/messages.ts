import type { Network } from '#core/network.ts';
import type { Outcome, Outgoing } from '#features/alarms/delivery/ports.ts';
import type { VapidKeys } from '../vapid-keys.ts';

/** What is sent by posting it to an address somebody typed. */
export type PostedKind = 'WEBHOOK' | 'WEB_PUSH';

/** What the thread must know to send. */
export type SendThreadData = {
  role: 'gateway' | 'hosted';
  /** What may be called inside the farm. */
  inside: readonly Network[];
  channelSecret: string;
  vapid: VapidKeys;
  /** Whom a push service may write to about this sender. */
  contact: string;
};

export type SendRequest = { id: number; kind: PostedKind; message: Outgoing };

/** Those that are done since the last word, together: each word wakes the main thread. */
export type SendReplies = readonly SendReply[];
export type SendReply = { id: number } & ({ outcome: Outcome } | { fault: string });
