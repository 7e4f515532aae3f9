import { Client } from 'pg';
import { expect, test } from 'vitest';
import { describeOnPostgres, freshDatabase } from './postgres.ts';

describeOnPostgres('the PostgreSQL of a test run', () => {
  test('every fresh database is empty and gone after drop', async () => {
    const [one, other] = [await freshDatabase(), await freshDatabase()];
    await rows(one.url, 'create table pond (id text)');

    expect(await rows(other.url, "select tablename from pg_tables where schemaname = 'public'")).toEqual([]);

    await one.drop();
    await expect(rows(one.url, 'select 1')).rejects.toThrow('does not exist');
    await other.drop();
  });

  test('a template is filled once, however many ask for it at the same time', async () => {
    let timesFilled = 0;
    const template = {
      name: 'template_with_one_pond',
      fill: async (url: string) => {
        timesFilled += 1;
        await rows(url, "create table pond as select 'north' as name");
      },
    };

    const databases = await Promise.all([template, template, template].map(freshDatabaseFrom));
    const names = await Promise.all(databases.map(({ url }) => rows(url, 'select name from pond')));

    expect({ timesFilled, names }).toEqual({
      timesFilled: 1,
      names: Array.from({ length: 3 }, () => [{ name: 'north' }]),
    });
    await Promise.all(databases.map((database) => database.drop()));
  });
});

function freshDatabaseFrom(template: Parameters<typeof freshDatabase>[0]) {
  return freshDatabase(template);
}

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
