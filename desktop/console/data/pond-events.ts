import { type UseQueryResult, useQueries } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import type { WaterAlert } from '#contract/resources/water-quality.ts';
import { quantity } from '../i18n/format.ts';
import { get } from './api.ts';
import { useGet } from './query.ts';

// What happened at a pond while its water was measured, for the charts: its alarms and its meals.

export type WaterEpisode = WaterAlert & { at: number };
export type Meal = { at: number; kg: number };

/** What is known of it, and the questions that it rests on: while one is not answered, none is not known to be none. */
export type Told<Event> = { events: readonly Event[]; questions: readonly UseQueryResult<unknown>[] };

const MOST_ALERTS = 1_000;
const MOST_MEALS = 400;

/** Alarms of the pond's water since an instant, each trouble once, by the first alert of it; null as pond asks nothing. */
export function useWaterEpisodes(pondId: string | null, from: number): Told<WaterEpisode> {
  const path = pondId === null ? null : (`/water-quality/pond/${pondId}/alerts` as const);
  const told = useGet(path, { start_date: new Date(from).toISOString(), limit: MOST_ALERTS });
  // the same list as long as it says the same: charts rest on it
  const events = useMemo(() => {
    const first = new Map<string, WaterEpisode>();
    // newest first: the last one that is seen began it
    for (const alert of told.data?.alerts ?? [])
      first.set(alert.episode_id, { ...alert, at: Date.parse(alert.triggered_at) });
    return [...first.values()].toSorted((a, b) => a.at - b.at);
  }, [told.data]);
  return { events, questions: pondId === null ? [] : [told] };
}

/** Meals of the pond since an instant; of a batch in several ponds also those where nobody said which. */
export function useMeals(pondId: string, batchIds: readonly string[], from: number): Told<Meal> {
  const journals = useQueries({
    queries: batchIds.map((id) => {
      const path = `/feeding/batch/${id}` as const;
      const query = { limit: MOST_MEALS };
      return {
        queryKey: ['feeding', path, query],
        queryFn: ({ signal }: { signal: AbortSignal }) => get(path, query, signal),
      };
    }),
  });
  const version = journals.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const events = useMemo(
    () =>
      journals
        .flatMap(({ data }) => data?.feeding_records ?? [])
        .filter(({ pond_id }) => pond_id === null || pond_id === pondId)
        .map(({ feed_date, quantity_kg }) => ({ at: Date.parse(feed_date), kg: quantity_kg }))
        .filter(({ at }) => at >= from)
        .toSorted((a, b) => a.at - b.at),
    [version, pondId, from],
  );
  return { events, questions: journals };
}

export type Treatment = { at: number; told: string };

const MOST_TREATMENTS = 200;

/** Treatments of the pond since an instant; null as pond asks nothing. */
export function useTreatments(pondId: string | null, from: number): Told<Treatment> {
  const told = useGet(pondId === null ? null : (`/ponds/${pondId}/records` as const), {
    kind: 'TREATMENT',
    limit: MOST_TREATMENTS,
  });
  const events = useMemo(
    () =>
      (told.data ?? [])
        .map(({ happened_at, product, amount, unit }) => ({
          at: Date.parse(happened_at),
          told: [product, amount === null ? null : quantity(amount, 1, unit ?? '')].filter(Boolean).join(' '),
        }))
        .filter(({ at }) => at >= from)
        .toSorted((a, b) => a.at - b.at),
    [told.data, from],
  );
  return { events, questions: pondId === null ? [] : [told] };
}

export type Order = { at: number; isOn: boolean };

const MOST_ORDERS = 500;

/** What the motor of the pond was ordered since an instant, and how it was ordered before; null asks nothing. */
export function useOrders(pointId: string | null, from: number): Told<Order> {
  const told = useGet(pointId === null ? null : (`/control-points/${pointId}/orders` as const), {
    limit: MOST_ORDERS,
  });
  const events = useMemo(() => {
    const all = (told.data ?? [])
      .map(({ issued_at, target_status }) => ({ at: Date.parse(issued_at), isOn: target_status === 'ON' }))
      .toSorted((a, b) => a.at - b.at);
    const before = all.findLast(({ at }) => at < from);
    return [
      ...(before === undefined ? [] : [{ ...before, at: from }]),
      ...all.filter(({ at }) => at >= from),
    ];
  }, [told.data, from]);
  return { events, questions: pointId === null ? [] : [told] };
}

/** From each order to run until the next one not to. */
export function spansOn(orders: readonly Order[], until: number): readonly { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const { at, isOn } of orders) {
    if (isOn) from ??= at;
    else if (from !== null) {
      spans.push({ from, to: at });
      from = null;
    }
  }
  return from === null ? spans : [...spans, { from, to: until }];
}
