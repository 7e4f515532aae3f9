import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionBounds, createBoundedConnections } from '#core/bounded-connections.ts';

function aDoor(bounds: ConnectionBounds) {
  const ended: string[] = [];
  const door = createBoundedConnections<{ name: string }>({
    bounds,
    end: ({ name }) => void ended.push(name),
  });
  const made = new Map<string, { name: string }>();
  return {
    ended,
    door,
    comes(name: string, source: string) {
      const connection = { name };
      made.set(name, connection);
      door.add(connection, source);
    },
    leaves: (name: string) => door.remove(made.get(name) ?? { name }),
  };
}

describe('connections that proved nothing', () => {
  it('give way oldest first, those of the address that holds most before all others', () => {
    const { comes, ended, leaves } = aDoor({ most: 4, mostPerSource: 10 });
    comes('honest', 'pond');
    comes('a1', 'flood');
    comes('a2', 'flood');
    comes('b1', 'other');
    comes('c1', 'third');
    comes('c2', 'fourth');
    // all hold one by now
    expect(ended).toEqual(['a1', 'honest']);
    leaves('a2');
    comes('d1', 'fifth');
    expect(ended).toHaveLength(2);
  });

  it('of one address have a bound of their own', () => {
    const { comes, ended } = aDoor({ most: 100, mostPerSource: 2 });
    comes('a1', 'flood');
    comes('a2', 'flood');
    comes('honest', 'pond');
    comes('a3', 'flood');
    expect(ended).toEqual(['a1']);
  });

  it('never are more than allowed, and an address with one outlives those with two', () => {
    const source = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({ source, leaves: fc.boolean(), which: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const open = new Map<string, string>();
        const bounds = { most: 6, mostPerSource: 3 };
        let isSolitaryEnded = false;
        const made = new Map<string, { name: string }>();
        const door = createBoundedConnections<{ name: string }>({
          bounds,
          end({ name }, from) {
            const counts = Map.groupBy(open.values(), (each) => each);
            const most = Math.max(...[...counts.values()].map(({ length }) => length));
            if (counts.get(from)?.length === 1 && most > 1) isSolitaryEnded = true;
            open.delete(name);
          },
        });
        steps.forEach(({ source: from, leaves, which }, n) => {
          const [name] = [...open.keys()].slice(which % Math.max(1, open.size));
          const connection = name === undefined ? undefined : made.get(name);
          if (leaves && name !== undefined && connection !== undefined) {
            door.remove(connection);
            open.delete(name);
            return;
          }
          const fresh = { name: `${n}` };
          made.set(fresh.name, fresh);
          door.add(fresh, from);
          open.set(fresh.name, from);
          expect(door.size()).toBe(open.size);
          expect(open.size).toBeLessThanOrEqual(bounds.most);
        });
        expect(isSolitaryEnded).toBe(false);
      }),
    );
  });
});
