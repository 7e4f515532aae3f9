import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

// Whatever people move, correct and delete, in whatever order: the animals stay as many, none is in two ponds, and no
// pond ever owes one. The model beside it counts whole living animals on a list of moves in order of time; nothing
// dies in it, so it needs none of the program's equivalents.

const PONDS = 4;
const ALIVE = 8_000;
const START = Date.UTC(2026, 1, 1);
const HOUR = 3_600_000;

type Move = { from: number; to: number; quantity: number; hour: number };
type Act =
  | { do: 'move'; move: Move }
  | { do: 'correct'; which: number; quantity?: number; hour?: number; to?: number }
  | { do: 'delete'; which: number };

const pond = fc.nat({ max: PONDS - 1 });
const quantity = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(1, ALIVE, ALIVE + 1));
const hour = fc.integer({ min: 1, max: 600 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      move: fc.record({ from: pond, to: pond, quantity, hour }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant('correct' as const), which: fc.nat(), quantity, hour, to: pond },
      { requiredKeys: ['do', 'which'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat() }) },
);

/** Animals per pond after all moves in order of time; null when one of them finds too few. */
function countedAfter(moves: readonly (Move & { id: string })[]): number[] | null {
  const counts = Array.from({ length: PONDS }, (_, n): number => (n === 0 ? ALIVE : 0));
  const inOrder = moves.toSorted((a, b) => a.hour - b.hour || (a.id < b.id ? -1 : 1));
  for (const { from, to, quantity: moved } of inOrder) {
    if ((counts[from] ?? 0) < moved) return null;
    counts[from] = (counts[from] ?? 0) - moved;
    counts[to] = (counts[to] ?? 0) + moved;
  }
  return counts;
}

onBothEngines('any sequence of moves, corrections and deletions', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const dateOf = (hours: number) => new Date(START + hours * HOUR).toISOString();
  const pondId = (farm: StockedFarm, n: number) => farm.ponds[n]?.id ?? '';

  async function carryOut(farm: StockedFarm, moves: Map<string, Move>, one: Act): Promise<void> {
    const { token } = farm;
    const asList = () => [...moves].map(([id, move]) => ({ id, ...move }));
    if (one.do === 'move') {
      const { from, to, quantity: moved, hour: at } = one.move;
      const id = app.kernel.newId();
      const reply = await app.call('POST', '/transfers/', {
        token,
        body: {
          id,
          batch_id: farm.batch.id,
          source_pond_id: pondId(farm, from),
          destination_pond_id: pondId(farm, to),
          quantity: moved,
          transfer_date: dateOf(at),
        },
      });
      const holds = from !== to && countedAfter([...asList(), { id, ...one.move }]) !== null;
      expect([reply.status < 300, reply.status]).toEqual([holds, holds ? 201 : expect.toBeOneOf([400, 409])]);
      if (holds) moves.set(id, one.move);
      return;
    }
    const id = [...moves.keys()][one.which % Math.max(1, moves.size)];
    const current = id === undefined ? undefined : moves.get(id);
    if (id === undefined || current === undefined) return;
    if (one.do === 'delete') {
      const reply = await app.call('DELETE', `/transfers/${id}`, { token });
      const holds = countedAfter(asList().filter((each) => each.id !== id)) !== null;
      expect(reply.status).toBe(holds ? 204 : 409);
      if (holds) moves.delete(id);
      return;
    }
    const { do: _do, which: _which, ...changes } = one;
    const changed = { ...current, ...changes };
    const reply = await app.call('PUT', `/transfers/${id}`, {
      token,
      body: {
        ...(one.quantity === undefined ? {} : { quantity: one.quantity }),
        ...(one.hour === undefined ? {} : { transfer_date: dateOf(one.hour) }),
        ...(one.to === undefined ? {} : { destination_pond_id: pondId(farm, one.to) }),
      },
    });
    const isTwoPonds = changed.from !== changed.to;
    const holds =
      isTwoPonds &&
      countedAfter(asList().map((each) => (each.id === id ? { id, ...changed } : each))) !== null;
    expect([reply.status < 300, reply.status]).toEqual([holds, holds ? 200 : expect.toBeOneOf([400, 409])]);
    if (holds) moves.set(id, changed);
  }

  it('keeps every animal, and is refused exactly when a pond would owe one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const farm = await aStockedFarm(app, {
          ponds: PONDS,
          initial_count: ALIVE / 0.8,
          estimated_survival_rate: 80,
        });
        const moves = new Map<string, Move>();
        for (const one of acts) await carryOut(farm, moves, one);
        const history = body(
          await app.call('GET', `/transfers/batch/${farm.batch.id}/history`, { token: farm.token }),
        );
        const locations = history['current_locations'] as { pond_id: number; quantity: number }[];
        const counted = new Map(locations.map(({ pond_id, quantity: there }) => [pond_id, there]));
        const wanted = countedAfter([...moves].map(([id, move]) => ({ id, ...move }))) ?? [];
        expect(farm.ponds.map(({ numeric_id }) => counted.get(numeric_id) ?? 0)).toEqual(wanted);
        expect(wanted.reduce((sum, there) => sum + there, 0)).toBe(ALIVE);
      }),
      { numRuns: drawsOf(engine === 'sqlite' ? 40 : 8) },
    );
  });
});
