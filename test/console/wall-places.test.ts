import { describe, expect, it } from 'vitest';
import { movedTo, placesOf } from '../../desktop/console/state/wall-places.ts';

const at = (pond_id: string, column: number, row: number) => ({ pond_id, column, row });
const told = (places: ReturnType<typeof placesOf>) =>
  [...places].map(([id, { column, row }]) => `${id} ${column},${row}`).toSorted();

describe('where ponds stand on the wall', () => {
  it('a farm that nobody arranged is wider than high, in the order of its codes', () => {
    expect(told(placesOf(['a', 'b', 'c', 'd', 'e', 'f'], []))).toEqual([
      'a 0,0',
      'b 1,0',
      'c 2,0',
      'd 0,1',
      'e 1,1',
      'f 2,1',
    ]);
  });

  it('ponds keep their places, a way between them stays free, a new pond stands below and one that is gone leaves none', () => {
    expect(told(placesOf(['a', 'b', 'new'], [at('a', 2, 5), at('b', 4, 5), at('gone', 0, 0)]))).toEqual([
      'a 0,0',
      'b 2,0',
      'new 0,1',
    ]);
  });

  it('a pond that is put where another stands changes places with it, and none leaves the wall', () => {
    const places = placesOf(['a', 'b'], [at('a', 0, 0), at('b', 1, 0)]);
    expect(told(movedTo(places, 'a', { column: 1, row: 0 }))).toEqual(['a 1,0', 'b 0,0']);
    expect(told(movedTo(places, 'a', { column: -1, row: 0 }))).toEqual(told(places));
    expect(told(movedTo(places, 'a', { column: 0, row: 100 }))).toEqual(told(places));
  });
});
