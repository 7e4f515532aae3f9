import type { AlertType } from '#contract/words.ts';
import type { SpentByCategory } from '../batch-money.ts';

/** Facts of the dashboard; only visible (not deleted) rows count. */
export type DashboardQueries = {
  countPonds: (farmId: string) => Promise<number>;
  countActiveBatches: (farmId: string) => Promise<number>;
  /** Troubles of a farm that last, per type: alerts of one episode count once, folded ones not at all. */
  countActiveAlerts: (farmId: string) => Promise<{ type: AlertType; count: number }[]>;
  /** Farms a user owns or is a member of. */
  farmsOf: (userId: string) => Promise<string[]>;
  /** Those of them whose finance the user may read. */
  readsFinanceOf: (userId: string) => Promise<string[]>;
  /** Ponds of these farms, oldest first. */
  pondsOf: (farmIds: readonly string[], page: Page) => Promise<PondOnDashboard[]>;
  /** By id. */
  farmNames: (farmIds: readonly string[]) => Promise<Map<string, string>>;
  /** Ponds by their ids, also such as are gone since. */
  areasOf: (pondIds: readonly string[]) => Promise<Map<string, PondArea>>;
  spentByCategory: SpentByCategory;
  /** UUID of a batch named by UUID or number; null: there is none. */
  batchId: (ref: string) => Promise<string | null>;
};

export type PondArea = { id: string; cod: string; size_m2: number | null };

export type Page = { skip: number; limit?: number | undefined };

export type PondOnDashboard = {
  id: string;
  cod: string;
  pond_type: 'NURSERY' | 'FATTENING' | null;
  size_m2: number | null;
};
