import type { AlertType } from '#contract/words.ts';

/** Facts of the dashboard; only visible (not deleted) rows count. */
export type DashboardQueries = {
  countPonds: (farmId: string) => Promise<number>;
  /** Troubles of a farm that last, per type: alerts of one episode count once, folded ones not at all. */
  countActiveAlerts: (farmId: string) => Promise<{ type: AlertType; count: number }[]>;
};
