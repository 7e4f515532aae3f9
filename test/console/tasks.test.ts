import { describe, expect, it } from 'vitest';
import { byConcern } from '../../desktop/console/state/alarm-state.ts';
import { givenAt, mealAt, nearMeal } from '../../desktop/console/state/meals.ts';
import { daysBetween, densityOf, doubtsOf, proposedCode } from '../../desktop/console/state/stocking.ts';
import {
  alarmTask,
  batchTasks,
  byPlace,
  EVERY,
  grouped,
  inOrder,
  pondTasks,
  roundOf,
} from '../../desktop/console/state/tasks.ts';
import { equalShares, rest } from '../../desktop/console/state/typed-value.ts';

const H = 3_600_000;
const D = 24 * H;
const NOON = Date.parse('2026-11-20T15:00:00Z');
const day = { now: NOON, endsAt: NOON + 12 * H, isNight: false };

describe('meals of the day', () => {
  const meals = [6, 8, 10, 14].map((hour) => NOON + (hour - 12) * H);
  const [six = 0, eight = 0, ten = 0] = meals;
  const MIN = 60_000;

  it('what was given belongs to the nearest meal, and to none that is far', () => {
    expect(mealAt(meals, six - 20 * MIN)).toBe(six);
    expect(mealAt(meals, eight - 61 * MIN)).toBe(six);
    expect(mealAt(meals, eight + 59 * MIN)).toBe(eight);
    expect(mealAt(meals, ten + 90 * MIN)).toBeNull();
    expect(mealAt([], six)).toBeNull();
  });

  it('what counts as one of them lies where no other is nearer', () => {
    for (const due of meals) {
      const { from, until } = nearMeal(meals, due);
      expect([from - 1, from, until, until + 1].map((at) => mealAt(meals, at) === due)).toEqual([
        false,
        true,
        true,
        false,
      ]);
    }
  });

  it('one that is marked late counts at its own time, and never as the next one', () => {
    expect(givenAt(meals, eight, eight + 10 * MIN)).toBe(eight + 10 * MIN);
    expect(givenAt(meals, six, ten - 20 * MIN)).toBe(six);
    expect(givenAt(meals, six, NOON)).toBe(six);
  });
});

describe('tasks of the day', () => {
  const pond = { cod: 'V-07', stockedAt: NOON - 60 * D, kitAt: NOON - D };

  it('oxygen is due four hours after the last reading by day and two by night', () => {
    const oxygenAt = NOON - 3 * H;
    const [byDay] = pondTasks({ ...pond, oxygenAt }, day);
    const [byNight] = pondTasks({ ...pond, oxygenAt }, { ...day, isNight: true });
    expect(byDay).toMatchObject({ kind: 'oxygen', isOverdue: false, dueAt: oxygenAt + EVERY.oxygenByDay });
    expect(byNight).toMatchObject({ kind: 'oxygen', isOverdue: true });
  });

  it('a pond that was never measured is due since its stocking', () => {
    const [task] = pondTasks({ ...pond, oxygenAt: null }, day);
    expect(task).toMatchObject({ isOverdue: true, lastAt: null, href: '/lancar/agua?pond=V-07' });
  });

  it('a kit older than seven days is due; one not asked for yet says nothing', () => {
    const old = pondTasks({ ...pond, oxygenAt: NOON, kitAt: NOON - 8 * D }, day);
    const unknown = pondTasks({ ...pond, oxygenAt: NOON, kitAt: undefined }, day);
    expect(old.map(({ kind }) => kind)).toEqual(['oxygen', 'kit']);
    expect(unknown.map(({ kind }) => kind)).toEqual(['oxygen']);
  });

  it('meals that were given stand for the first of the plan; a late one is overdue after its grace', () => {
    const meals = [NOON - 6 * H, NOON - 2 * H, NOON - H, NOON + 5 * H];
    const batch = { code: 'V-07/26', place: 'V-07', stockedAt: NOON - 60 * D, weighedAt: NOON - D };
    const tasks = batchTasks({ ...batch, meals, mealsGiven: 1 }, day);
    expect(tasks.map(({ dueAt, isOverdue }) => [dueAt - NOON, isOverdue])).toEqual([
      [-2 * H, true],
      [-H, false],
      [5 * H, false],
    ]);
    expect(byPlace(tasks)).toHaveLength(1);
  });

  it('a batch is weighed every seven days', () => {
    const batch = { code: 'L1', place: 'V-01', stockedAt: NOON - 60 * D, meals: [], mealsGiven: 0 };
    const weighed = (daysAgo: number) => batchTasks({ ...batch, weighedAt: NOON - daysAgo * D }, day);
    expect(weighed(9)).toMatchObject([{ kind: 'weighing', isOverdue: true }]);
    expect(weighed(2)).toEqual([]);
  });

  it('what is overdue stands in front, alarms before oxygen, and one kind together', () => {
    const tasks = inOrder([
      ...pondTasks({ ...pond, oxygenAt: NOON - H }, day),
      ...pondTasks({ ...pond, cod: 'V-02', oxygenAt: NOON - 9 * H }, day),
      alarmTask('V-09', NOON - 60_000),
    ]);
    expect(tasks.map(({ place }) => place)).toEqual(['V-09', 'V-02', 'V-07']);
    expect(grouped(tasks).map(({ kind }) => kind)).toEqual(['alarm', 'oxygen']);
  });

  it('the round counts ponds measured since midnight', () => {
    const began = NOON - 12 * H;
    expect(roundOf([{ oxygenAt: NOON }, { oxygenAt: NOON - D }, { oxygenAt: null }], began)).toEqual({
      done: 1,
      all: 3,
    });
  });
});

describe('stocking', () => {
  it('proposes pond, year and month, and a letter when that is taken', () => {
    expect(proposedCode('V-07', '2026-11-20', new Set())).toBe('V-07-2611');
    expect(proposedCode('V-07', '2026-11-20', new Set(['V-07-2611']))).toBe('V-07-2611b');
  });

  it('computes density from count and area, and days between days', () => {
    expect(densityOf(250_000, 11_300)).toBe(22.1);
    expect(densityOf(250_000, null)).toBeNull();
    expect(daysBetween('2026-11-20', '2027-02-26')).toBe(98);
  });

  it('doubts what a slip of the comma makes', () => {
    const facts = { pondType: 'FATTENING', isOccupied: false, survivalPercent: 85, days: 98 } as const;
    expect(doubtsOf({ ...facts, density: 22, weightG: 0.003 })).toEqual([]);
    expect(doubtsOf({ ...facts, density: 221, weightG: 30 })).toEqual(['dense', 'heavy']);
  });
});

describe('a pond shared out', () => {
  it('loses nobody', () => {
    expect(equalShares(10, 3)).toEqual([4, 3, 3]);
    expect(rest(10, [4, null])).toBe(6);
    expect(rest(10, [14])).toBe(0);
  });
});

describe('worst first', () => {
  it('by alarm, then by oxygen; unknown oxygen counts as the edge of what is good', () => {
    const pond = (cod: string, oxygen: number | null, priority: 1 | 2 | null = null) => ({
      cod,
      oxygen,
      priority,
      inProduction: true,
    });
    const ponds = [pond('A', 7), pond('B', null), pond('C', 4), pond('D', 8, 2)];
    const empty = { ...pond('E', 1), inProduction: false };
    expect([...ponds, empty].toSorted(byConcern).map(({ cod }) => cod)).toEqual(['D', 'C', 'B', 'A', 'E']);
  });
});
