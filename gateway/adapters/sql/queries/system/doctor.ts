import { sql } from 'kysely';
import type { ControllerFacts } from '#features/system/doctor/ports.ts';
import type { Db } from '../../database.ts';

export type TableSize = { name: string; rows: number; bytes: number | null };

/** Bytes by table cost a read of the whole file. */
const MEASURED_BYTES = 256 * 1024 * 1024;

const CHANNELS = 20_000;

/** What the doctor and a support bundle ask of a database, of a running program or a stopped one. */
export function doctorQueries(db: Db, dialect: 'sqlite' | 'postgres') {
  return {
    /** Controllers as an earlier run knew them: whether one is online, and its signal, only the program knows. */
    async controllers(): Promise<ControllerFacts[]> {
      const rows = await db
        .selectFrom('control_points')
        .leftJoin('presence', 'presence.id', 'control_points.id')
        .select(['control_points.id', 'farm_id', 'cod', 'device_id', 'heard_at_ms'])
        .select((row) =>
          row
            .selectFrom('device_keys')
            .select((key) => key.fn.countAll<number>().as('keys'))
            .whereRef('control_point_id', '=', 'control_points.id')
            .where('state', '<>', 'revoked')
            .as('keys'),
        )
        .where('control_points.hidden', '=', 0)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        farmId: row.farm_id,
        cod: row.cod,
        deviceId: row.device_id,
        isOnline: null,
        heardAt: row.heard_at_ms === null ? null : Number(row.heard_at_ms),
        rssiDbm: null,
        hasKey: Number(row.keys) > 0,
        firmware: null,
        folded: null,
      }));
    },
    /** Values of the instance, secrets among them, so that they can be struck out of what leaves it. */
    async instanceValues(): Promise<{ id: string; value: string }[]> {
      return db.selectFrom('instance_values').select(['id', 'value']).execute();
    },
    /** Where people are told, for the same: addresses, numbers and keys of their channels. */
    async channelSecrets(): Promise<{ address: string; keys: string | null }[]> {
      return db
        .selectFrom('notification_channels')
        .select(['address', 'keys'])
        .orderBy('id', 'desc')
        .limit(CHANNELS)
        .execute();
    },
    /** Ponds whose sums of measurements are still to be made; null: a database from before there were any. */
    async pondsToSum(): Promise<number | null> {
      const gaps = await db
        .selectFrom('measurement_gaps')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirst()
        .catch(() => null);
      return gaps == null ? null : Number(gaps.n);
    },
    engineVersion: async (): Promise<string> => {
      const version = dialect === 'sqlite' ? sql`sqlite_version()` : sql`current_setting('server_version')`;
      const { rows } = await sql<{ version: string }>`select ${version} as version`.execute(db);
      return `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${rows[0]?.version ?? '?'}`;
    },
    /** Bytes of the whole database, as the engine counts them. */
    async bytes(): Promise<number> {
      const size =
        dialect === 'sqlite'
          ? sql<{
              bytes: number;
            }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
          : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
      const { rows } = await size.execute(db);
      return Number(rows[0]?.bytes ?? 0);
    },
    schema: async (): Promise<string> => {
      const statements =
        dialect === 'sqlite'
          ? sql<{
              text: string;
            }>`select sql || ';' as text from sqlite_master where sql is not null order by tbl_name, type desc, name`
          : sql<{ text: string }>`select table_name || ' ' || column_name || ' ' || data_type as text
              from information_schema.columns where table_schema = current_schema() order by table_name, ordinal_position`;
      const { rows } = await statements.execute(db);
      return rows.map(({ text }) => text).join('\n');
    },
    tables: () => (dialect === 'sqlite' ? sqliteTables(db) : postgresTables(db)),
  };
}

async function sqliteTables(db: Db): Promise<TableSize[]> {
  const { rows: names } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`.execute(
    db,
  );
  const bytes = await sqliteBytes(db);
  const sizes: TableSize[] = [];
  for (const { name } of names) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
    sizes.push({ name, rows: rows[0]?.rows ?? 0, bytes: bytes?.get(name) ?? null });
  }
  return sizes;
}

/** With the bytes of its indexes; null: the file is too large to be read for that. */
async function sqliteBytes(db: Db): Promise<Map<string, number> | null> {
  const { bytes } = doctorQueries(db, 'sqlite');
  if ((await bytes()) > MEASURED_BYTES) return null;
  const { rows } = await sql<{ name: string; bytes: number }>`
    select m.tbl_name as name, sum(s.pgsize) as bytes
      from dbstat s join sqlite_master m on m.name = s.name where s.aggregate = 1 group by m.tbl_name`.execute(
    db,
  );
  return new Map(rows.map(({ name, bytes: taken }) => [name, taken]));
}

/** Counting millions of rows takes minutes; the planner's estimate is enough. */
async function postgresTables(db: Db): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select relname as name, greatest(reltuples, 0)::bigint as rows, pg_total_relation_size(oid) as bytes
      from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by relname`.execute(
    db,
  );
  return rows.map(({ name, rows: count, bytes }) => ({ name, rows: Number(count), bytes: Number(bytes) }));
}
