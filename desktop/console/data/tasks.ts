import { useQueries } from '@tanstack/preact-query';
import type { FeedingJournal, FeedingRecommendation } from '#contract/resources/feeding.ts';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { instantAt, isoDay } from '../i18n/format.ts';
import {
  alarmTask,
  type BatchFacts,
  batchTasks,
  inOrder,
  pondTasks,
  roundOf,
  type Task,
} from '../state/tasks.ts';
import { alarms } from './alarms.ts';
import { type AnswerOf, ask, type Known } from './api.ts';
import { type Batch, useBatches } from './batches.ts';
import { soon } from './clock.ts';
import { farm } from './farm-store.ts';
import { isFarmNight } from './farm-sun.ts';
import { useLastOxygen } from './oxygen-day.ts';
import { usePlaceOf, usePondCards, usePondsByBatch } from './places.ts';

/** Questions that a task or a mark changes the answers of. */
export const TASK_TOUCHES = ['farms', 'tasks'];

const DAY_MS = 86_400_000;
const KEPT_MS = 5 * 60_000;

const instantOf = (at: string | null | undefined): number | null => (at ? Date.parse(at) : null);

/** The farm's day that is now. */
export function today() {
  const beganAt = Date.parse(instantAt(isoDay(soon.value), '00:00'));
  return {
    now: soon.value,
    beganAt,
    endsAt: beganAt + DAY_MS,
    isNight: isFarmNight.value,
  };
}

type Card = PondCards['ponds'][number];

const oxygenAtOf = ({ water_quality: water }: Card): number | null =>
  water === null || water.dissolved_oxygen === null ? null : instantOf(water.last_measurement);

/** Ponds in production with the time of their last oxygen, also when the newest measurement had none. */
function useInProduction(cards: PondCards | undefined): { card: Card; oxygenAt: number | null }[] {
  const inProduction = (cards?.ponds ?? []).filter(({ status }) => status === 'ACTIVE');
  const withoutOxygen = inProduction.filter(
    (card) => oxygenAtOf(card) === null && card.water_quality !== null,
  );
  const lastOf = useLastOxygen(withoutOxygen);
  return inProduction.map((card) => ({ card, oxygenAt: oxygenAtOf(card) ?? lastOf(card.pond_id) }));
}

/** Ponds measured today, of those in production: what the wall tells. It asks nothing that the wall has not. */
export function useRound(): { done: number; all: number } {
  const cards = usePondCards();
  return roundOf(useInProduction(cards.data), today().beganAt);
}

/** Answers that only the list of tasks needs, kept for some minutes: a measurement somewhere must not ask all of them anew. */
function useDuties<const Path extends string>(
  ids: readonly string[],
  pathOf: (id: string) => Path & Known<'GET', Path>,
) {
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['duties', pathOf(id)],
      staleTime: KEPT_MS,
      queryFn: ({ signal }: { signal: AbortSignal }) => ask<AnswerOf<'GET', Path>>(pathOf(id), { signal }),
    })),
  });
  return {
    isReady: results.every(({ isPending }) => !isPending),
    of: new Map(ids.map((id, index) => [id, results[index]?.data])),
  };
}

/** Everything that is to be done before the day ends, what is overdue in front. */
export function useTasks(): { tasks: Task[]; isReady: boolean; error: unknown } {
  const day = today();
  const cards = usePondCards();
  const placeOf = usePlaceOf();
  const places = usePondsByBatch();
  const active = useBatches();
  const inProduction = useInProduction(cards.data);
  const ids = active.batches.map(({ id }) => id);
  const advice = useDuties(ids, (id) => `/feeding/batch/${id}/recommendation`);
  const journals = useDuties(ids, (id) => `/feeding/batch/${id}?limit=12`);
  const kits = useDuties(
    inProduction.map(({ card }) => card.pond_id),
    (id) => `/water-quality/trend/${id}/ammonia?days=14`,
  );
  const ofPonds = inProduction.flatMap(({ card, oxygenAt }) => {
    const points = kits.of.get(card.pond_id)?.trend_data.data_points;
    const stockedAt =
      day.now - Math.max(...card.active_batches.map(({ days_active }) => days_active), 0) * DAY_MS;
    return pondTasks(
      {
        cod: card.cod,
        oxygenAt,
        kitAt: points === undefined ? undefined : lastDayOf(points),
        stockedAt,
      },
      day,
    );
  });
  const ofBatches = active.batches.flatMap((batch) =>
    batchTasks(
      {
        ...batchFacts(batch, advice.of.get(batch.id), journals.of.get(batch.id), day),
        place: places.get(batch.id)?.join(' · ') ?? batch.batch_code,
      },
      day,
    ),
  );
  const ofAlarms = alarms.value
    .filter(({ state, newest }) => state === 'unanswered' && newest.farm_id === farm.value?.id)
    .map(({ newest }) => alarmTask(placeOf(newest), Date.parse(newest.triggered_at)));
  return {
    tasks: inOrder([...ofAlarms, ...ofPonds, ...ofBatches]),
    isReady: cards.isSuccess && active.isSuccess && advice.isReady && journals.isReady && kits.isReady,
    error: cards.error ?? active.error,
  };
}

const lastDayOf = (points: readonly { date: string }[]): number | null =>
  points.reduce<number | null>(
    (last, { date }) => Math.max(last ?? 0, Date.parse(instantAt(date, '12:00'))),
    null,
  );

function batchFacts(
  batch: Batch,
  advice: FeedingRecommendation | undefined,
  journal: FeedingJournal | undefined,
  day: ReturnType<typeof today>,
): Omit<BatchFacts, 'place'> {
  const weighedDaysAgo = advice?.factors.last_biometry_days_ago;
  const isKnown = advice !== undefined && journal !== undefined;
  return {
    code: batch.batch_code,
    stockedAt: Date.parse(instantAt(batch.start_date, '12:00')),
    weighedAt:
      weighedDaysAgo === undefined
        ? undefined
        : weighedDaysAgo === null
          ? null
          : day.now - weighedDaysAgo * DAY_MS,
    meals: isKnown
      ? advice.daily_schedule.map(({ time }) => Date.parse(instantAt(isoDay(day.now), time)))
      : [],
    mealsGiven:
      journal?.feeding_records.filter(({ feed_date }) => Date.parse(feed_date) >= day.beganAt).length ?? 0,
  };
}
