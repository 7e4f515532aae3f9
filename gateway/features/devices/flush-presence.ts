import { presence } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import type { ControlViews } from '#core/control-view.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

/** Puts what changed since the last time into the narrow presence table, in one commit. Called every 30 s and at stop. */
export async function flushPresence(deps: Pick<Kernel, 'commit'> & { views: ControlViews }): Promise<void> {
  const dirty = [...deps.views.all()].filter(
    (view) => view.presence.isDirty && view.presence.lastReportAt !== null,
  );
  if (dirty.length === 0) return;
  const changes = dirty.map(({ row, presence: known }) =>
    put(presence, {
      id: row.id,
      last_heartbeat: isoOf(known.lastReportAt ?? 0),
      consumption: known.consumption,
    }),
  );
  for (const view of dirty) view.presence.isDirty = false;
  try {
    await deps.commit({ changes, actor: null });
  } catch (error) {
    for (const view of dirty) view.presence.isDirty = true;
    throw error;
  }
}
