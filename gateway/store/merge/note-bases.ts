import type { ChangeLog, LogEntry } from '../change-log.ts';
import type { Steps, UnitContext } from '../register.ts';
import { insertMany } from './write-rows.ts';

/**
 * Hosted: what an edit of a farm was made over that was taken off its gateway and has none. No log tells of it, and the gateway
 * tells the word again that it was made over when the farm is its own again. Of several edits the last one is noted, and what the
 * first of them found.
 */
export function* noteBases(entries: readonly LogEntry[], log: ChangeLog, context: UnitContext): Steps<void> {
  const rows = entries.flatMap(({ resource, id, hlc, base }) => {
    const farm_id = log.state.routes.awayOf(resource, id);
    if (farm_id === null) return [];
    const { entity } = resource;
    return Object.entries(base ?? {}).map(([field_group, base_hlc]) => ({
      entity,
      id,
      field_group,
      hlc,
      base_hlc,
      farm_id,
    }));
  });
  yield* insertMany(
    {
      table: 'sync_bases',
      columns: ['entity', 'id', 'field_group', 'hlc', 'base_hlc', 'farm_id'],
      rows,
      conflict: `on conflict (entity, id, field_group) do update set hlc = excluded.hlc, farm_id = excluded.farm_id,
        base_hlc = case when sync_bases.hlc = excluded.base_hlc then sync_bases.base_hlc else excluded.base_hlc end`,
    },
    context,
  );
}
