import { alert } from '#contract/resources/alerts.ts';
import { onTables, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { titleOf } from './alert-words.ts';
import { type AlertRow, alertData, SYSTEM_TYPES } from './alerting.ts';
import { isNoticeDeferred, isQuiet, TELL_AGAIN_MS } from './episode-rules.ts';
import type { Alert, AlertQueries } from './ports.ts';
import { storedWords, type TroubleIn } from './stored-words.ts';
import { oneAtATime } from './watch-devices.ts';

export type RecurringNotifierDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random' | 'log'> & {
  monotonic: () => number;
  queries: Pick<AlertQueries, 'withDeferredNotice' | 'openOfEpisode' | 'namesOf'>;
  notify: Notify;
  troubleIn: TroubleIn;
  /** The two instances of a farm have the same alerts: one of them tells. */
  isOurs: (row: Pick<AlertRow, 'farm_id' | 'type'>) => boolean;
  /** Other processes raise alerts in the same database: what they raised is read now and then. */
  isShared: boolean;
};

type Deferred = { farmId: string; toldAt: string; dueAt: number };

const READ_EVERY_MS = 60_000;
const MOST = 1_000;

/**
 * A trouble that goes and comes again is told once in half an hour. One that came again in that time and still stands at
 * its end is told then, so that nothing stands for longer than that unheard.
 */
export function createRecurringNotifier(deps: RecurringNotifierDeps) {
  const deferredByEpisode = new Map<string, Deferred>();
  const state = { readAt: Number.NEGATIVE_INFINITY };

  function defer(row: AlertRow): void {
    if (row.told_at === null || !isNoticeDeferred(row) || row.acknowledged_at !== null || !deps.isOurs(row))
      return;
    // on the clock that only grows; what the other one says of the past is believed within bounds
    const elapsedMs = Math.min(TELL_AGAIN_MS, Math.max(0, deps.now() - Date.parse(row.told_at)));
    const dueAt = deps.monotonic() + TELL_AGAIN_MS - elapsedMs;
    const known = deferredByEpisode.get(row.episode_id);
    if (known?.toldAt !== row.told_at)
      deferredByEpisode.set(row.episode_id, { farmId: row.farm_id, toldAt: row.told_at, dueAt });
  }

  async function poll(): Promise<void> {
    const now = deps.monotonic();
    const isDue = deps.isShared ? now - state.readAt >= READ_EVERY_MS : state.readAt < 0;
    if (isDue) {
      for (const row of await deps.queries.withDeferredNotice(MOST)) defer(row);
      state.readAt = now;
    }
    for (const [episodeId, deferred] of deferredByEpisode) {
      if (now < deferred.dueAt) continue;
      await perform(deps, null, () => notifyStanding(episodeId, deferred));
      deferredByEpisode.delete(episodeId);
    }
  }

  async function notifyStanding(episodeId: string, { farmId, toldAt }: Deferred): Promise<Decision<null>> {
    // what lists show and people act on is the newest of its episode
    const [row] = await deps.queries.openOfEpisode(farmId, episodeId, 1);
    const now = deps.now();
    const isOpen = row !== undefined && row.told_at === toldAt && row.acknowledged_at === null;
    if (!isOpen || row.folded_into !== null || isQuiet(row, now)) return { answer: null };
    const notices = await noticesOf(row);
    const set = { told_at: isoOf(now), told_severity: row.severity };
    return { answer: null, changes: [update(alert, row, set), ...notices] };
  }

  async function noticesOf(row: Alert) {
    const names = await deps.queries.namesOf(row);
    if (names === null) return [];
    return deps.notify(
      { farmId: row.farm_id, who: 'attendants' },
      {
        type: SYSTEM_TYPES.includes(row.type) ? 'SYSTEM' : 'ALERT',
        severity: row.severity,
        cause: `alert:${row.episode_id}:${row.told_at}:still`,
        title: (language) => titleOf(row.type, names, language),
        message: storedWords(row, names, deps.troubleIn),
        data: alertData(row, names),
      },
    );
  }

  return {
    follow: onTables([alert], (committed) => {
      for (const { after, hidden } of rowsOf(committed, alert)) {
        if (hidden || after.status !== 'ACTIVE') {
          if (after.id === after.episode_id) deferredByEpisode.delete(after.episode_id);
        } else if (after.source === 'automatic') defer(after);
      }
    }),
    tick: oneAtATime(() =>
      poll().catch((error: unknown) =>
        deps.log.warn({ err: error }, 'alerts that still stand could not be told; it is tried again'),
      ),
    ),
  };
}
