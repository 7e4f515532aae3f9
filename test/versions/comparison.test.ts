import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { describeOnPostgres } from '#test/postgres.ts';
import { packageOf, TODAY, whyNoVersion } from '../../scripts/versions/version-package.ts';
import { startTwoVersions, type TwoVersions } from './two-versions.ts';

// Both sides add up what they hold, each as far as the other's program knows the rows. One of schema 8 knows nothing of
// schedules that move, and compares entries of the log that were made of a cause by every word.

/** The last commit whose sync has schema 8. */
const OF_SCHEMA_8 = '8d199167';
/** A gateway looks twice a minute whether a comparison is due, and is put off by five minutes where something is under way. */
const BY_THEN = { timeout: 480_000, interval: 500 };

type Compared = { at: number; schema?: number; repaired: number; tables: string[] };

function onCard<Answer>({ gateway }: TwoVersions, look: (card: BetterSqlite.Database) => Answer): Answer {
  const card = new BetterSqlite(join(gateway.data, 'farm.db'));
  try {
    return look(card);
  } finally {
    card.close();
  }
}

const lastComparison = (farm: TwoVersions): Compared | null =>
  onCard(farm, (card) => {
    const row = card.prepare(`select value from instance_values where id = 'sync_compared'`).get();
    return row === undefined ? null : (JSON.parse((row as { value: string }).value) as Compared);
  });

/** The next start compares as if for the first time. */
async function compared(farm: TwoVersions): Promise<Compared> {
  await farm.settle();
  await farm.gateway.stop();
  onCard(farm, (card) => card.prepare(`delete from instance_values where id = 'sync_compared'`).run());
  await farm.gateway.start();
  await expect.poll(() => lastComparison(farm), BY_THEN).not.toBeNull();
  return lastComparison(farm) as Compared;
}

const why = whyNoVersion(OF_SCHEMA_8);
const title = `a comparison between schema 8 and today's${why === null ? '' : ` (not looked at: ${why})`}`;
(why === null ? describeOnPostgres : describe.skip)(title, () => {
  // each waits for minutes until its comparison is due: both wait at once
  it.concurrent.each([
    ['a gateway of schema 8 with today’s hosted instance', packageOf, () => TODAY],
    ['today’s gateway with a hosted instance of schema 8', () => TODAY, packageOf],
  ] as const)(
    '%s finds what is alike alike, also what the older one does not know',
    { timeout: 1_200_000 },
    async (_of, here, there) => {
      const farm = await startTwoVersions({ gateway: here(OF_SCHEMA_8), hosted: [there(OF_SCHEMA_8)] });
      try {
        const [hosted] = farm.hosted;
        if (hosted === undefined) throw new Error('no process');
        await farm.write('gateway', { make: 1 });
        await farm.settle();
        await farm.write(hosted, { make: 2, edit: [1] });
        await farm.settle();
        await farm.write('gateway', { edit: [2] });
        // what the older program keeps aside until its upgrade is no difference either
        const told = await compared(farm);
        expect(told).toMatchObject({ schema: 8, tables: [], repaired: 0 });
      } finally {
        await farm.close();
      }
    },
  );
});
