import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { heal, revive } from './faults.ts';
import { modelOf, standing, standingOf } from './model.ts';
import { CALM, ROUGH } from './network.ts';
import { judgeHealed } from './simulate.ts';
import { freshImage } from './sqlite-replica.ts';
import type { Side } from './things.ts';
import { createPairedWorld, type World } from './world.ts';

// Whatever two instances do and however the line carries it, both end where the changes that were ever committed come
// to. Runs without lost disks: there the log of what was lost is gone, too. SYNC_SEED begins with other worlds.

const SEED = Number(process.env['SYNC_SEED'] ?? 20_261);

type Told = { sides: Set<Side> };
type Command = fc.AsyncCommand<Told, World>;

const side = fc.constantFrom<Side>('gateway', 'hosted');

function command(name: string, run: (world: World) => unknown): Command {
  return {
    check: () => true,
    async run(told, world) {
      told.sides.add('gateway');
      await run(world);
      await world.settle();
      await revive(world);
    },
    toString: () => name,
  };
}

const commands = [
  side.map((at) => command(`somebody writes on the ${at}`, (world) => world.work(at))),
  side.map((at) =>
    command(`both write, the ${at} first`, async (world) => {
      await world.work(at, { edit: 20 });
      await world.work(at === 'gateway' ? 'hosted' : 'gateway', { edit: 20 });
    }),
  ),
  fc
    .constantFrom(200, 2_000, 60_000, 400_000)
    .map((ms) => command(`${ms} ms pass`, (world) => world.pass(ms))),
  fc.constant(command('the line gets rough', ({ network }) => network.setWeather(ROUGH))),
  fc.constant(command('the line gets calm', ({ network }) => network.setWeather(CALM))),
  fc.constant(command('the gateway restarts', ({ gateway }) => gateway.start())),
  fc.constant(command('the hosted instance restarts', ({ hosted }) => hosted.start())),
  fc
    .integer({ min: -720, max: 720 })
    .map((hours) =>
      command(`the gateway's clock is ${hours} h off`, (world) =>
        world.setClock('gateway', hours * 3_600_000),
      ),
    ),
];

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

it('both instances stand where all changes together come to', { timeout: 180_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.commands(commands, { maxCommands: 40 }), async (seed, run) => {
      const world = await createPairedWorld({ seed, image });
      try {
        await world.pass(120_000);
        await fc.asyncModelRun(() => ({ model: { sides: new Set<Side>() }, real: world }), run);
        await heal(world);
        expect(await judgeHealed(world)).toEqual([]);
        const model = await modelOf(world.gateway.replica.read, world.hosted.replica.read);
        const { gateway, hosted } = await world.states();
        expect(standing(gateway)).toEqual(standingOf(model));
        expect(standing(hosted)).toEqual(standingOf(model));
      } finally {
        await world.close();
      }
    }),
    { numRuns: 40, seed: SEED },
  );
});
