import { expect, test } from 'vitest';
import { connectPostgres } from '#adapters/sql/open-postgres.ts';
import { freshDatabase } from '#test/postgres.ts';

test('a connection that breaks between two statements of a unit fails the next one, not the program', async () => {
  const database = await freshDatabase();
  const pool = connectPostgres(database.url, 2);
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const isOver = new Promise<void>((resolve) => client.once('end', () => resolve()));
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await isOver;
  await expect(client.query('select 1')).rejects.toThrow();
  client.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
  await database.drop();
});
