import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { databaseFile } from '#runtime/config.ts';
import type { App } from './app.ts';

/**
 * Where a text stands of all that an instance stores: every table that the engine itself names, so that a new one is looked
 * into without being told here, and every file of the data folder.
 */
export async function placesThatSay(app: App, texts: readonly string[]): Promise<string[]> {
  const rows = (await Promise.all((await tablesOf(app)).map((table) => whereSaid(app, table, texts)))).flat();
  return [...rows, ...filesThatSay(app, texts)];
}

async function tablesOf({ database: { read, dialect } }: App): Promise<string[]> {
  const { rows } =
    dialect === 'sqlite'
      ? await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(read)
      : await sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(read);
  return rows.map(({ name }) => name);
}

async function whereSaid({ database: { read, dialect } }: App, table: string, texts: readonly string[]) {
  const found: string[] = [];
  if (dialect === 'postgres') {
    const { rows } = await sql<{
      said: string;
    }>`select cast(t.* as text) as said from ${sql.table(table)} as t`.execute(read);
    for (const { said } of rows)
      for (const text of texts) if (said.includes(text)) found.push(`${table}: ${text}`);
    return [...new Set(found)];
  }
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(read);
  for (const row of rows)
    for (const [column, value] of Object.entries(row))
      for (const text of texts) if (String(value).includes(text)) found.push(`${table}.${column}: ${text}`);
  return [...new Set(found)];
}

/** The database with its log, and whatever else lies there. */
function filesThatSay({ config }: App, texts: readonly string[]): string[] {
  const folders = new Set([config.data, join(databaseFile(config), '..')]);
  return [...folders].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const bytes = readFileSync(join(entry.parentPath, entry.name));
        return texts.filter((text) => bytes.includes(text)).map((text) => `file ${entry.name}: ${text}`);
      }),
  );
}
