import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aliveByPond,
  animalsAlive,
  animalsByPond,
  animalsIn,
  type BatchAnimals,
  type Population,
  type PopulationStep,
  replayPopulation,
} from '#science/population.ts';

const at = (day: number) => new Date(Date.parse('2026-01-01T12:00:00Z') + day * 86_400_000).toISOString();
const aMove = (
  day: number,
  [fromPondId, toPondId]: [string, string],
  quantity: number,
  mortality?: number,
): PopulationStep => ({
  id: `move-${String(day).padStart(3, '0')}`,
  kind: 'TRANSFER',
  at: at(day),
  fromPondId,
  toPondId,
  quantity,
  ...(mortality === undefined ? {} : { mortality }),
});
const aHarvest = (day: number, pondId: string | null, quantity: number): PopulationStep => ({
  id: `harvest-${String(day).padStart(3, '0')}`,
  kind: 'HARVEST',
  at: at(day),
  pondId,
  quantity,
});
const loss = (day: number, severity: number) => ({
  id: `loss-${day}`,
  at: at(day),
  kind: 'LOSS' as const,
  severity,
});
const set = (day: number, percent: number) => ({
  id: `set-${day}`,
  at: at(day),
  kind: 'SET' as const,
  percent,
});
const aBatch = (batch: Partial<BatchAnimals>): BatchAnimals => ({
  firstPondId: 'A',
  initialCount: 100_000,
  initialSurvivalPercent: 100,
  survivalFacts: [],
  steps: [],
  ...batch,
});
const countsOf = (population: Population) => Object.fromEntries(animalsByPond(population));

describe('worked by hand', () => {
  test('before anything happens the survivors are in the first pond', () => {
    const population = replayPopulation(aBatch({ initialSurvivalPercent: 85 }));
    expect(countsOf(population)).toEqual({ A: 85_000 });
    expect(animalsAlive(population)).toBe(85_000);
  });

  test('30,000 moved at 90 %: 60,000 stay, and a later loss of a fifth strikes both ponds alike', () => {
    const moved = aBatch({ initialSurvivalPercent: 90, steps: [aMove(30, ['A', 'B'], 30_000)] });
    expect(countsOf(replayPopulation(moved))).toEqual({ A: 60_000, B: 30_000 });
    const struck = replayPopulation({ ...moved, survivalFacts: [loss(40, 0.2)] });
    expect(countsOf(struck)).toEqual({ A: 48_000, B: 24_000 });
  });

  test('what is harvested cannot die: 30,000 of 90,000 sold, a fifth of the other 60,000 dies', () => {
    const population = replayPopulation(
      aBatch({
        initialSurvivalPercent: 90,
        steps: [aHarvest(60, 'A', 30_000)],
        survivalFacts: [loss(70, 0.2)],
      }),
    );
    expect(countsOf(population)).toEqual({ A: 48_000 });
    expect(animalsAlive(population)).toBeCloseTo(48_000, 6);
  });

  test('with survival unchanged the living are stocked × survival − harvested', () => {
    const steps = [aHarvest(60, 'A', 20_000)];
    const population = replayPopulation(aBatch({ initialSurvivalPercent: 85, steps }));
    expect(animalsAlive(population)).toBeCloseTo(65_000, 6);
  });

  test('a survival that is set counts all that were stocked: the living are stocked × survival − harvested', () => {
    const batch = aBatch({
      initialSurvivalPercent: 85,
      steps: [aHarvest(60, 'A', 10_000), aMove(65, ['A', 'B'], 15_000)],
      survivalFacts: [set(70, 80)],
    });
    // 80,000 - 10,000, shared as the 75,000 before were
    expect(countsOf(replayPopulation(batch))).toEqual({ A: 56_000, B: 14_000 });
    expect(countsOf(replayPopulation(batch, at(69)))).toEqual({ A: 60_000, B: 15_000 });
    const struck = { ...batch, survivalFacts: [...batch.survivalFacts, loss(80, 0.5)] };
    expect(countsOf(replayPopulation(struck))).toEqual({ A: 28_000, B: 7_000 });
  });

  test('a survival that a harvest proves too low can be set right', () => {
    const batch = aBatch({
      initialCount: 1_000,
      initialSurvivalPercent: 85,
      steps: [aHarvest(60, null, 900)],
    });
    expect(animalsAlive(replayPopulation(batch))).toBe(0);
    const corrected = replayPopulation({ ...batch, survivalFacts: [set(61, 95)] });
    expect(animalsAlive(corrected)).toBeCloseTo(50, 6);
    expect(countsOf(corrected)).toEqual({ A: 50 });
  });

  test('a pond that gives all its animals is empty and stays so when survival is set higher', () => {
    const population = replayPopulation(
      aBatch({
        initialSurvivalPercent: 83,
        steps: [aMove(30, ['A', 'B'], 83_000)],
        survivalFacts: [set(50, 99)],
      }),
    );
    expect(countsOf(population)).toEqual({ B: 99_000 });
    expect(population.overdraws).toEqual([]);
  });

  test('a move that costs 5 % of the animals', () => {
    const population = replayPopulation(aBatch({ steps: [aMove(30, ['A', 'B'], 40_000, 0.05)] }));
    expect(countsOf(population)).toEqual({ A: 60_000, B: 38_000 });
    expect(population.lostEquivalents).toBeCloseTo(2_000, 6);
  });

  test('a harvest without a pond takes from all alike', () => {
    const steps = [aMove(30, ['A', 'B'], 25_000), aHarvest(60, null, 40_000)];
    expect(countsOf(replayPopulation(aBatch({ steps })))).toEqual({ A: 45_000, B: 15_000 });
  });

  test('a day in the past is seen with the moves and the survival of that day', () => {
    const batch = aBatch({
      steps: [aMove(30, ['A', 'B'], 10_000), aMove(50, ['A', 'C'], 10_000)],
      survivalFacts: [loss(40, 0.5)],
    });
    expect(countsOf(replayPopulation(batch, at(29)))).toEqual({ A: 100_000 });
    expect(countsOf(replayPopulation(batch, at(30)))).toEqual({ A: 90_000, B: 10_000 });
    expect(countsOf(replayPopulation(batch, at(45)))).toEqual({ A: 45_000, B: 5_000 });
    expect(countsOf(replayPopulation(batch))).toEqual({ A: 35_000, C: 10_000, B: 5_000 });
  });
});

describe('more than there is', () => {
  test('the step is named, with what was there; its pond shows 0 and the sum stays right', () => {
    const population = replayPopulation(aBatch({ steps: [aMove(30, ['A', 'B'], 100_001)] }));
    expect(population.overdraws).toEqual([
      { stepId: 'move-030', pondId: 'A', quantity: 100_001, available: 100_000 },
    ]);
    expect(animalsIn(population, 'A')).toBe(0);
    expect(animalsAlive(population)).toBeCloseTo(100_000, 6);
  });

  test('exactly what is there is no overdraw, whatever the survival', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 500_000 }),
        (share, initialCount) => {
          const batch = aBatch({ initialCount, initialSurvivalPercent: share / 100 });
          const available = animalsIn(replayPopulation(batch), 'A');
          const all = replayPopulation({ ...batch, steps: [aMove(1, ['A', 'B'], available)] });
          const oneMore = replayPopulation({ ...batch, steps: [aMove(1, ['A', 'B'], available + 1)] });
          expect([all.overdraws.length, oneMore.overdraws.length]).toEqual([0, 1]);
          expect(animalsIn(all, 'B')).toBe(available);
          expect(animalsIn(all, 'A')).toBe(0);
        },
      ),
    );
  });

  test('taking back the move that fed a pond names the later step that lives on it', () => {
    const fed = aMove(10, ['A', 'B'], 50_000);
    const onward = aMove(20, ['B', 'C'], 50_000);
    expect(replayPopulation(aBatch({ steps: [fed, onward] })).overdraws).toEqual([]);
    expect(replayPopulation(aBatch({ steps: [onward] })).overdraws).toMatchObject([
      { stepId: onward.id, pondId: 'B', available: 0 },
    ]);
  });

  test('of a batch that is all dead nothing can be moved', () => {
    const population = replayPopulation(
      aBatch({ initialSurvivalPercent: 0, steps: [aMove(1, ['A', 'B'], 1)] }),
    );
    expect(population.overdraws).toHaveLength(1);
    expect(animalsAlive(population)).toBe(0);
  });
});

describe('whatever is moved, harvested, corrected and taken back', () => {
  const PONDS = ['A', 'B', 'C', 'D'];
  const pondId = fc.constantFrom(...PONDS);
  const aStep = fc
    .record({
      day: fc.integer({ min: 0, max: 100 }),
      from: pondId,
      to: pondId,
      quantity: fc.integer({ min: 1, max: 80_000 }),
      isHarvest: fc.boolean(),
      mortality: fc.constantFrom(0, 0, 0.05),
    })
    .map((drawn) => (id: string): PopulationStep => {
      const common = { id, at: at(drawn.day), quantity: drawn.quantity };
      return drawn.isHarvest
        ? { ...common, kind: 'HARVEST', pondId: drawn.from }
        : {
            ...common,
            kind: 'TRANSFER',
            fromPondId: drawn.from,
            toPondId: drawn.to,
            mortality: drawn.mortality,
          };
    });
  type Edit = { what: 'add' | 'change' | 'remove'; make: (id: string) => PopulationStep; which: number };
  const edits: fc.Arbitrary<Edit[]> = fc.array(
    fc.record({
      what: fc.constantFrom('add' as const, 'add' as const, 'change' as const, 'remove' as const),
      make: aStep,
      which: fc.nat(20),
    }),
    { maxLength: 25 },
  );
  const facts = fc.array(
    fc.record({
      day: fc.integer({ min: 0, max: 100 }),
      severity: fc.double({ min: 0, max: 0.9, noNaN: true }),
    }),
    { maxLength: 4 },
  );

  /** As the service does it: an edit whose replay overdraws is refused and leaves the chain as it was. */
  function edited(batch: BatchAnimals, wanted: readonly Edit[]): BatchAnimals {
    let current = batch;
    wanted.forEach(({ what, make, which }, i) => {
      const place = which % Math.max(1, current.steps.length);
      const old = current.steps[place];
      let steps = current.steps;
      if (what === 'add') steps = [...steps, make(`step-${i}`)];
      else if (old === undefined) return;
      else if (what === 'remove') steps = steps.filter((step) => step !== old);
      else steps = steps.with(place, make(old.id));
      const next = { ...current, steps };
      if (replayPopulation(next).overdraws.length === 0) current = next;
    });
    return current;
  }
  const aHistory = fc
    .record({ wanted: edits, losses: facts, initialSurvivalPercent: fc.integer({ min: 1, max: 100 }) })
    .map(({ wanted, losses, initialSurvivalPercent }) => {
      const survivalFacts = losses.map(({ day, severity }, i) => ({
        ...loss(day, severity),
        id: `loss-${i}`,
      }));
      return edited(aBatch({ initialSurvivalPercent, survivalFacts }), wanted);
    });

  test('no animal appears or vanishes: stocked = in ponds + harvested + lost in moves', () => {
    fc.assert(
      fc.property(aHistory, (batch) => {
        const { equivalentsByPond, harvestedEquivalents, lostEquivalents } = replayPopulation(batch);
        const inPonds = [...equivalentsByPond.values()].reduce((sum, each) => sum + each, 0);
        expect(inPonds + harvestedEquivalents + lostEquivalents).toBeCloseTo(batch.initialCount, 5);
      }),
    );
  });

  test('nor when survival is set anew, after which the living are stocked × survival − harvested − lost', () => {
    fc.assert(
      fc.property(aHistory, fc.integer({ min: 1, max: 100 }), (batch, percent) => {
        const facts = [...batch.survivalFacts, set(101, percent)];
        const population = replayPopulation({ ...batch, survivalFacts: facts });
        const { equivalentsByPond, harvestedEquivalents, lostEquivalents } = population;
        const inPonds = [...equivalentsByPond.values()].reduce((sum, each) => sum + each, 0);
        expect(inPonds + harvestedEquivalents + lostEquivalents).toBeCloseTo(batch.initialCount, 3);
        const harvested = batch.steps.reduce(
          (sum, step) => (step.kind === 'HARVEST' ? sum + step.quantity : sum),
          0,
        );
        const living = ((batch.initialCount - lostEquivalents) * percent) / 100 - harvested;
        expect(animalsAlive(population)).toBeCloseTo(Math.max(0, living), 3);
      }),
    );
  });

  test('no pond is ever below nothing while the chain is accepted, on any day', () => {
    fc.assert(
      fc.property(aHistory, fc.integer({ min: 0, max: 100 }), (batch, day) => {
        for (const equivalents of replayPopulation(batch, at(day)).equivalentsByPond.values()) {
          expect(equivalents).toBeGreaterThanOrEqual(-1e-3);
        }
      }),
    );
  });

  test('ponds add up to the batch, short of one animal a pond at most', () => {
    fc.assert(
      fc.property(aHistory, (batch) => {
        const population = replayPopulation(batch);
        const counted = [...animalsByPond(population).values()].reduce((sum, each) => sum + each, 0);
        expect(counted).toBeLessThanOrEqual(animalsAlive(population) + 0.01);
        expect(counted).toBeGreaterThan(animalsAlive(population) - PONDS.length);
      }),
    );
  });

  test('ponds add up to the batch animal by animal, whatever died in one of them', () => {
    fc.assert(
      fc.property(
        aHistory,
        fc.constantFrom(...PONDS),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (batch, pond, share) => {
          const before = replayPopulation(batch);
          const [there, all] = [aliveByPond(before).get(pond) ?? 0, animalsAlive(before)];
          const severity = all > 0 ? (share * there) / all : 0;
          const inPond = { ...loss(101, severity), pondId: pond };
          const after = replayPopulation({ ...batch, survivalFacts: [...batch.survivalFacts, inPond] });
          const counted = [...animalsByPond(after).values()].reduce((sum, each) => sum + each, 0);
          expect(counted).toBe(Math.floor(animalsAlive(after) + 1e-6));
          expect(animalsAlive(after)).toBeCloseTo(all - share * there, 3);
          for (const [other, alive] of aliveByPond(before)) {
            const left = aliveByPond(after).get(other) ?? 0;
            if (severity < 1) expect(left).toBeCloseTo(other === pond ? alive * (1 - share) : alive, 3);
          }
          expect(after.overdraws).toEqual(before.overdraws);
        },
      ),
    );
  });

  test('with survival as it was stocked the count is kept animal by animal', () => {
    fc.assert(
      fc.property(edits, (wanted) => {
        const batch = edited(aBatch({}), wanted);
        // a second set of books: whole animals, no shares
        const books = new Map([['A', batch.initialCount]]);
        let gone = 0;
        for (const step of batch.steps.toSorted((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1))) {
          const from = step.kind === 'TRANSFER' ? step.fromPondId : (step.pondId ?? 'A');
          books.set(from, (books.get(from) ?? 0) - step.quantity);
          const arriving = step.kind === 'TRANSFER' ? step.quantity * (1 - (step.mortality ?? 0)) : 0;
          if (step.kind === 'TRANSFER') books.set(step.toPondId, (books.get(step.toPondId) ?? 0) + arriving);
          gone += step.quantity - arriving;
        }
        const population = replayPopulation(batch);
        expect(animalsAlive(population)).toBeCloseTo(batch.initialCount - gone, 4);
        for (const [pond, animals] of books) {
          expect(Math.abs(animalsIn(population, pond) - animals)).toBeLessThan(1.001);
        }
      }),
    );
  });

  test('the order in which instances learned of the steps does not matter', () => {
    fc.assert(
      fc.property(aHistory, (batch) => {
        const backwards = { ...batch, steps: batch.steps.toReversed() };
        expect(replayPopulation(backwards)).toEqual(replayPopulation(batch));
      }),
    );
  });

  test('also a chain that two instances overdrew keeps its sum and never counts below 0', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 15 }), (made) => {
        const batch = aBatch({ steps: made.map((make, i) => make(`step-${i}`)) });
        const population = replayPopulation(batch);
        const inPonds = [...population.equivalentsByPond.values()].reduce((sum, each) => sum + each, 0);
        expect(inPonds + population.harvestedEquivalents + population.lostEquivalents).toBeCloseTo(
          100_000,
          4,
        );
        expect(animalsAlive(population)).toBeGreaterThanOrEqual(0);
        for (const pond of PONDS) expect(animalsIn(population, pond)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('and its ponds together hold those of the batch: who was thought dead and harvested is missing nowhere twice', () => {
    const taken = replayPopulation(
      aBatch({ steps: [aMove(1, ['A', 'B'], 10_000), aHarvest(2, 'B', 12_000)] }),
    );
    expect(animalsByPond(taken)).toEqual(new Map([['A', Math.floor(animalsAlive(taken) + 1e-6)]]));
    const percent = fc.constantFrom(0, 33.33, 66.67, 81.2, 100);
    const set = fc.record({ percent, day: fc.integer({ min: 0, max: 120 }) });
    fc.assert(
      fc.property(
        fc.array(aStep, { maxLength: 15 }),
        fc.array(set, { maxLength: 4 }),
        fc.constantFrom(1, 7, 1_001, 100_000),
        (made, sets, initialCount) => {
          const batch = aBatch({
            initialCount,
            steps: made.map((make, i) => make(`step-${i}`)),
            survivalFacts: sets.map((each, i) => ({
              id: `set-${i}`,
              kind: 'SET',
              at: at(each.day),
              percent: each.percent,
            })),
          });
          const population = replayPopulation(batch);
          const sum = [...animalsByPond(population).values()].reduce((all, there) => all + there, 0);
          expect(sum).toBe(Math.floor(animalsAlive(population) + 1e-6));
        },
      ),
    );
  });
});
