import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forgetFeeds } from '#adapters/sync/forget-feed.ts';
import { goBack } from './faults.ts';
import { bind, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM, STREAM } from './paired-farm.ts';
import { agreed, farmInStep, MINUTE_MS, NO_LINE, namesOn, pushWithoutAnswer, rename } from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { World } from './world.ts';

// One conflict is one real loss. Whoever is told that their value was replaced was replaced by somebody who had not seen
// it; and of every such value it is told, on whichever side it was found.

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function aFarm(): Promise<World> {
  const world = await farmInStep({ image });
  worlds.push(world);
  return world;
}

const wordsTold = async (world: World, side: 'gateway' | 'hosted') =>
  (await world[side].replica.read('select dropped_json from sync_conflicts')).map(
    ({ dropped_json }) => (JSON.parse(String(dropped_json)) as { name: string }).name,
  );

/** Of a word that both sides find it is one conflict, by one id. */
const told = async (world: World) =>
  [...new Set([...(await wordsTold(world, 'gateway')), ...(await wordsTold(world, 'hosted'))])].toSorted();

/** The line is back, and everything is compared. */
async function compared(world: World): Promise<void> {
  await world.gateway.run().paired();
  world.network.setWeather(CALM);
  await world.pass(10 * MINUTE_MS);
}

async function points({ gateway, hosted }: World) {
  const [here = {}] = await gateway.replica.read('select * from sync_stream where stream_id = 1');
  const [there = {}] = await hosted.replica.read(`select * from sync_stream where stream_id = ${STREAM}`);
  return { gateway: here, hosted: there };
}

/** The line is good until both stand like that, and is cut then. */
async function until(
  world: World,
  stands: (at: Awaited<ReturnType<typeof points>>) => Promise<boolean>,
): Promise<void> {
  world.network.setWeather(CALM);
  for (let look = 0; look < 50_000 && !(await stands(await points(world))); look += 1) await world.pass(2);
  world.network.setWeather(NO_LINE);
  expect(await stands(await points(world))).toBe(true);
}

describe('nobody is told of a word that whoever wrote over it had seen', () => {
  it('where the cloud wrote over a word of the farm, and everything is compared before the farm hears of it', async () => {
    const world = await aFarm();
    await rename(world, 'gateway', 'at the farm');
    await world.pass(2 * MINUTE_MS);
    world.network.setWeather(NO_LINE);
    await rename(world, 'hosted', 'then in the cloud');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['then in the cloud', 'then in the cloud']);
    expect(await told(world)).toEqual([]);
  });

  it('where the answer that the word of the farm had come was lost', async () => {
    const world = await aFarm();
    await rename(world, 'gateway', 'at the farm');
    await pushWithoutAnswer(world);
    world.network.setWeather(NO_LINE);
    await world.pass(2 * MINUTE_MS);
    await rename(world, 'hosted', 'then in the cloud');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['then in the cloud', 'then in the cloud']);
    expect(await told(world)).toEqual([]);
  });

  it('where the word of the farm was told by a comparison, and another one follows', async () => {
    const world = await aFarm();
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'at the farm');
    await compared(world);
    world.network.setWeather(NO_LINE);
    await rename(world, 'hosted', 'then in the cloud');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['then in the cloud', 'then in the cloud']);
    expect(await told(world)).toEqual([]);
  });

  it('where the farm had no gateway, and the cloud wrote more than once', async () => {
    const world = await aFarm();
    await rename(world, 'gateway', 'at the farm');
    await world.pass(2 * MINUTE_MS);
    world.network.setWeather(NO_LINE);
    expect(await takeOff(world, FARM)).toBe(true);
    await rename(world, 'hosted', 'then in the cloud');
    await rename(world, 'hosted', 'at last in the cloud');
    await compared(world);
    expect(await bind(world, FARM)).toBe(true);
    await world.pass(10 * MINUTE_MS);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['at last in the cloud', 'at last in the cloud']);
    expect(await told(world)).toEqual([]);
  });
});

it('what was noted of a farm without a gateway goes a day after it was compared with one, or with the farm', async () => {
  const world = await aFarm();
  const noted = () => world.hosted.replica.read('select field_group from sync_bases order by field_group');
  await rename(world, 'hosted', 'on the gateway');
  expect(await takeOff(world, FARM)).toBe(true);
  expect(await noted()).toEqual([]);
  await rename(world, 'hosted', 'in the cloud');
  expect(await noted()).toEqual([{ field_group: 'name' }]);
  expect(await bind(world, FARM)).toBe(true);
  await world.pass(10 * MINUTE_MS);
  const forget = () => forgetFeeds(world.hosted.run().database, { now: () => world.wallTime('hosted') });
  await forget();
  expect(await noted()).toEqual([{ field_group: 'name' }]);
  await world.pass(24 * 60 * MINUTE_MS);
  await forget();
  expect(await noted()).toEqual([]);
});

describe('a word is told as replaced', () => {
  it('where the farm had heard nothing of it, and everything is compared', async () => {
    const world = await aFarm();
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'at the farm');
    await world.pass(MINUTE_MS);
    await rename(world, 'hosted', 'in the cloud');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['in the cloud', 'in the cloud']);
    expect(await told(world)).toEqual(['at the farm']);
  });

  it.each([
    ['in the cloud', 'then in the cloud', 0],
    ['at the farm', 'at the farm', 2 * MINUTE_MS],
  ])(
    'where the farm told it as the row stands, and hears of nothing before everything is compared again: the later one was %s',
    async (_, stands, aheadMs) => {
      const world = await aFarm();
      world.network.setWeather(NO_LINE);
      world.setClock('gateway', aheadMs);
      await rename(world, 'gateway', 'at the farm');
      await world.gateway.run().paired();
      await until(world, async ({ gateway }) => gateway['epoch'] === 3 && gateway['resync'] === null);
      await rename(world, 'hosted', 'then in the cloud');
      await until(world, async ({ gateway, hosted }) => hosted['in_core_seq'] === gateway['core_seq']);
      const { gateway, hosted } = await points(world);
      expect(gateway['in_core_seq']).toBeLessThan(Number(hosted['core_seq']));
      await compared(world);
      await agreed(world);
      expect(await namesOn(world)).toEqual([stands, stands]);
      const lost = stands === 'at the farm' ? 'then in the cloud' : 'at the farm';
      expect(await told(world)).toEqual([lost]);
    },
  );

  it('where the cloud lost that it had heard it, and somebody wrote there again', async () => {
    const world = await aFarm();
    const before = await world.hosted.replica.image();
    await rename(world, 'gateway', 'at the farm');
    await world.pass(2 * MINUTE_MS);
    world.network.setWeather(NO_LINE);
    await goBack(world, 'hosted', before);
    await world.pass(MINUTE_MS);
    await rename(world, 'hosted', 'in the cloud');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['in the cloud', 'in the cloud']);
    expect(await told(world)).toEqual(['at the farm']);
  });

  it('where the farm had no gateway, and nobody in the cloud had heard it', async () => {
    const world = await aFarm();
    world.network.setWeather(NO_LINE);
    expect(await takeOff(world, FARM)).toBe(true);
    await rename(world, 'gateway', 'at the farm');
    await world.pass(MINUTE_MS);
    await rename(world, 'hosted', 'in the cloud');
    await compared(world);
    expect(await bind(world, FARM)).toBe(true);
    await world.pass(10 * MINUTE_MS);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['in the cloud', 'in the cloud']);
    expect(await told(world)).toEqual(['at the farm']);
  });
});
