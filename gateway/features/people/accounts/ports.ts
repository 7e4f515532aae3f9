import type { RowOf, Stored } from '#contract/resource.ts';
import type { addressProof, passwordReset, session } from '#contract/resources/local-tables.ts';
import type { notificationChannel } from '#contract/resources/notification-channels.ts';
import type { UnverifiedAnswer, UserAnswer, user } from '#contract/resources/users.ts';
import type { UserRole } from '#contract/words.ts';
import type { LoginsStanding } from '../login-standing.ts';

export type Account = Stored<RowOf<typeof user>>;
export type AddressOfAccount = UserAnswer['addresses'][number];

/** What decides whether a token still counts. */
export type Standing = Pick<Account, 'role' | 'is_active' | 'password_version'> &
  LoginsStanding & {
    /** An app or a passkey on this instance, proved once. */
    has_second_factor: boolean;
  };

export type AccountQueries = {
  accountById: (id: string) => Promise<Account | null>;
  /** `emailKey` is the compared form of an email. */
  accountByEmail: (emailKey: string) => Promise<Account | null>;
  addressesOf: (userId: string) => Promise<AddressOfAccount[]>;
  /** Grows with every change of the user's addresses, deletes included. */
  addressRevision: (userId: string) => Promise<number>;
  /** Every account, oldest first, as a stream. */
  accounts: (page: {
    skip: number;
    limit: number | undefined;
  }) => AsyncIterable<Account & { addresses: AddressOfAccount[] }>;
  standingOf: (userId: string) => Promise<Standing | null>;
  isRevoked: (tokenId: string) => Promise<boolean>;
  numericIdClaim: (number: string) => Promise<{ entity: string; uuid: string } | null>;
};

export type SessionQueries = {
  /** Of logins that were not ended one by one, oldest first; those that ended otherwise are among them. */
  sessionsOf: (userId: string) => Promise<RowOf<typeof session>[]>;
  isNoted: (id: string) => Promise<boolean>;
  /** Browsers that are sent notifications of this person. */
  pushesOf: (userId: string) => Promise<Stored<RowOf<typeof notificationChannel>>[]>;
  /** 0: nobody ended all of theirs yet. */
  generationOf: (userId: string) => Promise<number>;
  /** Writes a use unless one of the last `everyMs` is written; a session that has no row stays without. */
  noteUse: (
    id: string,
    use: { at: number } & Pick<RowOf<typeof session>, 'source' | 'network'>,
    everyMs: number,
  ) => Promise<void>;
};

export type Claims = {
  sub: string;
  jti: string;
  /** The login that the token comes from, through however many renewals. */
  sid: string;
  /** When the password of that login was said, seconds since 1970. */
  auth_time: number;
  /** Seconds since 1970. */
  iat: number;
  /** Seconds since 1970. */
  exp: number;
  role: UserRole;
  /** Password version: a token of an older password is worth nothing. */
  pwv: number;
  /** Generation of the login, see sessionGeneration. */
  gen: number;
  /** The login was let in without the second factor of the account: for reading, recording and control. */
  spared?: true;
};

export type Tokens = {
  sign: (claims: Claims) => string;
  /** null for a token that is not ours, was changed or is too old; `ageMs`: how long ago an instant was. */
  read: (token: string, ageMs: (issuedAt: number) => number) => Claims | null;
};

export type Passwords = {
  /** Throws 503 when too many wait. `source` is who asks: sources take turns. */
  hash: (password: string, source: string) => Promise<string>;
  /** Without a hash it takes the same time and answers false. Throws 503 when too many wait. */
  verify: (hash: string | null, password: string, source: string) => Promise<boolean>;
  /** True for a hash that was made with less work than one of today. */
  isOutdated: (hash: string) => boolean;
  /**
   * The hash of a short code: always the same one, on every instance, and slow, so that who has it does not find the
   * code within its life. Throws 503 when too many wait.
   */
  codeHash: (code: string, source: string) => Promise<string>;
};

/** Codes that replace a forgotten password. */
export type ResetCodes = {
  /** A new code, as it is hashed. */
  make: () => string;
  /** As people read it. */
  shown: (code: string) => string;
  /** As it is hashed, from what was typed; null for what cannot be a code. */
  normal: (typed: string) => string | null;
  hashOf: (code: string) => string;
  isOf: (code: string, hash: string) => boolean;
};

export type PasswordReset = RowOf<typeof passwordReset>;

export type ResetQueries = {
  resetOf: (userId: string) => Promise<PasswordReset | null>;
  resetByCode: (codeHash: string) => Promise<PasswordReset | null>;
  /** Names of farms that the person owns or works on, some of many. */
  farmNamesOf: (userId: string) => Promise<string[]>;
};

export type AddressProof = RowOf<typeof addressProof>;

export type ProofQueries = {
  proofOf: (userId: string) => Promise<AddressProof | null>;
  /** Whether the address that the account has now was proved. */
  isProved: (userId: string) => Promise<boolean>;
  /** Active accounts whose address was not, oldest first, as a stream; people of gateways have none here. */
  unverified: (page: { skip: number; limit: number | undefined }) => AsyncIterable<UnverifiedAnswer>;
};
