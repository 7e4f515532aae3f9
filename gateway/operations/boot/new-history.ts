import { randomBytes } from 'node:crypto';
import type { Stamping } from '#adapters/sql/database.ts';
import { beginNewEpoch } from '#adapters/sql/new-epoch.ts';
import type { SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { growingIds, idOfCause } from '#runtime/world.ts';

/** Told to people at the next start, once; see tell-boot.ts. */
export const BOOT_NOTICE = 'boot_notice';

export type HistoryDeps = Omit<Stamping, 'streams'>;

export type Story = {
  /** restore: by a person; boot_recovery: by itself at a start. */
  action: 'restore' | 'boot_recovery';
  rung: string;
  detail: string;
};

/**
 * The database came from an older state: controllers have seen later versions of its levels. A new epoch makes them
 * listen again; the audit and a note for the people say why.
 */
export function beginHistory(
  connection: SqliteConnection,
  deps: HistoryDeps,
  {
    story,
    syncEpochAbove,
    changes = [],
  }: { story: Story; syncEpochAbove: number; changes?: readonly Change[] },
): void {
  beginNewEpoch(connection, deps, {
    targetEpoch: randomBytes(4).toString('hex'),
    syncEpochAbove,
    changes: [...changes, ...tellStory(connection, deps, story)],
  });
}

/** Audit entries, one per farm so that each finds it among its own, and the note that makes notifications. */
function tellStory(connection: SqliteConnection, deps: HistoryDeps, story: Story): Change[] {
  const farms = connection.prepare('select id from farms where hidden = 0').pluck().all().map(String);
  const entryDeps = {
    now: deps.now,
    newId: growingIds(deps.now),
    idOf: idOfCause,
    // nobody has looked at the clock yet
    clockQuality: () => 'estimated' as const,
  };
  const entries = (farms.length === 0 ? [null] : farms).map((farmId) =>
    audit(entryDeps, {
      farm_id: farmId,
      entity_type: 'SYSTEM',
      entity_id: farmId ?? idOfCause('gateway'),
      entity_name: 'gateway',
      action: story.action,
      user_id: null,
      details: { rung: story.rung, detail: story.detail },
    }),
  );
  const note = { rung: story.rung, detail: story.detail, at: isoOf(deps.now()) };
  return [...entries, put(instanceValue, { id: BOOT_NOTICE, value: JSON.stringify(note) })];
}
