import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { openTestDatabase } from '#test/databases.ts';

test('a unit waits for the disk, but one that may be lost, and the next on its connection waits again', async () => {
  const { database, close } = await openTestDatabase('postgres');
  const heard = () => sql<{ source: string }>`select source from heard order by n`.execute(database.read);
  for (const statement of [
    'create table heard (n serial, source text)',
    `create function hear() returns trigger language plpgsql as $$ begin
       insert into heard (source) select source from pg_settings where name = 'synchronous_commit';
       return new; end $$`,
    'create trigger hear after insert on instance_values for each row execute function hear()',
  ])
    await sql.raw(statement).execute(database.read);
  const commit = (id: string, how: { mayBeLost?: true }) =>
    database.commit({ actor: null, changes: [put(instanceValue, { id, value: '1' })], ...how });
  await commit('one', {});
  await commit('two', { mayBeLost: true });
  await commit('three', {});
  const [asEver, ...others] = (await heard()).rows.map(({ source }) => source);
  expect(asEver).not.toBe('session');
  expect(others).toEqual(['session', asEver]);
  await close();
});
