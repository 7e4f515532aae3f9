import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Db } from './database.ts';
import type { SqliteConnection } from './open-sqlite.ts';

// Values an instance is born with. They are made once, before the first unit can be stamped.

export { OWN_STREAM } from '#store/own-stream.ts';

const BIRTH = `insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
  values (1, '<gateway>', 1, null, 0, 0, '', 0, '') on conflict do nothing`;

export function bearSqlite(connection: SqliteConnection): void {
  connection.exec(BIRTH.replace('<gateway>', randomUUID()));
}

export async function bearPostgres(pool: pg.Pool): Promise<void> {
  await pool.query(BIRTH.replace('<gateway>', randomUUID()));
}

/** Reads an instance value, or stores what `make` answers; two processes that start at once agree on one. */
export async function instanceValue(
  db: Db,
  name: string,
  make: () => string = () => randomBytes(32).toString('base64url'),
): Promise<string> {
  const find = () =>
    db.selectFrom('instance_values').select('value').where('id', '=', name).executeTakeFirst();
  const known = await find();
  if (known) return known.value;
  await db
    .insertInto('instance_values')
    .values({ id: name, value: make() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const stored = await find();
  if (!stored) throw new Error(`instance value ${name} was not stored`);
  return stored.value;
}
