import { ratio } from './biomass.ts';
import type { ScienceConstants } from './constants.ts';

type Energy = ScienceConstants['energy'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A stretch of time, ms since 1970; `toMs` not included. */
export type Interval = { fromMs: number; toMs: number };

/** Electricity of one aerator or group: rated power, and when it ran. Times must not overlap. */
export type PowerUse = { powerKw: number; ranAt: readonly Interval[] };

/** Hours of the intervals that lie inside a window; overlapping intervals would count twice. */
export function hoursWithin(intervals: readonly Interval[], window: Interval): number {
  return intervals.reduce((sum, one) => sum + overlapMs(one, window), 0) / HOUR_MS;
}

/** kWh: rated power × hours running. Small aerator motors draw about 1 kWh per horsepower and hour. */
export function energyKwh(uses: readonly PowerUse[], window: Interval): number {
  return uses.reduce((sum, { powerKw, ranAt }) => sum + powerKw * hoursWithin(ranAt, window), 0);
}

export type EnergyCost = { kwh: number; discountedKwh: number; cost: number };

/**
 * What that electricity costs, in the currency of the tariff. Windows with a discount repeat every day by local time and
 * may run over midnight; where two overlap, the larger discount holds.
 *
 * @param place.utcOffsetMinutes of the farm's clock in that window
 */
export function energyCost(
  energy: Energy,
  place: { utcOffsetMinutes: number },
  use: { uses: readonly PowerUse[]; window: Interval },
): EnergyCost {
  const kwh = energyKwh(use.uses, use.window);
  let discountedKwh = 0;
  let cost = kwh * energy.tariffPerKwh;
  for (const { discountPercent, at } of discountsIn(energy, place.utcOffsetMinutes, use.window)) {
    const part = energyKwh(use.uses, at);
    discountedKwh += part;
    cost -= part * energy.tariffPerKwh * (discountPercent / 100);
  }
  return { kwh, discountedKwh, cost };
}

/** Where a batch's aeration stands beside Thai ponds (Boyd & McNevin), by kWh per tonne grown; null without growth. */
export function energyBenchmark(
  { kwhPerTonne }: Energy,
  batch: { kwh: number; gainedKg: number },
): { kwhPerTonne: number; rating: 'BELOW_USUAL' | 'USUAL' | 'ABOVE_USUAL' } | null {
  const found = ratio(batch.kwh * 1000, batch.gainedKg);
  if (found === null) return null;
  if (found < kwhPerTonne.low) return { kwhPerTonne: found, rating: 'BELOW_USUAL' };
  return { kwhPerTonne: found, rating: found > kwhPerTonne.high ? 'ABOVE_USUAL' : 'USUAL' };
}

type Discount = { discountPercent: number; at: Interval };

/** The stretches of a window with a discount, none overlapping. */
function discountsIn(energy: Energy, utcOffsetMinutes: number, window: Interval): Discount[] {
  const marks = marksIn(energy, utcOffsetMinutes, window);
  return marks.flatMap((fromMs, i): Discount[] => {
    const toMs = marks[i + 1];
    if (toMs === undefined) return [];
    const minute = minuteOfDay((fromMs + toMs) / 2, utcOffsetMinutes);
    const discounts = energy.discountWindows
      .filter(({ from, to }) => isInDailyWindow(minute, minutesOf(from), minutesOf(to)))
      .map(({ discountPercent }) => discountPercent);
    return discounts.length === 0 ? [] : [{ discountPercent: Math.max(...discounts), at: { fromMs, toMs } }];
  });
}

/** Every instant at which a discount may begin or end inside a window, with the window's own ends, in order. */
function marksIn(energy: Energy, utcOffsetMinutes: number, window: Interval): number[] {
  const daily = energy.discountWindows.flatMap(({ from, to }) => [minutesOf(from), minutesOf(to)]);
  const marks = new Set([window.fromMs, window.toMs]);
  const offsetMs = utcOffsetMinutes * MINUTE_MS;
  let midnightMs = Math.floor((window.fromMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
  for (; midnightMs < window.toMs; midnightMs += DAY_MS) {
    for (const minute of daily) {
      const atMs = midnightMs + minute * MINUTE_MS;
      if (atMs > window.fromMs && atMs < window.toMs) marks.add(atMs);
    }
  }
  return [...marks].sort((a, b) => a - b);
}

function isInDailyWindow(minute: number, from: number, to: number): boolean {
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOfDay(atMs: number, utcOffsetMinutes: number): number {
  return ((Math.floor(atMs / MINUTE_MS + utcOffsetMinutes) % 1440) + 1440) % 1440;
}

function minutesOf(time: string): number {
  return Date.parse(`1970-01-01T${time}:00Z`) / MINUTE_MS;
}

function overlapMs(one: Interval, other: Interval): number {
  return Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs));
}
