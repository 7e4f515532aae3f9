import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connectPostgres } from '#adapters/sql/open-postgres.ts';
import { openTestDatabase } from '#test/databases.ts';
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

test('a read that the database ends, or that finds none, is told as trouble of the database', async () => {
  const { database, close } = await openTestDatabase('postgres');
  const read = (statement: string) => sql.raw(statement).execute(database.read);
  await read("set statement_timeout = '50ms'");
  await expect(read('select pg_sleep(5)')).rejects.toMatchObject({
    name: 'StorageUnavailable',
    reason: 'locked',
  });
  await expect(read('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({
    name: 'StorageUnavailable',
    reason: 'connection',
  });
  // what is wrong with the statement itself stays a fault of the program
  await expect(read('select nothing')).rejects.toMatchObject({ code: '42703' });
  await close();
  await expect(read('select 1')).rejects.toThrow();
});
