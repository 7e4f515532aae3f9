import { sql } from 'kysely';
import { allResources } from '#contract/resources/all.ts';
import type { App } from './app.ts';

/** Tables in which some row has this text, deleted or not; the change log keeps its last changes whole. */
export async function tablesThatSay({ database }: Pick<App, 'database'>, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, row } of allResources) {
    if (name === 'idempotent_answers') continue;
    const columns = Object.keys(row.shape).map((column) => sql`cast(${sql.ref(column)} as text)`);
    const hits = await sql<{ id: string }>`select id from ${sql.table(name)}
      where ${sql.join(
        columns.map((column) => sql`${column} like ${`%${text}%`}`),
        sql` or `,
      )}`.execute(database.read);
    if (hits.rows.length > 0) found.push(name);
  }
  return found;
}
