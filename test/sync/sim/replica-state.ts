import canonicalize from 'canonicalize';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { SCOPES } from '#contract/sync/scopes.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Row } from './things.ts';

// Everything one instance knows, read past the program.

export type ReadRows = (sql: string) => Promise<Record<string, unknown>[]>;

export type KnownRow = {
  resource: Resource;
  row: Row;
  isHidden: boolean;
  /** null: never edited, or a fact. */
  register: { cl: number; hlc: string; over: Record<string, string> } | null;
};

export type ReplicaState = {
  /** By table and id. */
  rows: ReadonlyMap<string, KnownRow>;
  /** Values that lost and are kept, or about which an administrator is asked: by table and id. */
  dropped: ReadonlyMap<string, readonly Record<string, unknown>[]>;
  /** Changes that wait aside: by table and id. */
  parked: ReadonlyMap<string, readonly string[]>;
};

// rows of different tables have different fields; here only their being rows counts
const SHARED = Object.values(sharedResources) as unknown as readonly Resource[];
/** Tables that both instances of a farm have in common. */
export const SYNCED: readonly Resource[] = SHARED.filter(
  ({ name }) => (SCOPES as Readonly<Record<string, { by: string }>>)[name]?.by !== 'nobody',
);
const TABLE_BY_ENTITY = new Map(SHARED.map(({ entity, name }) => [entity, name]));

export const tableOf = (entity: number): string => TABLE_BY_ENTITY.get(entity) ?? '?';

export const keyOf = (table: string, id: string): string => `${table} ${id}`;

export async function readState(read: ReadRows): Promise<ReplicaState> {
  const registers = new Map<string, KnownRow['register']>();
  for (const { entity, id, cl, hlc, over_json } of await read('select * from sync_register')) {
    const table = TABLE_BY_ENTITY.get(Number(entity)) ?? '?';
    // written by writeRegister
    const over = JSON.parse(String(over_json)) as Record<string, string>;
    registers.set(keyOf(table, String(id)), { cl: Number(cl), hlc: String(hlc), over });
  }
  const rows = new Map<string, KnownRow>();
  for (const resource of SYNCED) {
    const codec = codecOf(resource);
    const stored = await read(`select hidden, ${codec.columns.join(', ')} from ${resource.name}`);
    for (const raw of stored) {
      // a stored row has its id
      const row = codec.decode(raw) as Row;
      const key = keyOf(resource.name, row.id);
      rows.set(key, {
        resource,
        row,
        isHidden: Number(raw['hidden']) === 1,
        register: registers.get(key) ?? null,
      });
    }
  }
  return { rows, ...(await readAside(read)) };
}

async function readAside(read: ReadRows): Promise<Pick<ReplicaState, 'dropped' | 'parked'>> {
  const dropped = new Map<string, Record<string, unknown>[]>();
  const parked = new Map<string, string[]>();
  for (const { entity, row_id, dropped_json } of await read(
    'select entity, row_id, dropped_json from sync_conflicts order by id',
  )) {
    const key = keyOf(TABLE_BY_ENTITY.get(Number(entity)) ?? '?', String(row_id));
    dropped.set(key, [
      ...(dropped.get(key) ?? []),
      // written by the merge: fields and values
      JSON.parse(String(dropped_json)) as Record<string, unknown>,
    ]);
  }
  for (const [key, words] of await askedAbout(read))
    dropped.set(key, [...(dropped.get(key) ?? []), ...words]);
  for (const { entity, row_id, change_json } of await read(
    'select entity, row_id, change_json from sync_parked order by id',
  )) {
    const key = keyOf(TABLE_BY_ENTITY.get(Number(entity)) ?? '?', String(row_id));
    parked.set(key, [...(parked.get(key) ?? []), String(change_json)]);
  }
  return { dropped, parked };
}

/** Accounts that a failover lost, and later words of others, that a gateway knows, until somebody answers: by table and id. */
export async function askedAbout(read: ReadRows): Promise<Map<string, Record<string, unknown>[]>> {
  const asked = new Map<string, Record<string, unknown>[]>();
  for (const { user_id, kind, name, email, role } of await read(
    `select user_id, kind, name, email, role from lost_people where state = 'open' and kind in ('account', 'email', 'name', 'role') order by id`,
  )) {
    const key = keyOf('users', String(user_id));
    // as far as these farms go, an address is written as it is compared
    const address = { email, email_key: email };
    const word =
      kind === 'account'
        ? { ...address, role, is_active: true }
        : kind === 'email'
          ? address
          : kind === 'name'
            ? { name }
            : { role };
    asked.set(key, [...(asked.get(key) ?? []), word]);
  }
  return asked;
}

/**
 * What of a row is written as one. Beside a program that does not know all of a group (`isMixed`) each field that came
 * later is a word of its own, `settings+is_siren`, and the rest is another, `settings+`: who does not know it says nothing of it.
 */
export const wordsOf = ({ groups, later }: Resource, isMixed: boolean): string[] =>
  Object.entries(groups).flatMap(([name, { fields }]) => {
    const own = fields.filter((field) => field in later);
    return !isMixed || own.length === 0 || own.length === fields.length
      ? [name]
      : [`${name}+`, ...own.map((field) => `${name}+${field}`)];
  });

export const groupOfWord = (word: string): string => word.split('+')[0] ?? '';

export function fieldsOfWord({ groups, later }: Resource, word: string): readonly string[] {
  const [name = '', own] = word.split('+');
  const fields = groups[name]?.fields ?? [];
  if (own === undefined) return fields;
  return own === '' ? fields.filter((field) => !(field in later)) : [own];
}

/** The fields of one group, or of a word of it, as text that is equal for equal values. */
export function groupValue(resource: Resource, group: string, row: Record<string, unknown>): string {
  const fields = fieldsOfWord(resource, group);
  return canonicalize(Object.fromEntries(fields.map((field) => [field, row[field] ?? null]))) ?? '';
}
