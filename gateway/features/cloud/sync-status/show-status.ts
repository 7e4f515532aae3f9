import type { SyncStateWord, SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import type { SyncLane } from '#contract/sync/wire.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { STALE_AFTER_MS, sentenceOf, stateOf } from './describe-sync.ts';
import { offlineDaysLeft } from './offline-days.ts';
import type { ClockFigures, ComparedFigures, DataToday, LogFigures, SyncFacts } from './ports.ts';

export type ShowStatusDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  facts: () => SyncFacts;
  /** Counted at most every few seconds. */
  figures: () => Promise<LogFigures>;
  clock: () => ClockFigures;
  compared: () => Promise<ComparedFigures>;
  dataToday: () => DataToday;
};

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1000));

/** How the sync stands, each figure with its age. `sees`: everything, or only what everybody may know. */
export async function showStatus(
  deps: ShowStatusDeps,
  { language, sees }: { language: 'en' | 'pt-BR'; sees: 'all' | 'state' },
): Promise<SyncStatusAnswer> {
  const [facts, figures, clock] = [deps.facts(), await deps.figures(), deps.clock()];
  const { last, repairedRows } = await deps.compared();
  const nowMs = deps.now();
  const state = stateOf(facts, figures, nowMs);
  const ago = (ageMs: number | null) => (ageMs === null ? null : isoOf(nowMs - ageMs));
  const { trouble } = facts;
  const { counts } = facts;
  const { sentBytes, receivedBytes, since } = deps.dataToday();
  return {
    state,
    summary: sentenceOf(state, language),
    as_of: isoOf(nowMs),
    link: {
      is_up: isUp(state, facts),
      last_contact_at: ago(facts.contactAgeMs),
      age_s: seconds(facts.contactAgeMs),
      // addresses and versions are nobody's business who only works here
      trouble:
        trouble === null || sees === 'state'
          ? null
          : { code: trouble.code, detail: trouble.detail, age_s: Math.round(trouble.ageMs / 1000) },
    },
    socket: { is_open: facts.isSocketOpen, age_s: seconds(facts.socketAgeMs) },
    lanes: { core: laneOf(figures, 'core', nowMs), history: laneOf(figures, 'history', nowMs) },
    last_ack: { age_s: seconds(facts.ackAgeMs) },
    last_pull: { age_s: seconds(facts.pullAgeMs) },
    parked: { here: figures.parkedHere, there: figures.parkedThere },
    conflicts_open: figures.conflictsOpen,
    moved_farms: [...facts.moved],
    clock: { quality: deps.clockQuality(), ahead_of_hosted_ms: clock.aheadMs, age_s: seconds(clock.ageMs) },
    offline: {
      log_bytes: figures.logBytes,
      quota_bytes: figures.quotaBytes,
      bytes_per_day: figures.bytesPerDay,
      days_left: offlineDaysLeft(figures),
      age_s: Math.round(figures.sizeAgeMs / 1000),
    },
    data_today: { sent_bytes: sentBytes, received_bytes: receivedBytes, since },
    comparison: {
      last_at: last === null ? null : isoOf(last.at),
      age_s: last === null ? null : Math.max(0, Math.round((nowMs - last.at) / 1000)),
      differed: [...(last?.tables ?? [])],
      repaired_rows: repairedRows,
    },
    counts: {
      resyncs: counts.resyncs,
      restarts: counts.restarts,
      pushed_rows: counts.pushedRows,
      pulled_rows: counts.pulledRows,
      failures: counts.failures,
    },
  };
}

function isUp(state: SyncStateWord, { contactAgeMs }: SyncFacts): boolean {
  return (
    state !== 'unpaired' && state !== 'offline' && contactAgeMs !== null && contactAgeMs <= STALE_AFTER_MS
  );
}

function laneOf({ lanes, ageMs }: LogFigures, lane: SyncLane, nowMs: number) {
  const { waitingRows, oldestAtMs } = lanes[lane];
  return {
    waiting_rows: waitingRows,
    oldest_waiting_at: oldestAtMs === null ? null : isoOf(oldestAtMs),
    lag_s: oldestAtMs === null ? null : Math.max(0, Math.round((nowMs - oldestAtMs) / 1000)),
    age_s: Math.round(ageMs / 1000),
  };
}
