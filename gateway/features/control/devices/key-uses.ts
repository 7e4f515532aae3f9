import type { RowOf } from '#contract/resource.ts';
import { firstKeyUse } from '#contract/resources/local-tables.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { ControlView } from '../control-view.ts';
import { needsKey } from './device-keys.ts';

export type KeyUseQueries = { all: () => Promise<RowOf<typeof firstKeyUse>[]> };

export type KeyUses = ReturnType<typeof createKeyUses>;

/**
 * Where keys were ever used, in memory: calls without one ask for it. Kept apart from the keys, which go with a rotation,
 * a new device or their control point.
 */
export function createKeyUses(queries: KeyUseQueries) {
  const points = new Set<string>();
  const firstByFarm = new Map<string, string>();

  function note({ id, farm_id: farmId, used_at: usedAt }: RowOf<typeof firstKeyUse>): void {
    points.add(id);
    const first = firstByFarm.get(farmId);
    // instants of one form: their order is that of time
    if (first === undefined || usedAt < first) firstByFarm.set(farmId, usedAt);
  }

  return {
    async load(): Promise<void> {
      for (const row of await queries.all()) note(row);
    },
    follow: onTables([firstKeyUse], (committed) => {
      for (const { after } of rowsOf(committed, firstKeyUse)) note(after);
    }),
    /**
     * Whether calls without a key are taken for a control point: never once its own key was used, else as people set it,
     * else unless it had a key before or was made after the first use of any key of its farm.
     */
    allowsUnkeyed({ row, keys }: Pick<ControlView, 'row' | 'keys'>): boolean {
      if (row.is_simulated || needsKey({ keys })) return false;
      if (row.allow_unkeyed !== null) return row.allow_unkeyed;
      const first = firstByFarm.get(row.farm_id);
      return !points.has(row.id) && (first === undefined || first >= row.created_at);
    },
  };
}
