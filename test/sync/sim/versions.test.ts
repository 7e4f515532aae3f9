import { expect, it } from 'vitest';
import { runSeeds } from '../../../scripts/sync/seed-range.ts';

// The short form of `npm run soak -- --sync 1000 --mixed`, in a process of its own: programs of an earlier schema are loaded
// beside today's there.

const FROM = Number(process.env['SYNC_SEED'] ?? 1);
const SEEDS = Number(process.env['SYNC_SEEDS'] ?? (process.env['SYNC_SEED'] === undefined ? 12 : 1));

// the first comparison ever came after an upgrade; what only one side heard of lay below something deleted; the row was told
// anew with the word that the gateway had just heard
const FAILED_ONCE = [92, 207, 221, 240, 796, 863] as const;

it('a farm one of whose sides is of an earlier version loses nothing, is told of no conflict that there was not, and has nothing left to fill in after the upgrade', {
  timeout: 300_000,
}, async () => {
  const { found, counts } = await runSeeds({ from: FROM, count: SEEDS, processes: 1, isMixed: true });
  expect(found).toEqual([]);
  for (const from of SEEDS > 1 ? FAILED_ONCE : [])
    expect((await runSeeds({ from, count: 1, processes: 1, isMixed: true })).found).toEqual([]);
  if (SEEDS > 1) {
    // both ways, and changes that the older program kept aside until then
    expect(counts['gateway is upgraded']).toBeGreaterThan(1);
    expect(counts['hosted is upgraded']).toBeGreaterThan(1);
  }
});

// An older program whose clock is apart from the cloud’s looks at history of a time to come as well, and knows fewer tables.
it.each([207, 240])(
  'an older program with a clock that is apart comes to the end of a comparison, seed %i',
  {
    timeout: 120_000,
  },
  async (from) => {
    const { found } = await runSeeds({ from, count: 1, processes: 1, isMixed: true });
    expect(found).toEqual([]);
  },
);
