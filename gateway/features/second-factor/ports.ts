import type { RowOf } from '#contract/resource.ts';
import type { secondFactor } from '#contract/resources/local-tables.ts';
import type { AttemptLimit } from '#core/attempts.ts';
import type { ClockState } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { PresentPasswordDeps } from '#core/present-password.ts';

export type SecondFactor = RowOf<typeof secondFactor>;

export type SecondFactorQueries = { factorOf: (userId: string) => Promise<SecondFactor | null> };

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
};

export type SecondFactorRouteDeps = SecondFactorDeps &
  PresentPasswordDeps & {
    accountById: (id: string) => Promise<{ id: string; email: string; password_hash: string } | null>;
    /** What an authenticator app calls the account by. */
    issuer: string;
  };
