import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { percent } from '#core/rounding.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { nextMealFactor, trayTableSource } from '#science/feeding-adjustments.ts';
import { type DailyRation, type Meal as PlannedMeal, weighedFeedKg } from '#science/feeding-ration.ts';
import type { BatchState } from '../batch-state.ts';
import { hourOfDay } from './pond-conditions.ts';
import type { FeedingQueries, Meal, TrayLook } from './ports.ts';

type Deps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: Pick<FeedingQueries, 'mealsBetween' | 'trayLooksBetween'>;
};
type PondRation = { pondId: string; ration: DailyRation };

/** What the last meal left on the trays of a pond. */
type TraysLeft = {
  /** Mean of the trays that were looked at, % of what was put there. */
  leftPercent: number;
  /** When they were looked at last, and how many of them were; null: told with the meal, for all of them together. */
  seen: { at: string; trays: number } | null;
  /** Trays of the pond that nobody looked at since that meal. */
  unseen: number;
};

export type PondMeal = { quantityKg: number; trays: (TraysLeft & { factor: number }) | null };
export type NextMeal = {
  /** null: no meal is planned. */
  time: string | null;
  quantityKg: number | null;
  byPond: ReadonlyMap<string, PondMeal>;
};

const DAY_MS = 86_400_000;

/**
 * The next meal of the plan, in each pond adjusted by what the last one, of today or yesterday, left on its trays. Trays that
 * were looked at before the newest meal say nothing about it.
 */
export async function nextMeal(
  deps: Deps,
  science: ScienceConstants,
  state: BatchState,
  { meals, rations }: { meals: readonly PlannedMeal[]; rations: readonly PondRation[] },
): Promise<NextMeal> {
  const hour = hourOfDay(deps.now(), state.timezone);
  const meal =
    meals.find(({ time }) => Number(time.slice(0, 2)) + Number(time.slice(3)) / 60 > hour) ?? meals[0];
  if (meal === undefined) return { time: null, quantityKg: null, byPond: new Map() };
  const left = await traysLeft(
    deps,
    state,
    rations.map(({ pondId }) => pondId),
  );
  const totalKg = rations.reduce((sum, { ration }) => sum + ration.recommendedKg, 0);
  const given = rations.map(({ pondId, ration }) => {
    const trays = left.get(pondId) ?? null;
    const factor =
      trays === null
        ? 1
        : nextMealFactor(science.feeding, trays.leftPercent, [ration.adjustment.factor], trays.unseen);
    const shareKg = totalKg === 0 ? 0 : (meal.quantityKg * ration.recommendedKg * factor) / totalKg;
    const inPond = {
      quantityKg: weighedFeedKg(shareKg),
      trays: trays === null ? null : { ...trays, factor },
    };
    return { pondId, shareKg, inPond };
  });
  const quantityKg = weighedFeedKg(given.reduce((sum, { shareKg }) => sum + shareKg, 0));
  return {
    time: meal.time,
    quantityKg,
    byPond: new Map(given.map(({ pondId, inPond }): [string, PondMeal] => [pondId, inPond])),
  };
}

/** Of ponds of which nothing is known there is none. */
async function traysLeft(
  deps: Deps,
  { batch }: BatchState,
  pondIds: readonly string[],
): Promise<ReadonlyMap<string, TraysLeft>> {
  const until = countsUntil(deps);
  const from = isoOf(deps.now() - DAY_MS);
  // a look of today may name a meal of yesterday
  const meals = await deps.queries.mealsBetween(batch.id, { from: isoOf(deps.now() - 2 * DAY_MS), until });
  const looks = await deps.queries.trayLooksBetween(pondIds, { from, until });
  const found = new Map<string, TraysLeft>();
  for (const pondId of pondIds) {
    const meal = meals.find(({ pond_id }) => pond_id === null || pond_id === pondId) ?? null;
    const seen =
      readEachTray(
        looks.filter(({ pond_id }) => pond_id === pondId),
        meal,
      ) ?? toldWithMeal(meal, from);
    if (seen !== null) found.set(pondId, seen);
  }
  return found;
}

/** Each tray as it was seen last since the meal; one that was seen only before it counts among the unseen. */
function readEachTray(looks: readonly TrayLook[], meal: Meal | null): TraysLeft | null {
  const isOfMeal = ({ feeding_id, happened_at }: TrayLook) =>
    feeding_id === null ? meal === null || happened_at > meal.feed_date : feeding_id === meal?.id;
  const known = new Set(looks.flatMap(({ trays }) => trays.map(({ tray }) => tray)));
  const read = new Map<number, number>();
  let at: string | null = null;
  for (const look of looks.filter(isOfMeal)) {
    for (const { tray, left_percent } of look.trays) {
      if (left_percent === null || read.has(tray)) continue;
      read.set(tray, left_percent);
      at ??= look.happened_at;
    }
  }
  if (at === null) return null;
  const leftPercent = [...read.values()].reduce((sum, each) => sum + each, 0) / read.size;
  return { leftPercent, seen: { at, trays: read.size }, unseen: known.size - read.size };
}

function toldWithMeal(meal: Meal | null, from: string): TraysLeft | null {
  if (meal === null || meal.tray_leftover_percent === null || meal.feed_date < from) return null;
  return { leftPercent: meal.tray_leftover_percent, seen: null, unseen: 0 };
}

/** The same as an answer tells it. */
export function traysAnswer(science: ScienceConstants, meal: PondMeal | undefined) {
  if (meal === undefined || meal.trays === null) return null;
  const { quantityKg, trays } = meal;
  return {
    checked_at: trays.seen?.at ?? null,
    trays_seen: trays.seen?.trays ?? null,
    trays_not_seen: trays.seen === null ? null : trays.unseen,
    left_percent: percent(trays.leftPercent),
    next_meal_change_percent: percent((trays.factor - 1) * 100),
    next_meal_kg: quantityKg,
    source: trayTableSource(science.feeding),
  };
}
