import { presence } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { ControlViews } from '../control-view.ts';

/**
 * Puts what changed since the last time into the narrow presence table, and what else is to be kept, in one commit.
 * Called every 30 s and at stop.
 */
export async function flushPresence(
  deps: Pick<Kernel, 'commit'> & { views: ControlViews },
  also: readonly Change[] = [],
): Promise<void> {
  const dirty = [...deps.views.all()].filter(
    (view) => view.presence.isDirty && view.presence.lastReportAt !== null,
  );
  const changes = dirty.map(({ row, presence: known }) =>
    put(presence, {
      id: row.id,
      heard_at_ms: known.lastReportAt ?? 0,
      consumption: known.consumption,
    }),
  );
  if (changes.length + also.length === 0) return;
  for (const view of dirty) view.presence.isDirty = false;
  try {
    await deps.commit({ changes: [...changes, ...also], actor: null });
  } catch (error) {
    for (const view of dirty) view.presence.isDirty = true;
    throw error;
  }
}
