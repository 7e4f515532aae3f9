import type { Violation } from './check.ts';
import { heal, revive } from './faults.ts';
import { judgeHealed } from './simulate.ts';
import type { Side } from './things.ts';
import { createPairedWorld, type Parts, type World } from './world.ts';

// One small thing that the two sides do, with the power going before every single statement of it.

export type Scenario = {
  name: string;
  /** Before the power may go. */
  arrange(world: World): Promise<unknown>;
  /** While it may. */
  act(world: World): Promise<unknown>;
  side: Side;
};

const ALL_OF_THE_FIRST = 5;

export type CrashResult = { points: number; violations: (Violation & { at: number })[] };

/** `every` > 1 leaves out points in between, for a shorter look; `skip` of them before the first it takes. */
export async function crashEverywhere(
  scenario: Scenario,
  { image, every = 1, skip = 0, parts }: { image: Buffer; every?: number; skip?: number; parts?: Parts },
): Promise<CrashResult> {
  const violations: CrashResult['violations'] = [];
  // the first points are where most begins and ends: a shorter look takes them all
  for (let at = 1; ; at += at < ALL_OF_THE_FIRST ? 1 : at === ALL_OF_THE_FIRST ? every - skip : every) {
    const found = await crashAt(scenario, at, { image, ...(parts === undefined ? {} : { parts }) });
    if (found === 'came to the end') return { points: at - 1, violations };
    violations.push(...found.map((violation) => ({ ...violation, at })));
  }
}

async function crashAt(
  { arrange, act, side }: Scenario,
  at: number,
  options: { image: Buffer; parts?: Parts },
): Promise<Violation[] | 'came to the end'> {
  const world = await createPairedWorld({ seed: 7, ...options });
  try {
    await world.pass(120_000);
    await arrange(world);
    const { breakable } = world[side].run();
    breakable.dieBefore(at);
    try {
      await act(world);
      await world.settle();
    } catch (error) {
      if (!breakable.isDead()) throw error;
    }
    if (!breakable.isDead()) return 'came to the end';
    await revive(world);
    await heal(world);
    return await judgeHealed(world);
  } finally {
    await world.close();
  }
}
