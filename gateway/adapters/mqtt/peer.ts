import type { Duplex } from 'node:stream';
import type { Client } from 'aedes';
import type { DeviceState } from '#contract/mqtt/messages.ts';
import type { Controller } from '#features/control/device-link.ts';
import { type Allowances, type BrokerBounds } from './bounds.ts';
import { type Bucket, fullBucket } from './token-bucket.ts';

export type Will = { state: DeviceState; payload: Buffer; isRetained: boolean };

/** One connection, from the first byte to the last. */
export type Peer = {
  readonly stream: Duplex;
  /** Address it comes from. */
  readonly source: string;
  readonly since: number;
  /** Client id of its CONNECT; aedes makes one up where it is empty. */
  clientId: string;
  /** Topic and payload of its CONNECT's will, not yet believed. */
  rawWill: { topic: string; payload: Buffer | string; retain?: boolean } | null;
  /** Set when it proved who it is. */
  controller: Controller | null;
  /** MAC of a board without a key, let in while the provisioning window is open. */
  guest: string | null;
  will: Will | null;
  /** `open` until the broker registered it under its name. */
  phase: 'open' | 'live' | 'ended';
  /** It sent DISCONNECT. */
  saidGoodbye: boolean;
  /** What it still says does not count: another took its name, or its key was revoked. */
  isDisowned: boolean;
  /** What it subscribed to. */
  readonly filters: Set<string>;
  readonly buckets: { messages: Bucket; excess: Bucket; control: Bucket; violations: Bucket };
  /** A message is with the door; later ones of this client wait for it, so that their order holds. */
  isTaking: boolean;
  readonly waiting: (() => void)[];
};

export function openPeer(stream: Duplex, source: string, allowances: Allowances, now: number): Peer {
  return {
    stream,
    source,
    since: now,
    clientId: '',
    rawWill: null,
    controller: null,
    guest: null,
    will: null,
    phase: 'open',
    saidGoodbye: false,
    isDisowned: false,
    filters: new Set(),
    buckets: {
      messages: fullBucket(allowances.messages, now),
      excess: fullBucket(allowances.excess, now),
      control: fullBucket(allowances.control, now),
      violations: fullBucket(allowances.violations, now),
    },
    isTaking: false,
    waiting: [],
  };
}

/** The peer of an aedes client; every client of ours has one. */
export type PeerOf = (client: Client) => Peer | undefined;

export type Limits = { bounds: BrokerBounds; allowances: Allowances };
