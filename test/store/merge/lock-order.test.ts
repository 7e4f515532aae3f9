import { expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { OPS, type WireChange } from '#contract/sync/wire.ts';
import { type Change, insert, put, tell, update } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { formatHlc } from '#store/hlc.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { MIGRATED } from '#test/databases.ts';
import { describeOnPostgres, freshDatabase } from '#test/postgres.ts';
import { aFarm, ana, aPond, at, idOf, norte } from './rows.ts';
import { logged, pair, STREAM, streamOf } from './two-sides.ts';

const OTHER = 3;
const sul = idOf(2, 2);
const ROUNDS = 5;
/** Of each kind at once; no more than the pools hold, so that nobody waits for a connection. */
const AT_ONCE = 2;
const MOST_RUNS = 20;

describeOnPostgres('two processes on one database', () => {
  it('write to two streams in opposite orders without standing in each other’s way, and no number is missing', async () => {
    const fresh = await freshDatabase(MIGRATED);
    const processes = ['c0000001', 'c0000002'].map((node) =>
      openPostgres(
        connectPostgres(fresh.url, 6),
        { streams: 'by scope', now: () => Date.UTC(2026, 2, 1, 12), monotonic: () => 0, bootId: node, node },
        (error) => {
          throw error;
        },
      ),
    ) as [Database, Database];
    const [one, two] = processes;
    await pair(one);
    await pair(one, OTHER);
    await one.commit({
      actor: ana,
      changes: [
        insert(farm, aFarm()),
        insert(farm, aFarm({ id: sul })),
        put(syncFarm, { id: norte, stream_id: STREAM, bound_at: at }),
        put(syncFarm, { id: sul, stream_id: OTHER, bound_at: at }),
        insert(pond, aPond(1)),
        insert(pond, aPond(2, { farm_id: sul })),
      ],
    });
    const runs = { again: 0 };
    const commit = async (database: Database, ...changes: Change[]) => {
      for (let run = 1; ; run += 1) {
        try {
          return await database.commit({ actor: ana, changes });
        } catch (error) {
          // what callers do as well
          if (!(error instanceof StaleError) || run === MOST_RUNS) throw error;
          runs.again += 1;
        }
      }
    };
    const heads = async () =>
      [(await streamOf(one, STREAM)).core_seq, (await streamOf(one, OTHER)).core_seq] as const;
    const before = await heads();
    const renamed = (n: number): WireChange => ({
      seq: n,
      tx: 1,
      entity: user.entity,
      id: ana,
      op: OPS.put,
      cl: 1,
      hlc: formatHlc(Date.UTC(2026, 2, 1, 12) + n, 0, '0aaa0001'),
      over: null,
      base: { name: '' },
      body: { name: { name: `Ana ${n}` } },
      actor: null,
      sv: 1,
      chain: '',
    });
    const push = (database: Database, streamId: number, n: number) =>
      database.commit({
        actor: null,
        changes: [],
        incoming: { from: 'gateway', streamId, lane: 'core', changes: [renamed(n)] },
      });
    const unitsOf = (n: number) => [
      commit(
        one,
        update(pond, aPond(1).id, { size_m2: n + 1 }),
        update(pond, aPond(2).id, { size_m2: n + 1 }),
      ),
      commit(two, tell(pond, aPond(2).id, OTHER), tell(pond, aPond(1).id, STREAM)),
      commit(two, update(user, ana, { name: `Dona Ana ${n}` })),
      // each gateway says something of a person whom the other one knows
      push(one, STREAM, 2 * n + 1),
      push(two, OTHER, 2 * n + 2),
    ];
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => unitsOf(round * AT_ONCE + n)).flat());
    for (const streamId of [STREAM, OTHER]) {
      const all = await logged(one, streamId);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, place) => place + 1));
      let chain = '';
      for (const change of all) {
        chain = chainAfter(chain, change);
        expect(change.chain).toBe(chain);
      }
      expect((await streamOf(one, streamId)).core_chain).toBe(chain);
    }
    const after = await heads();
    // of each pond once, of what was told once, of the person once, and once to the gateway that spoke of the person
    expect(after.map((seq, place) => seq - (before[place] ?? 0))).toEqual([
      4 * ROUNDS * AT_ONCE,
      4 * ROUNDS * AT_ONCE,
    ]);
    expect(runs.again).toBeLessThan(ROUNDS * AT_ONCE);
    for (const { close } of processes) await close();
    await fresh.drop();
  });
});
