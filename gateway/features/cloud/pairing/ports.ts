import type { RowOf, Stored } from '#contract/resource.ts';
import type { localUser, lostPerson, pairedGateway, pairing } from '#contract/resources/sync-tables.ts';
import type { user } from '#contract/resources/users.ts';
import type { SharedName } from '#core/shared-names.ts';

export type Gateway = RowOf<typeof pairedGateway>;
export type Pairing = RowOf<typeof pairing>;
export type Account = Stored<RowOf<typeof user>>;
export type LocalUser = RowOf<typeof localUser>;
export type LostPersonRow = RowOf<typeof lostPerson>;

/**
 * What a token of a gateway says. `key`: the public key whose signature it was given for. `run`: the start of the program
 * that asked for it; a process of an older version gave none.
 */
export type GatewayToken = {
  gatewayId: string;
  streamId: number;
  key: string;
  expiresAt: number;
  run?: string;
};

/** Codes, nonces, tokens and signatures of a hosted instance. */
export type PairingSecrets = {
  hostedKey: string;
  sign: (text: string) => string;
  isSignedBy: (publicKey: string, text: string, signature: string) => boolean;
  newDeviceCode: () => string;
  newUserCode: () => string;
  /** The code as it was made, however it is typed; null for what cannot be one. */
  normalUserCode: (typed: string) => string | null;
  userCodeHash: (code: string) => string;
  deviceCodeHash: (code: string) => string;
  /** An address, so that starts from one place are told together without its being kept. */
  sourceHash: (source: string) => string;
  newNonce: (gatewayId: string, nowMs: number) => string;
  readNonce: (nonce: string) => { gatewayId: string; issuedAt: number } | null;
  newToken: (token: GatewayToken) => string;
  /** null for one that this instance did not make; whether it still counts is not looked at. */
  readToken: (token: string) => GatewayToken | null;
};

/** A paired gateway with what the stream tells of it. */
export type FleetGateway = Gateway & {
  owner_email: string;
  owner_name: string;
  epoch: number;
  farms: number;
  conflicts: number;
  parked: number;
  /** Entries of its feed that it has not confirmed. */
  behind: number;
  /** Of its own log, as far as this instance took it. */
  in_core: number;
  in_history: number;
};

export type PairingQueries = {
  gateway: (id: string) => Promise<Gateway | null>;
  gatewaysOf: (ownerId: string) => Promise<FleetGateway[]>;
  fleet: () => Promise<FleetGateway[]>;
  pairingByDevice: (id: string) => Promise<Pairing | null>;
  pairingByCode: (hash: string) => Promise<Pairing | null>;
  countWaiting: (nowIso: string) => Promise<number>;
  /** Ceremonies from one place that wait to be claimed, newest first, without so many of the newest. */
  waitingBehind: (source: string, nowIso: string, newest: number) => Promise<string[]>;
  /** So many of the oldest that wait of the place that most wait of. */
  oldestOfMost: (nowIso: string, limit: number) => Promise<string[]>;
  expiredBefore: (iso: string, limit: number) => Promise<string[]>;
  person: (userId: string) => Promise<Account | null>;
  /** The stream of a gateway, made at its first pairing and never for another one. */
  streamOf: (gatewayId: string) => Promise<{ id: number; epoch: number }>;
  /** True for an active account that owns the gateway of a stream, or owns or works on a farm of it. */
  isOnStream: (userId: string, streamId: number) => Promise<boolean>;
  farmsOn: (streamId: number) => Promise<BoundFarm[]>;
  farm: (farmId: string) => Promise<(BoundFarm & { stream_id: number | null }) | null>;
  /** When the newest membership of a farm was made, of those that ended, too; null: it never had a member. */
  newestMembership: (farmId: string) => Promise<string | null>;
  deviceNames: (farmId: string) => Promise<string[]>;
  sharedNames: (farmId: string, ownerId: string) => Promise<SharedName[]>;
  localUsers: (ownerId: string) => Promise<LocalUser[]>;
  /** What nobody has decided yet, by name. */
  lostPeople: () => Promise<
    (LostPersonRow & {
      standing: { email: string | null; name: string | null; role: string | null };
      farm_name: string | null;
      gateway_name: string;
      gateway_owner: string;
    })[]
  >;
  lostPerson: (id: string) => Promise<LostPersonRow | null>;
  /** Passwords of that account that gateways know to be older here, while nobody decided on it. */
  openLost: (userId: string, kind: LostPersonRow['kind']) => Promise<LostPersonRow[]>;
  /** The person's account, and membership on that farm, as they came and were kept aside: ids there. */
  parkedOf: (streamId: number, of: { farmId: string; userId: string }) => Promise<string[]>;
  localUser: (id: string) => Promise<{ row: LocalUser; ownerId: string } | null>;
  accountByEmail: (emailKey: string) => Promise<Account | null>;
  /** Which of these addresses (compared form) accounts here have. */
  takenEmails: (emailKeys: readonly string[]) => Promise<ReadonlySet<string>>;
  instanceValue: (id: string) => Promise<string | null>;
};

export type BoundFarm = { id: string; name: string; owner_id: string };
