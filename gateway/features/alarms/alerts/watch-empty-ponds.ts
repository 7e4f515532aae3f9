import type { Alerting } from '#core/alerting.ts';
import { asParent, type RowListener } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { WATER_ALERT_TYPES } from '#science/water-limits.ts';
import { createOpenAlerts } from './alerting.ts';
import type { AlertQueries, OpenAlert } from './ports.ts';
import { oneAtATime } from './watch-devices.ts';

type EmptyPondWatchDeps = Pick<Kernel, 'commit' | 'pause' | 'random' | 'guard' | 'log'> & {
  monotonic: () => number;
  batches: Pick<BatchStates, 'activeInPonds' | 'lastLeft'>;
  /** Whether this instance runs a farm, or another one does. */
  isRunHere: (farmId: string) => boolean;
  alerting: Pick<Alerting, 'resolve'>;
  queries: Pick<AlertQueries, 'openOfTypes'>;
};

/** A harvest is recorded hours after it; nobody waits for this. */
const POLL_EVERY_MS = 30_000;
const MOST_A_POLL = 50;

/**
 * Ends the water alerts of a pond whose last animals have left it since: nobody measures there any more, so that no good
 * value would ever end them, and what stands without need hides what does not. What is measured in an empty pond later
 * raises alerts as ever.
 */
export function createEmptyPondWatch(deps: EmptyPondWatchDeps): {
  tick: () => Promise<void>;
  follow: RowListener;
} {
  const open = createOpenAlerts({
    queries: deps.queries,
    types: WATER_ALERT_TYPES,
    thingOf: (row) => row.pond_id,
  });
  const state = { polledAt: Number.NEGATIVE_INFINITY, hasFailed: false };

  async function poll(): Promise<void> {
    if (deps.monotonic() - state.polledAt < POLL_EVERY_MS) return;
    state.polledAt = deps.monotonic();
    await open.load();
    const standing = [...open.all()].filter(
      (row): row is OpenAlert & { pond_id: string } => row.pond_id !== null && deps.isRunHere(row.farm_id),
    );
    const left = await leftAt(deps.batches, [...new Set(standing.map(({ pond_id }) => pond_id))]);
    const over = standing.filter(({ pond_id, triggered_at }) => triggered_at <= (left.get(pond_id) ?? ''));
    for (const { type, pond_id, farm_id } of over.slice(0, MOST_A_POLL)) {
      const { committed } = await perform(deps, null, async () => ({
        answer: null,
        changes: await deps.alerting.resolve({ type, pond_id }),
        guards: [asParent(await deps.guard('farm', farm_id))],
      }));
      open.follow(committed);
    }
  }

  async function pollSafely(): Promise<void> {
    try {
      await poll();
      state.hasFailed = false;
    } catch (error) {
      const isSaid = error instanceof StorageUnavailable && state.hasFailed;
      if (!isSaid) deps.log.error({ err: error }, 'alerts of ponds that are empty now could not be ended');
      state.hasFailed = error instanceof StorageUnavailable;
    }
  }

  return { tick: oneAtATime(pollSafely), follow: open.follow };
}

/** When the last animals left, of those of these ponds that are empty now, ISO 8601 UTC. */
async function leftAt(
  batches: EmptyPondWatchDeps['batches'],
  pondIds: readonly string[],
): Promise<Map<string, string>> {
  if (pondIds.length === 0) return new Map();
  const stocked = await batches.activeInPonds(pondIds);
  const empty = pondIds.filter((id) => !stocked.has(id));
  return batches.lastLeft(empty);
}
