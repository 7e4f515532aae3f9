import { sql } from 'kysely';
import { storedImage } from '#contract/resources/photos.ts';
import { purgeSeen } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { ImageStore } from '#features/production/photos/ports.ts';
import type { Database } from './database.ts';
import { isNamedByPhoto } from './queries/production/photos.ts';

type SweepDeps = {
  database: Pick<Database, 'read' | 'commit'>;
  images: ImageStore;
} & Pick<Kernel, 'now' | 'pause'>;

const SLICE = 100;
const REST_MS = 20;
const HOUR_MS = 3_600_000;

const isNamed = isNamedByPhoto(sql`stored_images.id`);

/** Takes bytes away that no photo names any more. */
export async function sweepImages(deps: SweepDeps): Promise<void> {
  const { database, now, pause } = deps;
  for (;;) {
    const due = await database.read
      .selectFrom('stored_images')
      .selectAll()
      .where('stored_at', '<', isoOf(now() - HOUR_MS))
      .where((where) => where.not(isNamed))
      .limit(SLICE)
      .execute();
    for (const row of due) await letGo(deps, row, 'unless named');
    if (due.length < SLICE) return;
    await pause(REST_MS);
  }
}

/**
 * The row first: bytes without a row are found again, a row without bytes promises what is not there. Bytes that a photo names
 * are about to be told as here by whoever sends them again: they stay unless the caller lets go of them all the same.
 */
export async function letGo(
  { database, images }: Pick<SweepDeps, 'database' | 'images'>,
  row: { id: string; bytes: number; stored_at: string; synced_at: string | null },
  when: 'always' | 'unless named' = 'always',
): Promise<void> {
  try {
    await database.commit({ changes: [purgeSeen(storedImage, row, 'stored_at')], actor: null });
  } catch (error) {
    // it has just been sent again
    if (error instanceof StaleError) return;
    throw error;
  }
  if (when === 'always' || !(await isShown(database.read, row.id))) await images.remove(row.id);
}

async function isShown(read: Database['read'], name: string): Promise<boolean> {
  const { rows } = await sql<{
    id: string;
  }>`select '' as id where ${isNamedByPhoto(sql`cast(${name} as text)`)}`.execute(read);
  return rows.length > 0;
}

/** Makes rows and bytes tell the same: after a restore, on another card, after a kill between the two. */
export async function checkImages(deps: SweepDeps): Promise<void> {
  const { database, images, pause } = deps;
  const { read } = database;
  for (let after = ''; ; ) {
    const rows = await read
      .selectFrom('stored_images')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(SLICE)
      .execute();
    for (const row of rows) if (!(await images.has(row.id))) await letGo(deps, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE) break;
    after = last.id;
    await pause(REST_MS);
  }
  await images.sweep(async (id) => {
    const row = await read.selectFrom('stored_images').select('id').where('id', '=', id).executeTakeFirst();
    return row !== undefined || (await isShown(read, id));
  });
}
