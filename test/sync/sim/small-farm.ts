import { expect } from 'vitest';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { insert, update } from '#core/changes.ts';
import { CALM, type Weather } from './network.ts';
import { FARM } from './paired-farm.ts';
import { judgeHealed } from './simulate.ts';
import type { Side } from './things.ts';
import { createPairedWorld, type World, type WorldOptions } from './world.ts';

// A farm on which two people write little, so that a test can say who wrote what and when.

export const MINUTE_MS = 60_000;
export const NO_LINE: Weather = { ...CALM, lost: 1 };

/** A farm whose gateway has met its hosted instance and knows all of it. */
export async function farmInStep(options: Omit<WorldOptions, 'seed'>): Promise<World> {
  const world = await createPairedWorld({ seed: 1, ...options });
  await world.pass(2 * MINUTE_MS);
  expect(await nameOn(world, 'gateway')).toBe('Fazenda Aurora');
  return world;
}

export const rename = (world: World, side: Side, name: string): Promise<void> =>
  world.write(side, update(farm, FARM, { name, updated_at: new Date(world.wallTime(side)).toISOString() }));

export async function nameOn(world: World, side: Side): Promise<unknown> {
  const [row] = await world[side].replica.read(`select name from farms where id = '${FARM}'`);
  return row?.['name'];
}

export async function namesOn(world: World): Promise<unknown[]> {
  return [await nameOn(world, 'gateway'), await nameOn(world, 'hosted')];
}

export async function pondsOn(world: World, side: Side): Promise<unknown[]> {
  const rows = await world[side].replica.read('select cod from ponds order by cod');
  return rows.map(({ cod }) => cod);
}

export function aPond(cod: string) {
  return insert(pond, {
    id: `40000000-0000-4000-8000-0000000000${cod.slice(-2)}`,
    numeric_id: Number(cod.slice(-2)),
    farm_id: FARM,
    cod,
    pond_type: null,
    size_m2: null,
    depth_m: null,
    lat: null,
    lng: null,
    aerator_count: 0,
    control_point_id: null,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: null,
  });
}

/** The push arrives and its answer does not. */
export async function pushWithoutAnswer(world: World): Promise<void> {
  world.network.loseNext('answer');
  await world.pass(1_000);
}

/** The line is good, and in the end both sides hold the same and nothing is lost. */
export async function agreed(world: World): Promise<void> {
  world.network.setWeather(CALM);
  expect(await judgeHealed(world)).toEqual([]);
}
