import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATED } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { goBack } from './faults.ts';
import { takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import { createPostgresReplica } from './postgres-replica.ts';
import type { Replica } from './replica.ts';
import { judgeHealed } from './simulate.ts';
import {
  agreed,
  aPond,
  farmInStep,
  MINUTE_MS,
  NO_LINE,
  nameOn,
  namesOn,
  pondsOn,
  rename,
} from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { Side } from './things.ts';
import type { World } from './world.ts';

// A hosted instance of an older version, one of whose processes stamped by a clock two years ahead: what it drew into the
// future is brought back.

const TWO_YEARS_MS = 2 * 365 * 24 * 60 * MINUTE_MS;

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

function scenarios(replica: () => Promise<Replica | undefined>): void {
  /** Both sides wrote while the clock was wrong, both know everything, and the clock is right again. */
  async function aFarmDrawnAlong(): Promise<World> {
    const hostedReplica = await replica();
    const world = await farmInStep({ image, ...(hostedReplica === undefined ? {} : { hostedReplica }) });
    worlds.push(world);
    world.setClock('hosted', TWO_YEARS_MS);
    await rename(world, 'hosted', 'by the wrong clock');
    await world.write('hosted', aPond('V-01'));
    await world.pass(5 * MINUTE_MS);
    await world.write('gateway', aPond('V-02'));
    world.setClock('hosted', 0);
    await rename(world, 'gateway', 'at the farm, in the future');
    await world.pass(10 * MINUTE_MS);
    expect(await namesOn(world)).toEqual(['at the farm, in the future', 'at the farm, in the future']);
    expect(await beyond(world, 'hosted')).not.toEqual([]);
    return world;
  }

  const comeBack = (world: World) =>
    world.hosted.run().database.commit({ actor: null, changes: [], returnStamps: true });

  it('has nothing in the future afterwards, on either side, and both are equal', async () => {
    const world = await aFarmDrawnAlong();
    expect((await comeBack(world)).returned).toMatchObject({ streams: 1 });
    expect(await beyond(world, 'hosted')).toEqual([]);
    await agreed(world);
    expect(await beyond(world, 'gateway')).toEqual([]);
    expect(await namesOn(world)).toEqual(['at the farm, in the future', 'at the farm, in the future']);
    const again = await comeBack(world);
    expect(again.returned).toEqual({ rows: 0, streams: 0 });
    // an edit of the farm is taken under its own stamp from now on
    await rename(world, 'gateway', 'today');
    await world.pass(5 * MINUTE_MS);
    const restamps = await world.hosted.replica.read('select * from sync_restamps where epoch > 2');
    expect(restamps).toEqual([]);
    expect(await namesOn(world)).toEqual(['today', 'today']);
  });

  it.each([
    ['the cloud', ['gateway', 'hosted']],
    ['the farm', ['hosted', 'gateway']],
  ] as const)(
    'lets the later edit win, of %s, though both were made before the line was back',
    async (_, order) => {
      const world = await aFarmDrawnAlong();
      world.network.setWeather(NO_LINE);
      await comeBack(world);
      for (const side of order) {
        await rename(world, side, `by the ${side}`);
        await world.pass(MINUTE_MS);
      }
      await agreed(world);
      expect(await namesOn(world)).toEqual([`by the ${order[1]}`, `by the ${order[1]}`]);
      expect(await beyond(world, 'gateway')).toEqual([]);
      expect(await beyond(world, 'hosted')).toEqual([]);
    },
  );

  it.each([
    ['the cloud', ['gateway', 'hosted']],
    ['the farm', ['hosted', 'gateway']],
  ] as const)(
    'lets the later edit win, of %s, though the gateway was started anew in between',
    async (_, order) => {
      const world = await aFarmDrawnAlong();
      world.network.setWeather(NO_LINE);
      await comeBack(world);
      for (const side of order) {
        await world.pass(MINUTE_MS);
        await rename(world, side, `by the ${side}`);
      }
      await world.gateway.start();
      await agreed(world);
      expect(await namesOn(world)).toEqual([`by the ${order[1]}`, `by the ${order[1]}`]);
    },
  );

  it('keeps an edit at the farm that the cloud had not confirmed when it came back', async () => {
    const world = await aFarmDrawnAlong();
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'not told yet');
    await world.pass(MINUTE_MS);
    await comeBack(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['not told yet', 'not told yet']);
  });

  it('does not win on a card that goes back to the time of the wrong clock', async () => {
    const world = await aFarmDrawnAlong();
    const card = await world.gateway.replica.image();
    await comeBack(world);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'written later');
    await world.pass(10 * MINUTE_MS);
    await goBack(world, 'gateway', card);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['written later', 'written later']);
    expect(await beyond(world, 'gateway')).toEqual([]);
  });

  it('keeps an edit of the wrong clock over what was written a moment before by the right one', async () => {
    const world = await aFarmDrawnAlong();
    await comeBack(world);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'by the right clock');
    await world.pass(MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('by the right clock');
    world.network.setWeather(NO_LINE);
    world.setClock('hosted', 60 * MINUTE_MS);
    await rename(world, 'hosted', 'acknowledged by the wrong clock');
    // its clock runs on wrongly, and something else is written
    world.setClock('hosted', TWO_YEARS_MS);
    await world.write('hosted', aPond('V-03'));
    world.setClock('hosted', 0);
    await comeBack(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual([
      'acknowledged by the wrong clock',
      'acknowledged by the wrong clock',
    ]);
    expect(await beyond(world, 'gateway')).toEqual([]);
  });

  it('keeps the later of two edits of the wrong clock, though the farm knows the earlier one alone', async () => {
    const world = await aFarmDrawnAlong();
    world.setClock('hosted', 2 * TWO_YEARS_MS);
    // of its moment it is the second stamp
    await world.write('hosted', aPond('V-03'));
    await rename(world, 'hosted', 'the earlier one');
    await world.pass(MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('the earlier one');
    world.network.setWeather(NO_LINE);
    await world.pass(1_000);
    await rename(world, 'hosted', 'the later one');
    world.setClock('hosted', 12 * TWO_YEARS_MS);
    await world.write('hosted', aPond('V-04'));
    world.setClock('hosted', 0);
    await comeBack(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['the later one', 'the later one']);
  });

  it('is in order after a second return, also for a card of before the first one', async () => {
    const world = await aFarmDrawnAlong();
    const card = await world.gateway.replica.image();
    await comeBack(world);
    await world.pass(10 * MINUTE_MS);
    world.setClock('hosted', 2 * TWO_YEARS_MS);
    await rename(world, 'hosted', 'by a clock four years ahead');
    await world.pass(5 * MINUTE_MS);
    world.setClock('hosted', 0);
    await comeBack(world);
    await goBack(world, 'gateway', card);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['by a clock four years ahead', 'by a clock four years ahead']);
  });
}

describe('what an older version drew into the future', () => {
  scenarios(async () => undefined);

  it('comes back of a farm that no gateway runs, too', async () => {
    const world = await farmInStep({ image });
    worlds.push(world);
    await takeOff(world, FARM);
    await world.pass(5 * MINUTE_MS);
    world.setClock('hosted', TWO_YEARS_MS);
    await rename(world, 'hosted', 'by the wrong clock');
    world.setClock('hosted', 0);
    expect(await beyond(world, 'hosted')).not.toEqual([]);
    await world.hosted.start();
    expect(await beyond(world, 'hosted')).toEqual([]);
    expect(await nameOn(world, 'hosted')).toBe('by the wrong clock');
  });

  it('keeps an edit at the farm over one that a clock ahead by minutes had set', async () => {
    const world = await farmInStep({ image });
    worlds.push(world);
    world.setClock('hosted', 8 * MINUTE_MS);
    await rename(world, 'hosted', 'minutes ahead');
    await world.pass(2 * MINUTE_MS);
    world.setClock('hosted', TWO_YEARS_MS);
    await world.write('hosted', aPond('V-01'));
    await world.pass(2 * MINUTE_MS);
    expect(await pondsOn(world, 'gateway')).toEqual(['V-01']);
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'made over it at the farm');
    world.setClock('hosted', 0);
    await world.hosted.start();
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('made over it at the farm'));
  });

  it.each([
    ['a clock that was behind, and is right again', -40 * 24 * 60],
    ['a clock that was minutes ahead, before the gateway is back', 10],
  ])('leaves an edit that the cloud made after the return of %s', async (_, minutes) => {
    const world = await farmInStep({ image });
    worlds.push(world);
    if (minutes > 0) world.setClock('hosted', minutes * MINUTE_MS);
    await rename(world, 'hosted', 'known to both');
    await world.pass(2 * MINUTE_MS);
    expect(await namesOn(world)).toEqual(Array(2).fill('known to both'));
    world.network.setWeather(NO_LINE);
    world.setClock('hosted', Math.min(0, minutes * MINUTE_MS));
    await world.hosted.start();
    await rename(world, 'hosted', 'made over it');
    world.setClock('hosted', 0);
    await world.pass(30 * MINUTE_MS);
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('made over it'));
    // what it made since then is newer than all of it, though everything is compared once more
    await rename(world, 'gateway', 'at the farm');
    await world.gateway.run().paired();
    await agreed(world);
    expect(await namesOn(world)).toEqual(Array(2).fill('at the farm'));
  });

  it('stands alike on both sides though both edited in the same moment and nothing was brought back', async () => {
    const world = await farmInStep({ image });
    worlds.push(world);
    world.setClock('hosted', TWO_YEARS_MS);
    await rename(world, 'hosted', 'by the wrong clock');
    await world.pass(5 * MINUTE_MS);
    world.setClock('hosted', 0);
    // the cloud's edit is heard before the own one is confirmed
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'at the farm');
    await rename(world, 'hosted', 'in the cloud');
    world.network.setWeather(CALM);
    world.network.loseNext('push', 20);
    await world.pass(10 * MINUTE_MS);
    expect(await nameOn(world, 'gateway')).toBe('in the cloud');
    // its stamps lie ahead until they are brought back
    const found = (await judgeHealed(world)).filter(({ rule }) => rule !== 'no stamp is ahead of its time');
    expect(found).toEqual([]);
    // the later one of both
    expect(await namesOn(world)).toEqual(['in the cloud', 'in the cloud']);
  });
});

describeOnPostgres('what an older version drew into the future, on PostgreSQL', () => {
  scenarios(() => createPostgresReplica(MIGRATED));
});

/** Stamps of a side's registers and stream that lie more than five minutes ahead. */
async function beyond(world: World, side: Side): Promise<unknown[]> {
  const limit = (world.wallTime('hosted') + 5 * MINUTE_MS + 1).toString(16).padStart(12, '0');
  const registers = await world[side].replica.read('select id, hlc, over_json from sync_register');
  const streams = await world[side].replica.read('select stream_id, hlc from sync_stream');
  const stamps = registers.flatMap(({ id, hlc, over_json }) => [
    [id, String(hlc)],
    ...Object.values(JSON.parse(String(over_json)) as Record<string, string>).map((stamp) => [id, stamp]),
  ]);
  return [
    ...stamps,
    ...streams.map(({ stream_id, hlc }) => [stream_id, typeof hlc === 'string' ? hlc : '']),
  ].filter(([, stamp]) => String(stamp) > limit);
}
