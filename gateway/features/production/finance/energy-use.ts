import type { EnergyAnswer, OptimalHarvestAnswer } from '#contract/resources/finance.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { kilograms, money, roundTo } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, daysBetween, localDay, startOfDay, type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { ScienceConstants } from '#science/constants.ts';
import {
  energyBenchmark,
  energyCost,
  energyKwh,
  hoursWithin,
  type Interval,
  type PowerUse,
} from '#science/energy.ts';
import type { AeratorOfPond, EnergyQueries, RunFacts } from './ports.ts';

export type EnergyDeps = Pick<Kernel, 'now'> & {
  energy: EnergyQueries;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
};

type PondPower = { pondId: string; pondCod: string; powerKw: number; use: PowerUse | null };

const DAYS_BY_DEFAULT = 7;
const MOST_DAYS = 92;

/**
 * Electricity of a farm's aerators per day and per pond: power of the aerators of a pond × hours its control point
 * reported ON. Aerators without such a report are told apart, not guessed.
 */
export async function energyOfFarm(
  deps: EnergyDeps,
  { farmId }: FarmAccess,
  asked: { start_date?: string | undefined; end_date?: string | undefined },
): Promise<EnergyAnswer> {
  const zone = await deps.energy.zoneOfFarm(farmId);
  if (zone === null) throw notFound('Farm');
  const days = daysAsked(deps, asked, zone);
  const [start = '', end = ''] = [days[0], days.at(-1)];
  const { energy } = await deps.scienceOf(farmId);
  const ponds = await powerOf(deps, await deps.energy.aeratorsOfFarm(farmId), startOfDay(start, zone));
  const clock = zoneClock(zone);
  const uses = ponds.flatMap(({ use }) => use ?? []);
  const costIn = (window: Interval, of: readonly PowerUse[]) =>
    energyCost(energy, { utcOffsetMinutes: clock.offsetAt(window.fromMs) / 60_000 }, { uses: of, window });
  const byDay = days.map((date) => ({ date, ...costIn(windowOf(date, clock), uses) }));
  const total = byDay.reduce((sum, day) => ({ kwh: sum.kwh + day.kwh, cost: sum.cost + day.cost }), {
    kwh: 0,
    cost: 0,
  });
  const whole = { fromMs: windowOf(start, clock).fromMs, toMs: windowOf(end, clock).toMs };
  return {
    farm_id: farmId,
    start_date: start,
    end_date: end,
    tariff_per_kwh: energy.tariffPerKwh,
    source: uses.length === 0 ? 'NONE' : 'REPORTS',
    unmeasured_kw: kilowatts(ponds.reduce((sum, pond) => (pond.use === null ? sum + pond.powerKw : sum), 0)),
    total_kwh: kilowatts(total.kwh),
    total_cost: money(total.cost),
    days: byDay.map(({ date, kwh, cost, discountedKwh }) => ({
      date,
      kwh: kilowatts(kwh),
      cost: money(cost),
      discounted_kwh: kilowatts(discountedKwh),
    })),
    ponds: ponds.flatMap(({ pondId, pondCod, powerKw, use }) => {
      if (use === null) return [];
      // per day, so that a clock change inside the range moves no discount
      const perDay = days.map((date) => costIn(windowOf(date, clock), [use]));
      return [
        {
          pond_id: pondId,
          pond_cod: pondCod,
          power_kw: kilowatts(powerKw),
          hours_on: roundTo(hoursWithin(use.ranAt, whole), 2),
          kwh: kilowatts(perDay.reduce((sum, { kwh }) => sum + kwh, 0)),
          cost: money(perDay.reduce((sum, { cost }) => sum + cost, 0)),
        },
      ];
    }),
  };
}

/** Every day of the span that was asked for, the last week where nothing was. Throws 422 for one that ends before it begins, or is long. */
export function daysAsked(
  deps: Pick<EnergyDeps, 'now'>,
  asked: { start_date?: string | undefined; end_date?: string | undefined },
  zone: string,
): string[] {
  const end = asked.end_date ?? localDay(isoOf(deps.now()), zone);
  const start = asked.start_date ?? dayAfter(end, 1 - DAYS_BY_DEFAULT);
  if (end < start) throw invalidField(422, 'end_date', 'must not lie before start_date');
  if (daysBetween(start, end) >= MOST_DAYS)
    throw invalidField(422, 'end_date', `at most ${MOST_DAYS} days at once`);
  return Array.from({ length: daysBetween(start, end) + 1 }, (_, i) => dayAfter(start, i));
}

/** What the aeration of some ponds costs a day, by their last days; `since` is the youngest a batch can be billed for. */
export async function dailyEnergyOf(
  deps: EnergyDeps,
  of: {
    farmId: string;
    pondIds: readonly string[];
    timezone: string;
    batchAgeDays: number;
    stockedAt: string;
    gainedKg: number;
  },
): Promise<OptimalHarvestAnswer['energy_estimate']> {
  const days = Math.max(1, Math.min(DAYS_BY_DEFAULT, of.batchAgeDays));
  const nowMs = deps.now();
  const window = { fromMs: nowMs - days * 86_400_000, toMs: nowMs };
  const ponds = await powerOf(deps, await deps.energy.aeratorsIn(of.pondIds), isoOf(window.fromMs));
  const uses = ponds.flatMap(({ use }) => use ?? []);
  const { energy } = await deps.scienceOf(of.farmId);
  const utcOffsetMinutes = zoneClock(of.timezone).offsetAt(nowMs) / 60_000;
  const { kwh, cost } = energyCost(energy, { utcOffsetMinutes }, { uses, window });
  const benchmark = await benchmarkOf(deps, energy, of);
  return {
    kwh_per_day: kilowatts(kwh / days),
    cost_per_day: money(cost / days),
    source: uses.length === 0 ? 'NONE' : 'REPORTS',
    days,
    kwh_per_tonne: roundTo(benchmark?.kwhPerTonne ?? null, 0),
    kwh_per_tonne_usual: energy.kwhPerTonne.mean,
    kwh_per_tonne_rating: benchmark?.rating ?? null,
  };
}

/** All that the aerators of these ponds drew since stocking, beside what the batch gained with it; null: nothing reports. */
async function benchmarkOf(
  deps: EnergyDeps,
  energy: ScienceConstants['energy'],
  { pondIds, stockedAt, gainedKg }: Parameters<typeof dailyEnergyOf>[1],
) {
  const ponds = await powerOf(deps, await deps.energy.aeratorsIn(pondIds), stockedAt);
  const uses = ponds.flatMap(({ use }) => use ?? []);
  if (uses.length === 0) return null;
  const kwh = energyKwh(uses, { fromMs: Date.parse(stockedAt), toMs: deps.now() });
  return energyBenchmark(energy, { kwh, gainedKg });
}

/** Power per pond and when it ran since an instant; `use` null: no control point reports it. */
export async function powerOf(
  deps: EnergyDeps,
  aerators: readonly AeratorOfPond[],
  since: string,
): Promise<PondPower[]> {
  const controlPoints = [...new Set(aerators.flatMap(({ control_point_id }) => control_point_id ?? []))];
  const facts = new Map(
    (await deps.energy.runFacts(controlPoints, since)).map((each) => [each.control_point_id, each]),
  );
  const byPond = Map.groupBy(aerators, ({ pond_id }) => pond_id);
  return [...byPond].flatMap(([pondId, inPond]) => {
    const [first] = inPond;
    if (first === undefined) return [];
    const powerKw = inPond.reduce((sum, { power_kw }) => sum + power_kw, 0);
    const run = first.control_point_id === null ? undefined : facts.get(first.control_point_id);
    const hasReported = run !== undefined && run.current_status !== null;
    const use = hasReported ? { powerKw, ranAt: runsOf(run, Date.parse(since), deps.now()) } : null;
    return [{ pondId, pondCod: first.pond_cod, powerKw, use }];
  });
}

/** When a control point was ON, by its reports. A controller that fell silent counts as it last reported. */
function runsOf(
  { current_status, current_since, changes }: RunFacts,
  fromMs: number,
  nowMs: number,
): Interval[] {
  const [first] = changes;
  if (first === undefined) {
    const sinceMs = current_since === null ? fromMs : Date.parse(current_since);
    return current_status === 'ON' ? [{ fromMs: Math.max(fromMs, sinceMs), toMs: nowMs }] : [];
  }
  const states = [
    { atMs: fromMs, state: first.from },
    ...changes.map(({ at, to }) => ({ atMs: Date.parse(at), state: to })),
  ];
  return states.flatMap(({ atMs, state }, i) =>
    state === 'ON' ? [{ fromMs: atMs, toMs: states[i + 1]?.atMs ?? nowMs }] : [],
  );
}

function windowOf(day: string, clock: ZoneClock): Interval {
  return {
    fromMs: Date.parse(startOfDay(day, clock)),
    toMs: Date.parse(startOfDay(dayAfter(day, 1), clock)),
  };
}

const kilowatts = kilograms;
