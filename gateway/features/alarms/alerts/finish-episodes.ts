import { alert } from '#contract/resources/alerts.ts';
import { onTables, rowsOf, update } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { MOST_AT_ONCE } from './alerting.ts';
import type { AlertQueries } from './ports.ts';

export type FinishEpisodesDeps = Pick<Kernel, 'commit' | 'pause' | 'random' | 'log'> & {
  queries: Pick<AlertQueries, 'openOfEpisode'>;
};

/** How an episode ended, for the alerts of it that did not go into the commit which ended it. */
type Ended = {
  farmId: string;
  resolvedAt: string;
  resolvedBy: string | null;
  /** Newer ones belong to what came after. */
  upTo: string;
};

/**
 * A probe may have told of the same trouble a thousand times. The commit that ends an episode takes its newest alerts, so
 * that control never waits for the rest; these follow here, a slice at each look. After a restart the next good value
 * goes on with them.
 */
export function createEpisodeFinisher(deps: FinishEpisodesDeps) {
  const endedByEpisode = new Map<string, Ended>();

  async function finishSlice(episodeId: string, ended: Ended): Promise<void> {
    const { answer: isMore } = await perform(deps, ended.resolvedBy, async () => {
      const open = await deps.queries.openOfEpisode(ended.farmId, episodeId, MOST_AT_ONCE);
      const due = open.filter(({ triggered_at }) => triggered_at <= ended.upTo);
      const set = {
        status: 'RESOLVED' as const,
        resolved_at: ended.resolvedAt,
        resolved_by: ended.resolvedBy,
        updated_at: ended.resolvedAt,
      };
      const isMore = due.length > 0 && open.length === MOST_AT_ONCE;
      return { answer: isMore, changes: due.map((row) => update(alert, row, set)) };
    });
    if (!isMore) endedByEpisode.delete(episodeId);
  }

  return {
    /** Follows every committed unit. */
    follow: onTables([alert], (committed) => {
      const ended = rowsOf(committed, alert).filter(
        ({ before, after, hidden }) =>
          !hidden && before?.status === 'ACTIVE' && after.status === 'RESOLVED' && after.resolved_at !== null,
      );
      if (ended.length < MOST_AT_ONCE) return;
      for (const { after } of ended) {
        const known = endedByEpisode.get(after.episode_id);
        if (known !== undefined && known.upTo >= after.triggered_at) continue;
        endedByEpisode.set(after.episode_id, {
          farmId: after.farm_id,
          resolvedAt: after.resolved_at ?? after.triggered_at,
          resolvedBy: after.resolved_by,
          upTo: after.triggered_at,
        });
      }
    }),
    /** A slice of each. Never throws: what the disk did not take is tried at the next look. */
    async look(): Promise<void> {
      for (const [episodeId, ended] of endedByEpisode) {
        await finishSlice(episodeId, ended).catch((error: unknown) =>
          deps.log.warn({ err: error, episodeId }, 'alerts of an episode that is over stay open for now'),
        );
      }
    },
  };
}
