import { statfs } from 'node:fs/promises';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Database } from '#adapters/sql/database.ts';
import { logSize } from '#adapters/sync/log-retention.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';
import type { LogFigures, SyncFacts } from '#features/cloud/sync-status/ports.ts';
import { bytesPerDay, offlineDaysLeft } from '#features/cloud/sync-status/show-status.ts';
import type { Config } from '#runtime/config.ts';
import type { Comparer } from '../../sync/gateway/compare.ts';
import type { SyncClient } from '../../sync/gateway/sync-client.ts';

// What a gateway's sync looks like as numbers, for its status and its metrics.

const MB = 1_000_000;

/** How large the log is, what it may take, and how fast it grows. */
export async function sizeOf({
  config,
  kernel,
  database,
}: {
  config: Pick<Config, 'data' | 'syncQuotaMb'>;
  kernel: Pick<Kernel, 'now'>;
  database: Pick<Database, 'read'>;
}) {
  const { logBytes, written } = await logSize(database.read, kernel.now());
  const { bavail, bsize } = await statfs(config.data);
  // half of what is free, so that control and readings never have to fight the log for room
  const quotaBytes = Math.min(config.syncQuotaMb * MB, logBytes + Math.floor((bavail * bsize) / 2));
  return { logBytes, quotaBytes, bytesPerDay: written.reduce((sum, lane) => sum + bytesPerDay(lane), 0) };
}

/** How the client stands, with ages; a pairing that ended counts more than what it is doing. */
export function factsOf(
  { state: stateNow, talk }: Pick<SyncClient, 'state' | 'talk'>,
  { monotonic, shutOut }: { monotonic: () => number; shutOut: Paired['state'] | null },
): Omit<SyncFacts, 'moved'> {
  const state = stateNow();
  const age = (atMs: number | null) => (atMs === null ? null : Math.max(0, monotonic() - atMs));
  const aliveAtMs = talk.aliveAtMs();
  const contactAtMs =
    aliveAtMs !== null && aliveAtMs > (state.contactAtMs ?? Number.NEGATIVE_INFINITY)
      ? aliveAtMs
      : state.contactAtMs;
  const isShutOut = shutOut === 'revoked' || shutOut === 'fenced';
  return {
    phase: isShutOut ? shutOut : state.phase,
    why: state.why,
    isSocketOpen: state.isSocketOpen,
    isAskedToWait: state.waiting === 'asked',
    socketAgeMs: age(aliveAtMs),
    contactAgeMs: age(contactAtMs),
    ackAgeMs: age(state.ackAtMs),
    pullAgeMs: age(state.pullAtMs),
    trouble:
      state.trouble === null
        ? null
        : { code: state.trouble.code, detail: state.trouble.detail, ageMs: monotonic() - state.trouble.atMs },
    counts: state.counts,
  };
}

export function tellFigures(
  metrics: Metrics,
  told: {
    facts: () => SyncFacts;
    counted: () => Promise<LogFigures>;
    isPaired: () => boolean;
    traffic: { sent: number; received: number };
    comparer: Pick<Comparer, 'repairedRows' | 'comparisons'>;
  },
): void {
  const { facts, counted, isPaired, traffic, comparer } = told;
  metrics.gauge('sync_paired', '1 while this gateway is paired with a hosted instance', () =>
    Number(isPaired()),
  );
  metrics.counter(
    'sync_repair_rows_total',
    'Rows on which both sides differed and which a comparison made right; more than 0 is a bug or a broken disk',
    comparer.repairedRows,
  );
  metrics.counter('sync_comparisons_total', 'Comparisons of the sums of both sides', comparer.comparisons);
  const gauge = (name: string, help: string, of: (figures: LogFigures) => number) =>
    metrics.gauge(name, help, async () => of(await counted()));
  gauge(
    'sync_core_rows_waiting',
    'Registers and orders not confirmed',
    ({ lanes }) => lanes.core.waitingRows,
  );
  gauge('sync_history_rows_waiting', 'Readings not confirmed', ({ lanes }) => lanes.history.waitingRows);
  gauge('sync_parked_rows', 'Rows that could not be applied here', ({ parkedHere }) => parkedHere);
  gauge('sync_conflicts_open', 'Edits that lost and wait for a look', ({ conflictsOpen }) => conflictsOpen);
  gauge('sync_log_bytes', 'About what unconfirmed changes take', ({ logBytes }) => logBytes);
  gauge(
    'sync_offline_days_left',
    'Days until they reach their bound',
    (figures) => offlineDaysLeft(figures) ?? 3_650,
  );
  metrics.gauge('sync_contact_age_seconds', 'Since the hosted instance last answered; -1: never', () => {
    const { contactAgeMs } = facts();
    return contactAgeMs === null ? -1 : Math.round(contactAgeMs / 1000);
  });
  metrics.counter('sync_pushed_rows_total', 'Rows sent and confirmed', () => facts().counts.pushedRows);
  metrics.counter(
    'sync_pulled_rows_total',
    'Rows of the hosted instance that were fetched',
    () => facts().counts.pulledRows,
  );
  metrics.counter('sync_resyncs_total', 'Comparisons of everything', () => facts().counts.resyncs);
  metrics.counter(
    'sync_restarts_total',
    'Connections torn down without progress',
    () => facts().counts.restarts,
  );
  metrics.counter(
    'sync_request_failures_total',
    'Requests to the hosted instance that failed',
    () => facts().counts.failures,
  );
  metrics.counter('sync_sent_bytes_total', 'Bodies sent, packed', () => traffic.sent);
  metrics.counter('sync_received_bytes_total', 'Bodies received, packed', () => traffic.received);
}
