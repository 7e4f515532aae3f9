import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isLocked } from '#adapters/sql/check-database.ts';
import type { Stamping } from '#adapters/sql/database.ts';
import { beginNewEpoch } from '#adapters/sql/new-epoch.ts';
import type { SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
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

const EVERY_MS = 1_000;
const FIVE_MINUTES = 300;

/**
 * Opens the database as soon as whoever holds it (a backup by hand, a technician's tool left open) lets go. Gives up
 * after five minutes with a sentence for people: a supervisor then starts us anew.
 */
export async function whileLocked<Opened>(
  deps: Pick<Kernel, 'pause' | 'log'>,
  open: () => Promise<Opened>,
  most = FIVE_MINUTES,
): Promise<Opened> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (tries === most) throw new DatabaseHeld(error);
      if (tries % 30 === 1) {
        deps.log.warn({ tries }, 'another program holds the database; the start waits until it lets go');
      }
      await deps.pause(EVERY_MS);
    }
  }
}

export class DatabaseHeld extends Error {
  constructor(cause: unknown) {
    super('another program holds the database; end it and start again', { cause });
    this.name = 'DatabaseHeld';
  }
}

export const snapshotFolder = (data: string): string => join(data, 'snapshots');
export const SNAPSHOT_NAME = /^farm-(\d{8}T\d{6}Z)(?:-\d+)?\.snapshot$/;
