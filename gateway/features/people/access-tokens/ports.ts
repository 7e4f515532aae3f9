import type { RowOf, Stored } from '#contract/resource.ts';
import type { accessToken } from '#contract/resources/access-tokens.ts';
import type { UserRole } from '#contract/words.ts';

export type AccessToken = Stored<RowOf<typeof accessToken>>;

/** A token with its last use; null where it was never used. */
export type UsedToken = AccessToken & { used_at: string | null; used_from: string | null };

/** Only visible rows are answered; revoked and expired ones among them. */
export type AccessTokenQueries = {
  /** Finds by the SHA-256 of a token. */
  tokenByHash: (hash: string) => Promise<UsedToken | null>;
  /** null: there is none of that id that is the user's. */
  tokenOf: (userId: string, id: string) => Promise<UsedToken | null>;
  /** Oldest first, as a stream. */
  tokensOf: (userId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<UsedToken>;
  /** Neither revoked nor expired at that instant. */
  countLive: (userId: string, at: string) => Promise<number>;
};

/** What decides of an account whether its tokens count. */
export type StandingOf = (userId: string) => Promise<{ role: UserRole; is_active: boolean } | null>;

export type TokenText = {
  /** A new token of 256 random bits. */
  make: () => string;
  /** True for what looks like an access token, whether it counts or not. */
  isOne: (text: string) => boolean;
  /** True unless it was mistyped or cut. */
  isWhole: (text: string) => boolean;
  /** SHA-256: with 256 random bits behind it nobody finds the token from it, so it needs neither salt nor slowness. */
  hashOf: (text: string) => string;
};
