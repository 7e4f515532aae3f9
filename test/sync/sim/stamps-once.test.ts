import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { goBack } from './faults.ts';
import { bind, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import {
  agreed,
  aPond,
  farmInStep,
  MINUTE_MS,
  NO_LINE,
  namesOn,
  pushWithoutAnswer,
  rename,
} from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { World } from './world.ts';

// A stamp stands for one word. While a clock stands still stamps count up alone, and those of a farm without a gateway are
// set under no stream's lock: they count up beside those that are set in place of a gateway's. Whose word a stamp is decides who
// had seen it.

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const DAYS_BEHIND_MS = -5 * 24 * 60 * MINUTE_MS;

const lostIn = async (world: World, side: 'gateway' | 'hosted') =>
  (await world[side].replica.read('select dropped_json from sync_conflicts')).map(
    (row) => row['dropped_json'],
  );

/** Everything is compared when the line is back. */
async function compared(world: World): Promise<void> {
  await world.gateway.run().paired();
  world.network.setWeather(CALM);
  await world.pass(10 * MINUTE_MS);
}

it('what a person wrote in the cloud while the farm was off its gateway is told as replaced, though the clock there was behind', async () => {
  const world = await farmInStep({ image });
  worlds.push(world);
  world.setClock('hosted', DAYS_BEHIND_MS);
  await rename(world, 'hosted', 'before it left');
  await world.pass(2 * MINUTE_MS);
  // of a time to come for the hosted instance, which sets the stamps after its own last one
  await world.write('gateway', aPond('V-01'));
  await world.pass(2 * MINUTE_MS);
  world.network.setWeather(NO_LINE);
  expect(await takeOff(world, FARM)).toBe(true);
  await rename(world, 'hosted', 'in the cloud');
  await rename(world, 'gateway', 'at the farm');
  await world.gateway.run().paired();
  world.network.setWeather(CALM);
  await world.pass(10 * MINUTE_MS);
  expect(await bind(world, FARM)).toBe(true);
  await world.pass(10 * MINUTE_MS);
  expect(await namesOn(world)).toEqual(['at the farm', 'at the farm']);
  const dropped = await world.hosted.replica.read('select field_group, dropped_json from sync_conflicts');
  expect(dropped).toEqual([{ field_group: 'name', dropped_json: '{"name":"in the cloud"}' }]);
  world.setClock('hosted', 0);
  await world.hosted.start();
  await agreed(world);
});

it('what a person wrote in the cloud over a word of the farm stands, though the gateway tells that word again and the clock there is behind', async () => {
  const world = await farmInStep({ image });
  worlds.push(world);
  world.setClock('hosted', DAYS_BEHIND_MS);
  await rename(world, 'gateway', 'at the farm');
  await world.pass(2 * MINUTE_MS);
  world.network.setWeather(NO_LINE);
  expect(await takeOff(world, FARM)).toBe(true);
  await rename(world, 'hosted', 'then in the cloud');
  // told once more, as it stands, and kept aside
  await world.gateway.run().paired();
  world.network.setWeather(CALM);
  await world.pass(10 * MINUTE_MS);
  expect(await bind(world, FARM)).toBe(true);
  await world.pass(10 * MINUTE_MS);
  expect(await namesOn(world)).toEqual(['then in the cloud', 'then in the cloud']);
  expect([await lostIn(world, 'gateway'), await lostIn(world, 'hosted')]).toEqual([[], []]);
  world.setClock('hosted', 0);
  await world.hosted.start();
  await agreed(world);
});

it.each([
  ['as the edit that it is', async () => undefined],
  ['as the row stands, after a comparison', (world: World) => world.gateway.run().paired()],
])(
  'what a person wrote at the farm over a word of the cloud stands, though the clock there was set back before the farm came: told %s',
  async (_, meanwhile) => {
    const world = await farmInStep({ image });
    worlds.push(world);
    expect(await takeOff(world, FARM)).toBe(true);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'in the cloud');
    world.setClock('hosted', DAYS_BEHIND_MS);
    expect(await bind(world, FARM)).toBe(true);
    await world.pass(10 * MINUTE_MS);
    expect(await namesOn(world)).toEqual(['in the cloud', 'in the cloud']);
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'then at the farm');
    await meanwhile(world);
    world.network.setWeather(CALM);
    await world.pass(10 * MINUTE_MS);
    expect(await namesOn(world)).toEqual(['then at the farm', 'then at the farm']);
    expect([await lostIn(world, 'gateway'), await lostIn(world, 'hosted')]).toEqual([[], []]);
    world.setClock('hosted', 0);
    await world.hosted.start();
    await agreed(world);
  },
);

describe.each([
  ['is right', 0],
  ['is ahead, so that its stamps are set anew', -DAYS_BEHIND_MS],
])('what a person wrote at a box whose clock %s', (_, aheadMs) => {
  async function aFarmWithItsCard() {
    const world = await farmInStep({ image });
    worlds.push(world);
    world.setClock('gateway', aheadMs);
    return { world, card: await world.gateway.replica.image() };
  }

  it('is told as replaced where it waited aside and lost against a later word of the cloud, though the card went back', async () => {
    const { world, card } = await aFarmWithItsCard();
    world.network.setWeather(NO_LINE);
    expect(await takeOff(world, FARM)).toBe(true);
    await rename(world, 'gateway', 'at the farm');
    await compared(world);
    await goBack(world, 'gateway', card);
    await world.pass(10 * MINUTE_MS);
    await rename(world, 'hosted', 'then in the cloud');
    expect(await bind(world, FARM)).toBe(true);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['then in the cloud', 'then in the cloud']);
    expect(await lostIn(world, 'hosted')).toEqual(['{"name":"at the farm"}']);
  });

  it.each([
    ['waited aside', (world: World) => takeOff(world, FARM), async () => true],
    ['stood in the cloud', async () => true, (world: World) => takeOff(world, FARM)],
  ])(
    'is told as replaced where it %s when somebody wrote anew on the card that had gone back',
    async (__, before, after) => {
      const { world, card } = await aFarmWithItsCard();
      await before(world);
      await rename(world, 'gateway', 'at the farm');
      await compared(world);
      await after(world);
      world.network.setWeather(NO_LINE);
      await goBack(world, 'gateway', card);
      await rename(world, 'gateway', 'anew at the farm');
      await compared(world);
      expect(await bind(world, FARM)).toBe(true);
      await agreed(world);
      expect(await namesOn(world)).toEqual(['anew at the farm', 'anew at the farm']);
      expect(await lostIn(world, 'hosted')).toEqual(['{"name":"at the farm"}']);
    },
  );

  it('is no conflict where the same person wrote over it, and everything is compared after that', async () => {
    const { world } = await aFarmWithItsCard();
    await rename(world, 'gateway', 'at the farm');
    await world.pass(5 * MINUTE_MS);
    world.network.setWeather(NO_LINE);
    await rename(world, 'gateway', 'then at the farm');
    await compared(world);
    await agreed(world);
    expect(await namesOn(world)).toEqual(['then at the farm', 'then at the farm']);
    expect([await lostIn(world, 'gateway'), await lostIn(world, 'hosted')]).toEqual([[], []]);
  });
});

it('a farm whose clock is ahead writes over its own word before it heard that the cloud set its stamp anew, and nobody is told of a loss', async () => {
  const world = await farmInStep({ image });
  worlds.push(world);
  world.setClock('gateway', 60 * MINUTE_MS);
  await rename(world, 'gateway', 'first');
  await pushWithoutAnswer(world);
  expect(await namesOn(world)).toEqual(['first', 'first']);
  await rename(world, 'gateway', 'second');
  await world.pass(10 * MINUTE_MS);
  expect(await namesOn(world)).toEqual(['second', 'second']);
  expect([await lostIn(world, 'gateway'), await lostIn(world, 'hosted')]).toEqual([[], []]);
  await agreed(world);
});
