import { type MeterUseAnswer, meterKey } from '#contract/resources/meter-readings.ts';
import { notFound } from '#core/errors.ts';
import { kilograms, money } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, startOfDay, type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import { energyCost, energyKwh, type PowerUse } from '#science/energy.ts';
import { type MeterReading, type MeterStretch, OFF_THE_HOUR_MS, stretchesOf } from '#science/meter-use.ts';
import { daysAsked, type EnergyDeps, powerOf } from './energy-use.ts';
import type { ReadingOfMeter } from './ports.ts';

type Mark = { atMs: number; date: string; shift: string };
type Stretch = MeterStretch & { fromMark: number; toMark: number; cost: number | null };

/**
 * What the electricity meters of a farm counted, by shift and day, beside what its aerators must have drawn by the hours that
 * were counted. A reading that nobody wrote down leaves what lies around it together; it is neither shared out nor zero.
 */
export async function meterUseOfFarm(
  deps: EnergyDeps,
  { farmId }: FarmAccess,
  asked: { start_date?: string | undefined; end_date?: string | undefined },
): Promise<MeterUseAnswer> {
  const zone = await deps.energy.zoneOfFarm(farmId);
  if (zone === null) throw notFound('Farm');
  const days = daysAsked(deps, asked, zone);
  const [start = '', end = ''] = [days[0], days.at(-1)];
  const { energy } = await deps.scienceOf(farmId);
  const clock = zoneClock(zone);
  const shifts = [...new Set(energy.shifts.map(({ from }) => from))].toSorted();
  const marks = marksOf([...days, dayAfter(end, 1)], shifts, zone).filter(
    ({ date, shift }) => date <= end || shift === shifts[0],
  );
  const [first, last] = [marks[0]?.atMs ?? 0, marks.at(-1)?.atMs ?? 0];
  const readings = await deps.energy.meterReadings(farmId, {
    from: new Date(first - OFF_THE_HOUR_MS).toISOString(),
    before: new Date(last + OFF_THE_HOUR_MS + 1).toISOString(),
  });
  const byMeter = Map.groupBy(readings, ({ meter }) => meterKey(meter));
  const costOf = (stretch: MeterStretch) => costOfStretch(energy, clock, stretch);
  const stretches = [...byMeter].flatMap(([key, ofMeter]) =>
    stretchesOf(
      ofMeter.map((reading) => toReading(key, reading)),
      marks.map(({ atMs }) => atMs),
    ).map((stretch): Stretch => ({ ...stretch, cost: costOf(stretch) })),
  );
  const nameOf = (key: string) => byMeter.get(key)?.at(-1)?.meter ?? key;
  const ponds = await powerOf(deps, await deps.energy.aeratorsOfFarm(farmId), startOfDay(start, zone));
  const uses = ponds.flatMap(({ use }) => use ?? []);
  const known = stretches.filter(({ kwh }) => kwh !== null);
  const meters = await deps.energy.metersOf(farmId);
  const firstAt = new Map(meters.map(({ meter, first_at }) => [meterKey(meter), Date.parse(first_at)]));
  return {
    farm_id: farmId,
    start_date: start,
    end_date: end,
    tariff_per_kwh: energy.tariffPerKwh,
    shifts,
    total_kwh: known.length === 0 ? null : kilograms(known.reduce((sum, { kwh }) => sum + (kwh ?? 0), 0)),
    total_cost: known.length === 0 ? null : money(known.reduce((sum, { cost }) => sum + (cost ?? 0), 0)),
    meters: meters.map(({ meter, amount, meter_factor, happened_at }) => ({
      meter,
      read_at: happened_at,
      counter: amount,
      meter_factor,
    })),
    stretches: stretches
      .toSorted((one, other) => one.fromMs - other.fromMs || (one.key < other.key ? -1 : 1))
      .map(({ key, fromMs, toMs, kwh, unknown, cost, fromMark, toMark }) => ({
        meter: nameOf(key),
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        date: marks[fromMark]?.date ?? '',
        shift: marks[fromMark]?.shift ?? '',
        shifts: toMark - fromMark,
        kwh: kwh === null ? null : kilograms(kwh),
        cost: cost === null ? null : money(cost),
        unknown,
      })),
    days: days.map((date) =>
      dayOf(date, { marks, stretches, meters: [...byMeter.keys()], firstAt, nameOf, uses, deps }),
    ),
  };
}

const toReading = (
  key: string,
  { happened_at, amount, meter_factor, meter_change }: ReadingOfMeter,
): MeterReading => ({
  key,
  atMs: Date.parse(happened_at),
  counter: amount,
  factor: meter_factor ?? 1,
  change: meter_change,
});

/** Every change of shift of these days, ascending. */
function marksOf(days: readonly string[], shifts: readonly string[], zone: string): Mark[] {
  return days
    .flatMap((date) => {
      const midnight = Date.parse(startOfDay(date, zone));
      return shifts.map((shift) => ({
        atMs: midnight + Date.parse(`1970-01-01T${shift}:00Z`),
        date,
        shift,
      }));
    })
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** As if it had been drawn evenly: nobody knows better of the time between two readings. */
function costOfStretch(
  energy: Parameters<typeof energyCost>[0],
  clock: ZoneClock,
  { kwh, fromMs, toMs }: MeterStretch,
): number | null {
  if (kwh === null) return null;
  const window = { fromMs, toMs };
  const hours = (toMs - fromMs) / 3_600_000;
  const place = { utcOffsetMinutes: clock.offsetAt(fromMs) / 60_000 };
  return energyCost(energy, place, { uses: [{ powerKw: kwh / hours, ranAt: [window] }], window }).cost;
}

function dayOf(
  date: string,
  {
    marks,
    stretches,
    meters,
    firstAt,
    nameOf,
    uses,
    deps,
  }: {
    marks: readonly Mark[];
    stretches: readonly Stretch[];
    meters: readonly string[];
    firstAt: ReadonlyMap<string, number>;
    nameOf: (key: string) => string;
    uses: readonly PowerUse[];
    deps: Pick<EnergyDeps, 'now'>;
  },
): MeterUseAnswer['days'][number] {
  const first = marks.findIndex((mark) => mark.date === date);
  const behind = marks.findIndex((mark, place) => place > first && mark.date !== date);
  const window = { fromMs: marks[first]?.atMs ?? 0, toMs: marks[behind]?.atMs ?? 0 };
  const ofDay = stretches.filter(({ fromMark, toMark }) => fromMark >= first && toMark <= behind);
  const covered = (key: string) =>
    ofDay.filter((one) => one.key === key).reduce((sum, { fromMark, toMark }) => sum + toMark - fromMark, 0);
  const isWhole =
    meters.length > 0 &&
    meters.every((key) => covered(key) === behind - first) &&
    ofDay.every(({ kwh }) => kwh !== null);
  const isRead = (key: string, place: number) =>
    stretches.some((one) => one.key === key && (one.fromMark === place || one.toMark === place));
  // before it was ever read nobody owed a reading of it
  const isOwed = (key: string, { atMs }: Mark) => atMs > (firstAt.get(key) ?? Infinity);
  const due = marks.flatMap((mark, place) =>
    mark.date === date && mark.atMs + OFF_THE_HOUR_MS < deps.now() ? [{ ...mark, place }] : [],
  );
  return {
    date,
    kwh: isWhole ? kilograms(ofDay.reduce((sum, { kwh }) => sum + (kwh ?? 0), 0)) : null,
    cost: isWhole ? money(ofDay.reduce((sum, { cost }) => sum + (cost ?? 0), 0)) : null,
    missing: meters.flatMap((key) =>
      due
        .filter((mark) => isOwed(key, mark) && !isRead(key, mark.place))
        .map(({ shift }) => ({ meter: nameOf(key), shift })),
    ),
    expected_kwh: uses.length === 0 || window.toMs > deps.now() ? null : kilograms(energyKwh(uses, window)),
  };
}
