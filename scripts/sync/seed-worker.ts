import { simulate } from '../../test/sync/sim/simulate.ts';
import { freshImage } from '../../test/sync/sim/sqlite-replica.ts';
import { programOf } from './older-schema.ts';
import type { WorkerOptions, WorkerSays } from './seed-range.ts';

// One process of seed-range.ts.

const image = freshImage();
const say = (said: WorkerSays) => process.send?.(said);

// sent by seed-range.ts
process.on('message', (options: WorkerOptions) => {
  run(options).catch((error: unknown) => say({ is: 'failed', why: String(error) }));
});

async function run({ seeds, steps, isMixed }: WorkerOptions): Promise<void> {
  for (const seed of seeds) {
    const { violations, counts } = await simulate({
      seed,
      image,
      ...(steps === undefined ? {} : { steps }),
      ...(isMixed === true ? { programOf } : {}),
    });
    say({ is: 'seed', seed, violations, counts });
  }
}
