import { importChunk, importLayout, importRecord } from '#contract/resources/import-records.ts';
import { purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Database } from './database.ts';

const DAY_MS = 24 * 3_600_000;
/** A file can be undone for a week. */
const RECORDS_KEPT_MS = 7 * DAY_MS;
/** Rows that went with an undo come again when the same file is sent again; later they count as deleted by hand. */
const UNDONE_KEPT_MS = 90 * DAY_MS;
/** A sheet of the same form comes once a cycle, or once a year. */
const LAYOUTS_KEPT_MS = 800 * DAY_MS;
const SLICE = 200;

/** Erases what is remembered of imports that can be undone no more, and of farms and people that are gone. */
export async function sweepImports(
  database: Pick<Database, 'read' | 'commit'>,
  { now, pause }: Pick<Kernel, 'now' | 'pause'>,
): Promise<void> {
  const { read } = database;
  const standing = () => read.selectFrom('farms').select('id').where('hidden', '=', 0);
  await inSlices(importRecord, () =>
    read
      .selectFrom('imports')
      .select('id')
      .where((either) =>
        either.or([
          either.and([either('undone', '=', 0), either('created_at', '<', isoOf(now() - RECORDS_KEPT_MS))]),
          either('created_at', '<', isoOf(now() - UNDONE_KEPT_MS)),
          either('farm_id', 'not in', standing()),
          either('created_by', 'in', read.selectFrom('users').select('id').where('hidden', '=', 1)),
        ]),
      )
      .limit(SLICE)
      .execute(),
  );
  await inSlices(importChunk, () =>
    read
      .selectFrom('import_chunks')
      .select('id')
      .where('import_id', 'not in', read.selectFrom('imports').select('id'))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(importLayout, () =>
    read
      .selectFrom('import_layouts')
      .select('id')
      .where((either) =>
        either.or([
          either('used_at', '<', isoOf(now() - LAYOUTS_KEPT_MS)),
          either('farm_id', 'not in', standing()),
        ]),
      )
      .limit(SLICE)
      .execute(),
  );

  async function inSlices(
    resource: Parameters<typeof purge<{ id: string }>>[0],
    next: () => Promise<{ id: string }[]>,
  ): Promise<void> {
    for (;;) {
      const due = await next();
      if (due.length > 0)
        await database.commit({ changes: due.map(({ id }) => purge(resource, id)), actor: null });
      if (due.length < SLICE) return;
      await pause(1);
    }
  }
}
