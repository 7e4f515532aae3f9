import { workOnFarm } from './farm-work.ts';
import { startGateway } from './gateway-box.ts';
import { createSqliteReplica } from './sqlite-replica.ts';
import { settled } from './virtual-time.ts';
import type { World } from './world.ts';

export type Clone = {
  /** Somebody writes at the second box. */
  work(): Promise<void>;
  settle(): Promise<void>;
  /** What only it had goes with it. */
  takeAway(): Promise<void>;
};

/** Starts a second box with a copy of the gateway's card, key and all. */
export async function createClone(world: World): Promise<Clone> {
  const replica = createSqliteReplica(world.gatewayBytes());
  const now = () => world.wallTime('gateway');
  const run = await startGateway({
    replica,
    chance: world.chance,
    now,
    time: world.time,
    network: world.network,
    hosted: () => world.hosted.run(),
    count: () => undefined,
    trace: (line) => world.trace(`second box: ${line}`),
  });
  let words = 100_000;
  return {
    async work() {
      words += 1;
      const done = await workOnFarm({
        side: 'gateway',
        chance: world.chance,
        now,
        read: replica.read,
        commit: run.database.commit,
        nextWord: () => words,
      });
      if (done !== null) await world.note('gateway', done.committed);
    },
    settle: () => settled(() => run.breakable.statements() + world.network.counts.asked),
    async takeAway() {
      await replica.close();
      await world.excuse('gateway');
    },
  };
}
