// The meals of a day and what was given. Pure: instants in milliseconds.

/** A meal counts as given by what was recorded as near to its time as this, if no other meal is nearer. */
const MEAL_NEAR_MS = 75 * 60_000;

/** Which of the meals an instant belongs to; null: to none. */
export function mealAt(meals: readonly number[], at: number): number | null {
  const nearest = meals.reduce<number | null>(
    (best, dueAt) => (best === null || Math.abs(dueAt - at) < Math.abs(best - at) ? dueAt : best),
    null,
  );
  return nearest !== null && Math.abs(nearest - at) < MEAL_NEAR_MS ? nearest : null;
}

/** The instants that belong to one of the meals, both ends included. */
export function nearMeal(meals: readonly number[], dueAt: number): { from: number; until: number } {
  const from = Math.max(
    ...meals.filter((other) => other < dueAt).map((other) => (other + dueAt) / 2 + 1),
    dueAt - MEAL_NEAR_MS + 1,
  );
  const until = Math.min(
    ...meals.filter((other) => other > dueAt).map((other) => (other + dueAt) / 2),
    dueAt + MEAL_NEAR_MS - 1,
  );
  return { from: Math.ceil(from), until: Math.floor(until) };
}

/** When a meal was given that is marked now: now, or at its own time when somebody marks it late, beside another one. */
export function givenAt(meals: readonly number[], dueAt: number, now: number): number {
  return mealAt(meals, now) === dueAt ? now : dueAt;
}
