import type { SyncEvent } from '#contract/events/stream.ts';
import type { SyncStateWord } from '#contract/resources/sync-status.ts';
import { isoOf } from '#core/kernel.ts';
import type { LogFigures, SyncFacts } from './ports.ts';
import { stateOf } from './show-status.ts';

const EVENT_STATES: Readonly<Record<SyncStateWord, SyncEvent['state']>> = {
  unpaired: 'unpaired',
  connected: 'connected',
  catching_up: 'catching_up',
  comparing: 'catching_up',
  offline: 'offline',
  upgrade_needed: 'offline',
  revoked: 'offline',
  fenced: 'offline',
  farm_moved: 'catching_up',
};

/** The sync as the event stream tells of it. */
export function syncEventOf(facts: SyncFacts, figures: Pick<LogFigures, 'lanes'>, nowMs: number): SyncEvent {
  const { core, history } = figures.lanes;
  return {
    state: EVENT_STATES[stateOf(facts, figures, nowMs)],
    last_sync_at: facts.contactAgeMs === null ? null : isoOf(nowMs - facts.contactAgeMs),
    pending_changes: core.waitingRows + history.waitingRows,
  };
}

/** Worth telling viewers again: another word, or a count that moved by much; the time of each contact is not. */
export function isNews(told: SyncEvent | null, event: SyncEvent): boolean {
  if (told === null || told.state !== event.state) return true;
  const [before, after] = [told.pending_changes ?? 0, event.pending_changes ?? 0];
  return (before === 0) !== (after === 0) || Math.abs(after - before) >= Math.max(50, before / 10);
}
