import type { Resource } from '#contract/resource.ts';
import { codecOf } from './row-codec.ts';
import type { Steps, UnitContext } from './statements.ts';

/** A row as it stands until the unit ends; null: there is none. */
export function* lockRow(
  resource: Resource,
  id: string,
  context: UnitContext,
): Steps<{ row: Record<string, unknown>; rev: number; hidden: boolean } | null> {
  const codec = codecOf(resource);
  const kernel = resource.sync === 'local' ? '' : ', rev, hidden';
  const [stored] = yield {
    sql: `select ${codec.columns.join(', ')}${kernel} from ${resource.name} where id = ?${
      context.dialect === 'postgres' ? ' for update' : ''
    }`,
    params: [id],
  };
  if (stored === undefined) return null;
  return { row: codec.decode(stored), rev: Number(stored['rev'] ?? 0), hidden: stored['hidden'] === 1 };
}
