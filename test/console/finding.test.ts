import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkQualityOf } from '../../desktop/console/state/freshness.ts';
import { found } from '../../desktop/console/state/palette.ts';
import { codesOf, MOST_PONDS } from '../../desktop/console/state/wall-places.ts';

describe('ponds by a pattern', () => {
  it('V-01 to V-24 is 24 ponds with their leading zeros', () => {
    const codes = codesOf('V-01', ' V-24 ');
    expect(codes).toHaveLength(24);
    expect(codes[0]).toBe('V-01');
    expect(codes.at(-1)).toBe('V-24');
  });

  it('the same code twice is one pond; what stands behind the figure stays', () => {
    expect(codesOf('V-07', 'V-07')).toEqual(['V-07']);
    expect(codesOf('9B', '11B')).toEqual(['9B', '10B', '11B']);
  });

  it('says what is wrong instead of guessing', () => {
    expect(codesOf('Norte', 'Sul')).toBe('unreadable');
    expect(codesOf('V-01', 'B-10')).toBe('different');
    expect(codesOf('V-10', 'V-01')).toBe('backwards');
    expect(codesOf('V-1', 'V-999999')).toBe('too-many');
  });

  it('never makes a code twice nor more than the bound', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), (low, high) => {
        const codes = codesOf(`V-${low}`, `V-${high}`);
        if (typeof codes === 'string') return;
        expect(codes.length).toBeLessThanOrEqual(MOST_PONDS);
        expect(new Set(codes).size).toBe(codes.length);
      }),
    );
  });
});

describe('finding a place', () => {
  const places = [
    { href: '/viveiros/V-17', name: 'V-17', hint: 'viveiro' },
    { href: '/viveiros/V-07', name: 'V-07', hint: 'viveiro' },
    { href: '/lotes/L-07', name: 'L-07', hint: 'lote em V-07' },
    { href: '/aeracao', name: 'Aeração', hint: 'tela' },
  ];

  it('v7 is V-07, and what has V-07 in its hint comes after', () => {
    expect(found(places, 'v7').map(({ name }) => name)).toEqual(['V-07']);
    expect(found(places, 'v-07').map(({ name }) => name)).toEqual(['V-07', 'L-07']);
  });

  it('accents need not be typed', () => {
    expect(found(places, 'aeracao').map(({ href }) => href)).toEqual(['/aeracao']);
    expect(found(places, 'zzz')).toEqual([]);
  });
});

describe('how well a controller is heard', () => {
  it('is told in four words; nothing heard is no word', () => {
    expect([-55, -65, -75, -88].map(linkQualityOf)).toEqual(['good', 'fair', 'weak', 'bad']);
    expect(linkQualityOf(null)).toBeNull();
    expect(linkQualityOf(undefined)).toBeNull();
  });
});
