import type { Resource } from '#contract/resource.ts';
import { codecOf } from './row-codec.ts';

export type Statement = { sql: string; params: readonly (string | number | null | Uint8Array)[] };
export type Rows = readonly Record<string, unknown>[];
/** Statements one after another; each yields its rows back. */
export type Steps<Answer> = Generator<Statement, Answer, Rows>;

export type UnitContext = {
  dialect: 'sqlite' | 'postgres';
  /** Where changes are logged to: a gateway has one stream; a hosted instance one per gateway, by whose the row is. */
  streams: 'own' | 'by scope';
  nowMs: number;
  /** Monotonic milliseconds of this boot, for stamping rows anew once the clock is known. */
  monotonicMs: number;
  bootId: string;
  /** 16 bit of the instance and 16 of this start, hex. */
  node: string;
  /** Resources that are hidden with a parent, by the parent's table. */
  childrenOf: ReadonlyMap<string, readonly { resource: Resource; column: string }[]>;
};

// Registers: per row a causal length (odd: alive) and the stamp of each field group.

/** `hlc` is of the making and holds for every group that `over` does not name. */
export type Register = { cl: number; hlc: string; over: Record<string, string> };

/** Names in `over` the stamp of the last delete or restore. */
export const LIFE = '*';

/** Stands for a making that nobody stamped where a stamp must stand. */
export const NO_STAMP = '000000000000.0000.00000000';

export const isAlive = ({ cl }: Pick<Register, 'cl'>): boolean => cl % 2 === 1;

export const newRegister = (): Register => ({ cl: 1, hlc: '', over: {} });

/** The newest stamp of any of its groups. */
export function newestOf(register: Register): string {
  return Object.values(register.over).reduce(
    (newest, stamp) => (stamp > newest ? stamp : newest),
    register.hlc,
  );
}

/** A register as it is stored. */
export function registerOf(stored: Readonly<Record<string, unknown>>): Register {
  // written by writeRegister below, or by its like for many rows
  const over = JSON.parse(String(stored['over_json'])) as Record<string, string>;
  return { cl: Number(stored['cl']), hlc: String(stored['hlc']), over };
}

export function* readRegister(resource: Resource, id: string): Steps<Register | null> {
  const [stored] = yield {
    sql: 'select cl, hlc, over_json from sync_register where entity = ? and id = ?',
    params: [resource.entity, id],
  };
  return stored === undefined ? null : registerOf(stored);
}

export function* writeRegister(resource: Resource, id: string, register: Register): Steps<void> {
  yield {
    sql: `insert into sync_register (entity, id, cl, hlc, over_json) values (?, ?, ?, ?, ?)
      on conflict (entity, id) do update set cl = excluded.cl, hlc = excluded.hlc, over_json = excluded.over_json`,
    params: [resource.entity, id, register.cl, register.hlc, JSON.stringify(register.over)],
  };
}

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
