import { afterEach, beforeAll, expect, it } from 'vitest';
import { bind, takeOff } from './moves.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import { agreed, aPond, farmInStep, MINUTE_MS, NO_LINE, namesOn, rename } from './small-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { World } from './world.ts';

// A stamp stands for one word. While a clock stands still stamps count up alone, and those of a farm without a gateway are
// set under no stream's lock: they count up beside those that are set in place of a gateway's.

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});
const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const DAYS_BEHIND_MS = -5 * 24 * 60 * MINUTE_MS;

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
  world.setClock('hosted', 0);
  await world.hosted.start();
  await agreed(world);
});
