import { beforeAll, describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';
import { freshImage } from './sqlite-replica.ts';

// The short form of `npm run soak -- --sync 100000`. SYNC_SEED repeats a seed that failed, SYNC_SEEDS says how many.

const FROM = Number(process.env['SYNC_SEED'] ?? 1);
const SEEDS = Number(process.env['SYNC_SEEDS'] ?? (process.env['SYNC_SEED'] === undefined ? 40 : 1));

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

describe('a farm at work while line, clocks, power and disks fail', () => {
  it('loses nothing, doubles nothing and comes to one end on both sides', { timeout: 300_000 }, async () => {
    const failed: unknown[] = [];
    for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
      const { violations } = await simulate({ seed, image });
      if (violations.length > 0) failed.push({ again: `SYNC_SEED=${seed}`, violations });
    }
    expect(failed).toEqual([]);
  });

  it('does the same again for the same seed', { timeout: 180_000 }, async () => {
    const [first, second, other] = [
      await simulate({ seed: 11, image }),
      await simulate({ seed: 11, image }),
      await simulate({ seed: 12, image }),
    ];
    expect(second.traceHash).toBe(first.traceHash);
    expect(other.traceHash).not.toBe(first.traceHash);
  });
});
