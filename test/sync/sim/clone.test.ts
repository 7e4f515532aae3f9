import { beforeAll, expect, it } from 'vitest';
import { createClone } from './clone.ts';
import { judgeHealed } from './simulate.ts';
import { freshImage } from './sqlite-replica.ts';
import { createPairedWorld } from './world.ts';

// A card that was copied: two boxes with one key and one history, both at the line.

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

it.each([1, 2, 3])(
  'when the second box is taken away, the first and the hosted instance agree on all they wrote (%i)',
  { timeout: 180_000 },
  async (seed) => {
    const world = await createPairedWorld({ seed, image });
    try {
      await world.pass(120_000);
      for (let time = 0; time < 10; time += 1) await world.work(time % 2 === 0 ? 'gateway' : 'hosted');
      await world.pass(120_000);
      const clone = await createClone(world);
      for (let time = 0; time < 12; time += 1) {
        await world.work(world.chance.of(0.5) ? 'gateway' : 'hosted');
        await clone.work();
        await world.pass(world.chance.pick([500, 5_000, 60_000]));
        await clone.settle();
      }
      await clone.takeAway();
      expect(await judgeHealed(world)).toEqual([]);
    } finally {
      await world.close();
    }
  },
);
