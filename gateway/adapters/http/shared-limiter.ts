import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** Runs one statement of the counting library against PostgreSQL. */
export type CountStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; rowCount: number }>;

export type CountBounds = {
  /** What is counted: keys of different names never meet. */
  name: string;
  points: number;
  windowS: number;
};

/** Counts in a table that all processes share; while it does not answer each process counts for itself. */
export function sharedLimiter(
  run: CountStatement,
  { name, points, windowS }: CountBounds,
): RateLimiterPostgres {
  const query = ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => run(text, values);
  return new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'client',
    tableName: 'request_counts',
    // the migrations make it, and the hourly sweep empties it
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: windowS,
    insuranceLimiter: new RateLimiterMemory({ points, duration: windowS }),
  });
}
