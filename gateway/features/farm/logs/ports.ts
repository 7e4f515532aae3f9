import type { RowOf, Stored } from '#contract/resource.ts';
import type { logEntry } from '#contract/resources/logs.ts';

export type LogEntry = Stored<RowOf<typeof logEntry>>;

/**
 * Entries about a farm's control points, about everything on it, about one thing, or about a pond: itself, what airs it,
 * the batches that were in it and their records. Always of the farm alone: a gateway may write what it likes of a thing
 * into the log of its own farm.
 */
export type LogScope =
  | { of: 'control points'; farmId: string }
  | { of: 'farm'; farmId: string }
  | { of: 'pond'; farmId: string; pondId: string }
  | { of: 'entity'; farmId: string; entityId: string };

export type LogQueries = {
  /** Newest first, as a stream. */
  logsOf: (scope: LogScope, page: { skip: number; limit: number }) => AsyncIterable<LogEntry>;
  countLogs: (scope: LogScope) => Promise<number>;
  /** null: not known here, gone, or nobody who has or had to do with the farm. */
  userName: (farmId: string, id: string) => Promise<string | null>;
};
