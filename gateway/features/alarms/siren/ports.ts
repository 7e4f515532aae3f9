import type { RowOf, Stored } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { sirenSettings } from '#contract/resources/sirens.ts';

export type AlertRow = Stored<RowOf<typeof alert>>;
/** An alert as far as it decides about a siren. */
export type SirenAlert = Omit<AlertRow, 'rev'>;
export type SirenSettings = RowOf<typeof sirenSettings>;

/** Facts behind the sirens of a gateway. */
export type SirenQueries = {
  /** ACTIVE critical alerts of episodes that nobody acknowledged and people were told of since then, newest first. */
  unanswered: (toldSince: string, limit: number) => Promise<AlertRow[]>;
  allSettings: () => Promise<SirenSettings[]>;
};
