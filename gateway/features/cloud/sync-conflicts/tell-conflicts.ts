import { logEntry } from '#contract/resources/logs.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { type Change, insertIfAbsent, onTables, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify, Recipients } from '#core/notifying.ts';
import { readHlc } from '#store/hlc.ts';
import { resourceOfEntity } from '#store/merge/shared-tables.ts';
import type { Conflict, TellQueries } from './ports.ts';
import {
  conflictMessage,
  conflictTitle,
  overdrawnMessage,
  overdrawnTitle,
  thingOf,
} from './show-conflict.ts';

export type TellConflictsDeps = Pick<Kernel, 'now' | 'idOf' | 'commit' | 'log'> & {
  notify: Notify;
  queries: TellQueries;
};

const LOOKED_BACK_MS = 7 * 86_400_000;
const AT_ONCE = 200;
/**
 * Audit entries in one commit. Each is several statements of PostgreSQL, under the lock of the gateway's stream: five hundred at
 * once kept the next push of that gateway waiting until it was refused.
 */
const IN_ONE_COMMIT = 50;

/**
 * Tells people that a change of theirs lost. The merge itself may not wait for anybody's channels, so it is told right
 * behind it; what a stop cut off is told by the next look. The audit entry has an id of its conflict's and says what was
 * told, so nobody is told twice, whichever of both instances found it.
 */
export function createTellConflicts(deps: TellConflictsDeps) {
  const own = { telling: Promise.resolve() };

  async function tell(found: readonly Conflict[]): Promise<void> {
    for (const group of byReader(found))
      for (let from = 0; from < group.length; from += IN_ONE_COMMIT) {
        const entries = group.slice(from, from + IN_ONE_COMMIT).map((conflict) => entryOf(deps, conflict));
        // people hear with the last of them: where a stop comes between, with the next look, and never twice
        const news = from + IN_ONE_COMMIT < group.length ? [] : await newsOf(deps, group);
        await deps.commit({ actor: null, changes: [...news, ...entries] });
      }
  }

  return {
    /** For every commit: conflicts that it found are told. */
    hear: onTables([syncConflict], (committed) => {
      const found = rowsOf(committed, syncConflict)
        .filter(({ before, after, hidden }) => before === null && !hidden && after.state === 'open')
        .map(({ after }) => after);
      if (found.length === 0) return;
      own.telling = own.telling
        .then(() => tell(found))
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a conflict is told with the next look'));
    }),
    /** What was not told when it was found; called now and then. */
    async look(): Promise<void> {
      await tell(await deps.queries.untold(isoOf(deps.now() - LOOKED_BACK_MS), AT_ONCE));
    },
    settled: () => own.telling,
  };
}

/** One word to each for all that a batch brought: a week without a link may bring a hundred. */
function byReader(found: readonly Conflict[]): Conflict[][] {
  const groups = new Map<string, Conflict[]>();
  for (const conflict of found) {
    const key = `${conflict.dropped_by} ${conflict.farm_id ?? conflict.row_id} ${conflict.rule === 'overdrawn'}`;
    groups.set(key, [...(groups.get(key) ?? []), conflict]);
  }
  return [...groups.values()].map((group) => group.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

async function newsOf(deps: TellConflictsDeps, group: readonly Conflict[]): Promise<Change[]> {
  const [first] = group;
  if (first === undefined) return [];
  const to = await readerOf(deps, first);
  const tables = group.map(({ entity }) => resourceOfEntity(entity)?.name ?? '');
  if (to === null) return [];
  const isOverdrawn = first.rule === 'overdrawn';
  return deps.notify(to, {
    type: 'SYSTEM',
    title: isOverdrawn ? overdrawnTitle : conflictTitle,
    message: isOverdrawn ? overdrawnMessage : conflictMessage(tables),
    data: { kind: 'sync_conflict', conflict_ids: group.slice(0, 20).map(({ id }) => id) },
    cause: `sync_conflict:${first.id}`,
    farmId: first.farm_id,
  });
}

/** Whoever wrote what lost, if it concerns them; where nobody knows who that was, the owner of the farm. */
async function readerOf({ queries }: TellConflictsDeps, conflict: Conflict): Promise<Recipients | null> {
  const { dropped_by, farm_id } = conflict;
  if (dropped_by !== null && (await queries.concerns(conflict, dropped_by))) return { userIds: [dropped_by] };
  return farm_id === null ? null : { farmId: farm_id, who: 'owner' };
}

/** The same on both instances, to the letter: an entry of the log is never merged. */
function entryOf(deps: TellConflictsDeps, conflict: Conflict): Change {
  const { id, farm_id, entity, row_id, field_group, rule, kept_hlc, dropped_hlc } = conflict;
  const table = resourceOfEntity(entity)?.name ?? '';
  const last = kept_hlc > dropped_hlc ? kept_hlc : dropped_hlc;
  return insertIfAbsent(logEntry, {
    id: toldId(deps, id),
    farm_id,
    entity_type: 'SYSTEM',
    entity_id: row_id,
    entity_name: thingOf(table, 'en'),
    action: 'sync_conflict',
    user_id: null,
    origin: null,
    details: { conflict_id: id, table, field_group, rule },
    timestamp: isoOf(last === '' ? 0 : readHlc(last).ms),
    clock_quality: 'estimated',
  });
}

export const toldId = ({ idOf }: Pick<Kernel, 'idOf'>, conflictId: string): string =>
  idOf(`log:sync_conflict:${conflictId}`);
