import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DecimalSign,
  isWorthSaying,
  readTyped,
  readWhole,
  typedFigure,
} from '../../desktop/console/state/typed-value.ts';

const SIGNS: readonly DecimalSign[] = [',', '.'];

describe('a figure in a field', () => {
  it.each(SIGNS)('shown with %s for its decimals is read back as the same figure, whatever it is', (sign) => {
    const figures = fc.oneof(
      // what sensors, prices, areas and set points are
      fc.tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.nat(6)).map(([n, d]) => n / 10 ** d),
      fc.double({ min: 1e-12, max: 1e14, noNaN: true }).map((value) => Number(value.toPrecision(12))),
    );
    fc.assert(
      fc.property(figures, (value) => {
        expect(readTyped(typedFigure(value, sign), sign)).toEqual({ is: 'value', value: value + 0 });
      }),
      { numRuns: 2_000 },
    );
    for (const value of [3.5, 3.25, 0.125, 1.234, 1_234.567, 3_000, 1e-7, 250_000])
      expect(readTyped(typedFigure(value, sign), sign)).toEqual({ is: 'value', value });
  });

  it('that counts animals is read back as the same count', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), (count) => {
        expect(readWhole(typedFigure(count, ','))).toBe(count);
        expect(readWhole(count.toLocaleString('pt-BR'))).toBe(count);
        expect(readWhole(count.toLocaleString('en'))).toBe(count);
      }),
    );
    for (const text of ['1.5', '0.125', '1.234,567', '12.34', '1e3', '-4']) expect(readWhole(text)).toBeNaN();
    expect(readWhole(' ')).toBeNull();
  });

  it.each([
    [',', '1.500', 1_500, 1.5],
    [',', '28.500', 28_500, 28.5],
    ['.', '1,500', 1_500, 1.5],
    ['.', '-2,125', -2_125, -2.125],
  ] as const)('with %s for decimals %s may be two figures and is none', (sign, text, large, small) => {
    expect(readTyped(text, sign)).toEqual({ is: 'either', large, small });
  });

  it.each([
    [',', '4,2', 4.2],
    [',', '4.2', 4.2],
    [',', '1,500', 1.5],
    [',', '0.125', 0.125],
    [',', '1500', 1_500],
    [',', '1 500', 1_500],
    ['.', '4,2', 4.2],
    ['.', '1.500', 1.5],
    ['.', '-4.561234567', -4.561234567],
  ] as const)('with %s for decimals %s is one figure', (sign, text, value) => {
    expect(readTyped(text, sign)).toEqual({ is: 'value', value });
  });

  it.each(['1.234,5', '1,234.5', '5,4,1', 'abc', '1e3', '4,', ',5', '--1', '٣'])(
    '%s is no figure',
    (text) => {
      for (const sign of SIGNS) expect(readTyped(text, sign)).toEqual({ is: 'unclear' });
    },
  );

  it('is said as it was read where that is not plain', () => {
    expect(isWorthSaying('1500', 1_500, ',')).toBe(true);
    expect(isWorthSaying('4.2', 4.2, ',')).toBe(true);
    expect(isWorthSaying('4,2', 4.2, '.')).toBe(true);
    expect(isWorthSaying('4,2', 4.2, ',')).toBe(false);
    expect(isWorthSaying('999', 999, '.')).toBe(false);
  });
});
