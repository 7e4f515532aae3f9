import { type Checks, checked } from '#adapters/http/platform.ts';
import type { Database } from '#adapters/sql/database.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import type { StorageHealth } from '#adapters/system/storage-health.ts';

export type ReadinessDeps = {
  database: Pick<Database, 'ping' | 'aheadMs'>;
  checks: Checks;
  storage: Pick<StorageHealth, 'disk'>;
  clock: Pick<DisciplinedClock, 'state'>;
};

/** How far the clock of a process may be apart from that of its database. */
const MOST_APART_MS = 5_000;

/**
 * Control goes on with a doubtful clock, a full disk and a broker that is being started anew, so they are told here
 * without making the instance unready. A process of a hosted instance that hears no other, or whose clock is not that of
 * the database, is unready: there are others.
 */
export async function readinessOf({ database, checks, storage, clock }: ReadinessDeps) {
  const answers = await checked(database.ping);
  const disk = storage.disk();
  const { trust, reason } = clock.state();
  const parts = checks.read();
  const aheadMs = database.aheadMs() ?? 0;
  // times that people read, ends of tokens and of orders would be wrong
  const isTogether = Math.abs(aheadMs) <= MOST_APART_MS;
  return {
    ready: answers.ok && isTogether && parts['bus']?.ok !== false,
    checks: {
      database: answers,
      disk: disk === 'ok' ? { ok: true } : { ok: false, detail: disk },
      clock: isTogether
        ? { ok: trust === 'trusted', detail: reason }
        : {
            ok: false,
            detail: `${Math.round(aheadMs / 1000)} s apart from the clock of the database; set it right and start this process again`,
          },
      ...parts,
    },
  };
}
