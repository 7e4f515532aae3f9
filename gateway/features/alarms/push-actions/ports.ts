import type { RowOf, Stored } from '#contract/resource.ts';
import type { pushAction } from '#contract/resources/local-tables.ts';
import type { notificationChannel } from '#contract/resources/notification-channels.ts';

export type PushActionRow = RowOf<typeof pushAction>;
export type Channel = Stored<RowOf<typeof notificationChannel>>;

export type ActionTokens = { make: () => string; hashOf: (token: string) => string };

export type PushActionQueries = {
  /** null: there is no such token, or it was swept. */
  actionOf: (tokenHash: string) => Promise<PushActionRow | null>;
};
