import type { SyncClientDeps } from './ports.ts';

/** What a request under way may use. */
export type FlightDeps = SyncClientDeps & {
  /** Whether its answer is still waited for; what nobody waits for changes nothing. */
  isCurrent: () => boolean;
  /** Something came of it: it is not stuck. */
  progress: () => void;
  inTurn: <Answer>(run: () => Promise<Answer>) => Promise<Answer>;
};
