import { beforeAll, expect, it } from 'vitest';
import { farm } from '#contract/resources/farms.ts';
import { update } from '#core/changes.ts';
import { isWhole, turnOf } from '#test/turn.ts';
import { crashEverywhere, type Scenario } from './crash-points.ts';
import { goBack } from './faults.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import type { Side } from './things.ts';
import type { World } from './world.ts';

// The power goes before a statement of small things, one run for each statement; nothing is lost and nothing hangs.
// Every thirty-third of them here, which three turns make every eleventh; all of them with SYNC_CRASH_EVERY=1.

const SECOND_MS = 1_000;
const EVERY = Number(process.env['SYNC_CRASH_EVERY'] ?? (isWhole ? 11 : 33));
const SKIP = EVERY === 33 ? turnOf(3) * 11 : 0;

async function busy(world: World, side: Side, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await world.work(side, { make: 8, edit: 6 });
}

/** Works on while the line is away, so that all of it travels in the act. */
async function apart(world: World, side: Side): Promise<void> {
  world.network.setWeather({ ...CALM, lost: 1 });
  await busy(world, side, 12);
  await world.pass(40 * SECOND_MS);
}

async function together(world: World): Promise<void> {
  world.network.setWeather(CALM);
  await world.pass(400 * SECOND_MS);
}

const pushed = { arrange: (world: World) => apart(world, 'gateway'), act: together };
const pulled = { arrange: (world: World) => apart(world, 'hosted'), act: together };
const ahead = {
  async arrange(world: World) {
    world.setClock('gateway', 30 * 24 * 3_600 * SECOND_MS);
    await apart(world, 'gateway');
    await world.write('hosted', update(farm, FARM, { name: 'written later' }));
  },
  act: together,
};
const goneBack = {
  async arrange(world: World) {
    await busy(world, 'gateway', 6);
    const card = await world.gateway.replica.image();
    await busy(world, 'gateway', 6);
    await world.pass(200 * SECOND_MS);
    await goBack(world, 'gateway', card);
    await busy(world, 'gateway', 4);
  },
  act: together,
};

const SCENARIOS: readonly Scenario[] = [
  { name: 'the hosted instance takes what a gateway sends', side: 'hosted', ...pushed },
  { name: 'a gateway hears that it was taken', side: 'gateway', ...pushed },
  { name: 'a gateway takes what the hosted instance has', side: 'gateway', ...pulled },
  { name: 'a gateway hears that its stamps were set right', side: 'gateway', ...ahead },
  { name: 'the hosted instance sets stamps right', side: 'hosted', ...ahead },
  { name: 'a gateway compares everything', side: 'gateway', ...goneBack },
  { name: 'the hosted instance tells everything', side: 'hosted', ...goneBack },
];

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

it.each(SCENARIOS)('$name, whenever the power goes', { timeout: 900_000 }, async (scenario) => {
  const { points, violations } = await crashEverywhere(scenario, { image, every: EVERY, skip: SKIP });
  expect(violations).toEqual([]);
  expect(points).toBeGreaterThan(10);
});
