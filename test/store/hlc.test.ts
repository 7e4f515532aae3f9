import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHlc, nextHlc } from '#store/hlc.ts';

describe('the logical clock', () => {
  it('only grows, whatever the wall clock does', () => {
    const wallWalk = fc.array(fc.integer({ min: 0, max: 4_102_444_800_000 }), {
      minLength: 1,
      maxLength: 100,
    });
    fc.assert(
      fc.property(wallWalk, (walls) => {
        let last: string | null = null;
        for (const wall of walls) {
          const next: string = nextHlc(last, wall, '00010002');
          if (last !== null) expect(next > last).toBe(true);
          last = next;
        }
      }),
    );
  });

  it('carries a full counter into the milliseconds instead of stopping the farm', () => {
    expect(nextHlc(formatHlc(1_000, 0xffff, 'a'), 1_000, 'a')).toBe(formatHlc(1_001, 0, 'a'));
  });
});
