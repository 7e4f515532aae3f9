import type { Resource } from '#contract/resource.ts';
import type { Steps } from './statements.ts';

// Registers: per row a causal length (odd: alive) and the stamp of each field group.

export type Register = { cl: number; hlc: string; over: Record<string, string> };

/** The newest stamp of any of its groups. */
export function newestOf(register: Register): string {
  return Object.values(register.over).reduce(
    (newest, stamp) => (stamp > newest ? stamp : newest),
    register.hlc,
  );
}

export function* readRegister(resource: Resource, id: string): Steps<Register | null> {
  const [stored] = yield {
    sql: 'select cl, hlc, over_json from sync_register where entity = ? and id = ?',
    params: [resource.entity, id],
  };
  if (stored === undefined) return null;
  // written by writeRegister below
  const over = JSON.parse(String(stored['over_json'])) as Record<string, string>;
  return { cl: Number(stored['cl']), hlc: String(stored['hlc']), over };
}

export function* writeRegister(resource: Resource, id: string, register: Register): Steps<void> {
  yield {
    sql: `insert into sync_register (entity, id, cl, hlc, over_json) values (?, ?, ?, ?, ?)
      on conflict (entity, id) do update set cl = excluded.cl, hlc = excluded.hlc, over_json = excluded.over_json`,
    params: [resource.entity, id, register.cl, register.hlc, JSON.stringify(register.over)],
  };
}
