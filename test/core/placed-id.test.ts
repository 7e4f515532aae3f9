import fc from 'fast-check';
import { v5, v7 } from 'uuid';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { placedId } from '#core/placed-id.ts';

const SPACE = v7();
const aTime = fc.integer({ min: 0, max: 2 ** 47 });
// accounts made between 2004 and 2039: the digits an id takes of them begin anew every 35 years
const aPerson = fc.integer({ min: 2 ** 40, max: 2 ** 41 - 1 }).map((msecs) => v7({ msecs }));
const aCause = fc.string();
const idOf = (at: number, personId: string, cause: string) => placedId(v5(cause, SPACE), { at, personId });

it('an id that has its place is the same each time, and an id like any other', () => {
  fc.assert(
    fc.property(aTime, aPerson, aCause, (at, person, cause) => {
      const id = idOf(at, person, cause);
      expect(idOf(at, person, cause)).toBe(id);
      expect(z.uuid().safeParse(id).success).toBe(true);
    }),
  );
});

it('ids follow the time first, then the age of accounts of the same 35 years', () => {
  fc.assert(
    fc.property(aTime, aTime, aPerson, aPerson, aCause, (at, other, person, neighbour, cause) => {
      const [mine, theirs] = [idOf(at, person, cause), idOf(other, neighbour, cause)];
      if (at !== other) expect(mine < theirs).toBe(at < other);
      else if (person.slice(2, 13) !== neighbour.slice(2, 13)) expect(mine < theirs).toBe(person < neighbour);
    }),
  );
});

it('another cause at the same moment for the same person has another id', () => {
  fc.assert(
    fc.property(aTime, aPerson, aCause, aCause, (at, person, one, two) => {
      fc.pre(one !== two);
      expect(idOf(at, person, one)).not.toBe(idOf(at, person, two));
    }),
  );
});

it('an account that came with an id of another kind is told all the same', () => {
  expect(placedId(v5('x', SPACE), { at: 5, personId: 'short' })).toMatch(/^00000000-0005-8/);
});
