import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** How many requests a user has made in the running hour, this one included, and how long the hour goes on. */
export type RequestCounts = { count: (userId: string) => Promise<{ used: number; resetMs: number }> };

/** Requests of a user that are being answered at this moment. */
export type OpenRequests = {
  /** Takes one of `most` places; answers how to give it back, or null when all are taken. */
  enter: (userId: string, most: number) => Promise<(() => void) | null>;
};

/** Runs one statement of the counting library against PostgreSQL. */
export type CountStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; rowCount: number }>;

const HOUR_S = 3_600;
const WINDOW_MS = 60_000;
/** Plans differ and change: what is too much is judged by who asks, the library only counts. */
const NO_END = 1_000_000_000;

/** Counts of this process alone. */
export function ownRequestCounts(): RequestCounts {
  return countsIn(new RateLimiterMemory({ points: NO_END, duration: HOUR_S }));
}

/** Counts in a table that all processes share; while it does not answer each process counts for itself. */
export function sharedRequestCounts(run: CountStatement): RequestCounts {
  return countsIn(sharedLimiter(run, 'hour', HOUR_S));
}

type Limiter = RateLimiterMemory | RateLimiterPostgres;

function countsIn(limiter: Limiter): RequestCounts {
  return {
    async count(userId) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(userId);
      // a clock that was set back must not make anyone wait longer than the hour
      return { used: consumedPoints, resetMs: Math.min(msBeforeNext, HOUR_S * 1000) };
    },
  };
}

export function ownOpenRequests(): OpenRequests {
  const openByUser = new Map<string, number>();
  return {
    async enter(userId, most) {
      const open = openByUser.get(userId) ?? 0;
      if (open >= most) return null;
      openByUser.set(userId, open + 1);
      return () => {
        const left = (openByUser.get(userId) ?? 1) - 1;
        if (left <= 0) openByUser.delete(userId);
        else openByUser.set(userId, left);
      };
    },
  };
}

/**
 * The same for all processes together. Places belong to the minute in which they were taken and are given back to it,
 * so that those of a process that died are free a minute later.
 */
export function sharedOpenRequests(deps: { run: CountStatement; now: () => number }): OpenRequests {
  const limiter = sharedLimiter(deps.run, 'open', (2 * WINDOW_MS) / 1000);
  return {
    async enter(userId, most) {
      const key = `${userId}:${Math.floor(deps.now() / WINDOW_MS)}`;
      // what is not given back because the store is gone ends with its minute
      const leave = () => void limiter.reward(key).catch(() => undefined);
      const { consumedPoints } = await limiter.penalty(key);
      if (consumedPoints <= most) return leave;
      leave();
      return null;
    },
  };
}

function sharedLimiter(run: CountStatement, keyPrefix: string, duration: number): RateLimiterPostgres {
  const query = ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => run(text, values);
  return new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'client',
    tableName: 'request_counts',
    // the migrations make it
    tableCreated: true,
    keyPrefix,
    points: NO_END,
    duration,
    insuranceLimiter: new RateLimiterMemory({ points: NO_END, duration }),
  });
}
