import type { RowOf } from '#contract/resource.ts';
import type { passkey, secondFactor } from '#contract/resources/local-tables.ts';
import type { PasskeyAssertion, PasskeyAttestation } from '#contract/resources/passkeys.ts';
import type { ClockState } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { AttemptLimit } from '../attempts.ts';
import type { PresentPasswordDeps } from '../present-password.ts';
import type { PartyFound, RelyingParty } from './relying-party.ts';

export type SecondFactor = RowOf<typeof secondFactor>;
export type Passkey = RowOf<typeof passkey>;

export type SecondFactorQueries = {
  factorOf: (userId: string) => Promise<SecondFactor | null>;
  /** Oldest first. */
  passkeysOf: (userId: string) => Promise<Passkey[]>;
  passkeyByCredential: (credentialId: string) => Promise<Passkey | null>;
  /** null: there is no such account that may sign in. */
  standingOf: (userId: string) => Promise<{ password_version: number } | null>;
};

/** Reads what authenticators send; null for what does not fit this instance, this challenge or this key. */
export type PasskeyReader = {
  /** The challenge that it says it answers; null: it says none. */
  challengeIn: (clientDataJSON: string) => string | null;
  readAttestation: (
    said: PasskeyAttestation,
    expected: { challenge: string; party: RelyingParty },
  ) => Promise<{ credentialId: string; publicKey: string; counter: number; transports: string[] } | null>;
  readAssertion: (
    said: PasskeyAssertion,
    expected: { challenge: string; party: RelyingParty; publicKey: string; mustVerifyUser: boolean },
  ) => Promise<{ counter: number } | null>;
};

/** Each is good once, for five minutes that have really passed, and for the purpose that it was made for. */
export type Challenges = {
  issue: (purpose: string) => string;
  redeem: (challenge: string, purpose: string) => Promise<boolean>;
};

/** One-time codes by time, RFC 6238. */
export type OneTimeCodes = {
  /** Base32, 160 random bits. */
  newSecret: () => string;
  /** For the QR code that an authenticator app reads. */
  uriOf: (secret: string, of: { issuer: string; account: string }) => string;
  /** The time step whose code it is, the present one or one beside it; null: of none of them. */
  stepOf: (secret: string, code: string, now: number) => number | null;
};

export type RecoveryCodes = {
  make: () => string[];
  hashOf: (code: string) => string;
  /** The hash among these that the code has, however it is written; null: none. Takes the same time for each. */
  find: (hashes: readonly string[], code: string) => string | null;
};

/** Keeps the secret from whoever reads the database alone; `open` answers null for what another instance sealed. */
export type SecretSeal = {
  seal: (userId: string, secret: string) => string;
  open: (userId: string, sealed: string) => string | null;
};

export type SecondFactorDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality' | 'commit' | 'log'
> & {
  queries: SecondFactorQueries;
  codes: OneTimeCodes;
  recovery: RecoveryCodes;
  seal: SecretSeal;
  notify: Notify;
  clock: () => Pick<ClockState, 'trust' | 'reason'>;
  /** True for an address of the farm's own network; never on a hosted instance. */
  isAtFarm: (source: string) => boolean;
  /** Wrong codes per account and source. */
  wrongCodes: AttemptLimit;
  /**
   * Wrong one-time codes per account and password, wherever they come from: three of a million are right at any time.
   * What nobody guesses, recovery codes and passkeys, is not counted, so nobody is locked out by it.
   */
  guesses: AttemptLimit;
};

export type PasskeyDeps = Omit<SecondFactorDeps, 'guesses'> & {
  reader: PasskeyReader;
  challenges: Challenges;
  /** Challenges per source. */
  challengesFrom: AttemptLimit;
  partyAt: (origin: string | null) => PartyFound;
};

export type SecondFactorRouteDeps = SecondFactorDeps &
  PresentPasswordDeps &
  Pick<PasskeyDeps, 'partyAt'> & {
    accountById: (
      id: string,
    ) => Promise<{ id: string; email: string; name: string; password_hash: string } | null>;
    /** What an authenticator app calls the account by. */
    issuer: string;
  };
