import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildWaterSums, checkWaterSums } from '#adapters/sql/build-water-sums.ts';
import type { Database } from '#adapters/sql/database.ts';
import { waterInSpan } from '#adapters/sql/queries/production/water-in-span.ts';
import { waterSums } from '#adapters/sql/queries/production/water-sums.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { measurement, WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import { insert, remove, restore, update } from '#core/changes.ts';
import { dayAfter, startOfDay } from '#core/zone-clock.ts';
import type { Span } from '#features/production/water-quality/ports.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { drawsOf } from '#test/turn.ts';
import { aFarm, aMeasurement, ana, aPond } from './rows.ts';
import { pair, pull, push } from './two-sides.ts';

// What lists and trends say of a pond's water comes from sums that follow every write. Here measurements come, are corrected,
// go, come back and are exchanged at random; the sums must say what all rows say.

const NOW = Date.UTC(2026, 2, 1, 12);
const START = Date.UTC(2025, 10, 29);
const SPAN_MS = 100 * 86_400_000;
const AVERAGED = ['temperature', 'dissolved_oxygen', 'ph', 'salinity'] as const;

const value = fc.option(
  fc.oneof(
    fc.integer({ min: -500, max: 100_000 }).map((hundredths) => hundredths / 100),
    fc.constantFrom(28.5, 28.5005, 7.1, 0, 1_000),
  ),
  { nil: null },
);
// whole hours and minutes, also the first and last instants of days and months
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: SPAN_MS / 60_000 }).map((minute) => START + minute * 60_000),
    fc.integer({ min: 0, max: 100 }).map((day) => START + day * 86_400_000),
    fc.integer({ min: 0, max: 100 }).map((day) => START + day * 86_400_000 - 1),
    fc.integer({ min: 0, max: 90 }).map((minute) => START + minute * 60_000),
  )
  .map((ms) => new Date(ms).toISOString());
const values = fc.record(
  { temperature: value, dissolved_oxygen: value, ph: value, salinity: value, nitrate: value },
  { requiredKeys: ['temperature'] },
);
const which = fc.nat({ max: 30 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), at: instant, values }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('correct' as const), which, values }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), which, at: instant }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take back' as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('meet' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;
const walk = fc.record({
  steps: fc.array(fc.record({ at: fc.constantFrom('gateway' as const, 'hosted' as const), step }), {
    minLength: 3,
    maxLength: 25,
  }),
  spans: fc.array(fc.tuple(fc.option(instant, { nil: null }), fc.option(instant, { nil: null })), {
    minLength: 2,
    maxLength: 5,
  }),
});

onBothEngines('sums of measurements', (open) => {
  let opened: TestDatabase[] = [];
  let sides: { gateway: Database; hosted: Database };
  let now = NOW;
  let ponds = 0;
  let measured = 0;
  beforeEach(async () => {
    opened = [
      await openTestDatabase('sqlite', { now: () => now, node: '0aaa0001' }),
      await open({ streams: 'by scope', now: () => now, node: 'c0000001' }),
    ];
    const [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    sides = { gateway, hosted };
    ponds = 0;
    await pair(hosted);
    await pull(gateway, hosted);
    await gateway.commit({ changes: [insert(farm, aFarm())], actor: ana });
    await meet();
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  async function meet() {
    await push(sides.gateway, sides.hosted);
    await pull(sides.gateway, sides.hosted);
  }

  async function take(side: Database, pondId: string, known: string[], asked: Step) {
    now += 1_000;
    if (asked.kind === 'meet') return meet();
    if (asked.kind === 'create') {
      measured += 1;
      const row = { ...aMeasurement(measured), pond_id: pondId, measurement_date: asked.at, ...asked.values };
      known.push(row.id);
      await side.commit({ changes: [insert(measurement, row)], actor: ana });
      return;
    }
    const id = known[asked.which % Math.max(1, known.length)];
    if (id === undefined) return;
    const stored = await side.read
      .selectFrom('measurements')
      .select('hidden')
      .where('id', '=', id)
      .executeTakeFirst();
    if (stored === undefined) return;
    const isGone = stored.hidden === 1;
    if (isGone !== (asked.kind === 'take back')) return;
    const change =
      asked.kind === 'correct'
        ? update(measurement, id, asked.values)
        : asked.kind === 'move'
          ? update(measurement, id, { measurement_date: asked.at })
          : asked.kind === 'delete'
            ? remove(measurement, id)
            : restore(measurement, id);
    await side.commit({ changes: [change], actor: ana });
  }

  type Row = { measurement_date: string } & Record<WaterField, number | null>;
  const rowsIn = async ({ read }: Database, pondId: string, { from, before }: Span): Promise<Row[]> =>
    (
      await read
        .selectFrom('measurements')
        .select(['measurement_date', ...WATER_FIELDS])
        .where('pond_id', '=', pondId)
        .where('hidden', '=', 0)
        .execute()
    ).filter(
      (row) =>
        (from === null || row.measurement_date >= from) && (before === null || row.measurement_date < before),
    );
  /** As on paper: whole millionths, added up with no rounding. */
  const exact = (rows: readonly Row[], field: WaterField) => {
    const known = rows.flatMap((row) => row[field] ?? []);
    return {
      count: known.length,
      sum: Number(known.reduce((sum, each) => sum + BigInt(Math.round(each * 1e6)), 0n)),
      least: known.length === 0 ? null : Math.min(...known),
      most: known.length === 0 ? null : Math.max(...known),
    };
  };

  async function saysWhatTheRowsSay(side: Database, pondId: string, span: Span) {
    const rows = await rowsIn(side, pondId, span);
    const dates = rows.map((row) => row.measurement_date).sort();
    const averageOf = (field: WaterField) => {
      const { count, sum } = exact(rows, field);
      return count === 0 ? null : sum / (count * 1e6);
    };
    expect(await waterInSpan(side.read, pondId, span).statistics()).toEqual({
      count: rows.length,
      first: dates[0] ?? null,
      last: dates.at(-1) ?? null,
      ...Object.fromEntries(AVERAGED.map((field) => [field, averageOf(field)])),
    });
    const { of } = await waterSums(side.read, pondId, span, { fields: WATER_FIELDS, extremes: true });
    for (const field of WATER_FIELDS) {
      const expected = exact(rows, field);
      expect(of.get(field) ?? exact([], field)).toEqual(expected);
    }
  }

  async function trendsSayIt(side: Database, pondId: string, zone: string) {
    const days = Array.from({ length: 101 }, (_, n) => dayAfter('2025-11-29', n)).map((day) => ({
      day,
      from: startOfDay(day, zone),
      before: startOfDay(dayAfter(day, 1), zone),
    }));
    const span = { from: days[0]?.from ?? null, before: days.at(-1)?.before ?? null };
    const water = waterInSpan(side.read, pondId, span);
    const expected = [];
    for (const { day, ...within } of days) {
      const rows = await rowsIn(side, pondId, within);
      const { count, sum, least, most } = exact(rows, 'temperature');
      if (count > 0) expected.push({ day, count, sum: sum / 1e6, min: least, max: most });
    }
    const found = await water.dailyFigures('temperature', days);
    expect(found.map(({ day, count, sum, min, max }) => ({ day, count, sum, min, max }))).toEqual(expected);
    const all = await rowsIn(side, pondId, span);
    const squares = all.reduce((total, { temperature }) => total + (temperature ?? 0) ** 2, 0);
    expect(found.reduce((total, day) => total + day.squares, 0)).toBeCloseTo(squares, 5);
    const newest = (least: boolean) =>
      all
        .flatMap(({ temperature, measurement_date }) =>
          temperature === null ? [] : [{ value: temperature, at: measurement_date }],
        )
        .sort((a, b) => (least ? a.value - b.value : b.value - a.value) || (a.at < b.at ? 1 : -1))[0] ?? null;
    expect(await water.extremes('temperature')).toEqual({ lowest: newest(true), highest: newest(false) });
  }

  const keptSums = async ({ read }: Database) =>
    (await read.selectFrom('measurement_sums').selectAll().execute()).sort((a, b) =>
      `${a.pond_id} ${a.stretch}` < `${b.pond_id} ${b.stretch}` ? -1 : 1,
    );

  it('say of any span, day and extreme what all rows say, whatever was written on either side', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ steps, spans }) => {
        ponds += 1;
        const own = aPond(ponds);
        await sides.gateway.commit({ changes: [insert(pond, own)], actor: ana });
        await meet();
        const known: string[] = [];
        for (const { at, step: asked } of steps) await take(sides[at], own.id, known, asked);
        await meet();
        for (const side of [sides.gateway, sides.hosted]) {
          for (const [from, before] of [[null, null] as const, ...spans])
            await saysWhatTheRowsSay(side, own.id, { from, before });
          await trendsSayIt(side, own.id, 'America/Fortaleza');
          await trendsSayIt(side, own.id, 'Asia/Kolkata');
        }
        expect(await keptSums(sides.gateway)).toEqual(await keptSums(sides.hosted));
      }),
      { numRuns: drawsOf(25) },
    );
  });

  it('are made again in slices as they were kept, and until then the rows are read', async () => {
    const own = aPond(1);
    await sides.hosted.commit({ changes: [insert(pond, own)], actor: ana });
    const known: string[] = [];
    const steps = fc.sample(step, 60).filter(({ kind }) => kind !== 'meet');
    for (const asked of steps) await take(sides.hosted, own.id, known, asked);
    const kept = await keptSums(sides.hosted);
    expect(kept.length).toBeGreaterThan(1);
    const { read } = sides.hosted;
    await read.insertInto('measurement_gaps').values({ pond_id: own.id }).execute();
    await sql`update measurement_sums set count = 99, temperature_n = 98, temperature_sum = 3`.execute(read);
    await sql`insert into measurement_sums select ${own.id}, 13, '2024-01-01T00', ${sql.raw(
      ['1', ...WATER_FIELDS.map(() => '1, 1, 0, 1, 0.001, 0.001')].join(', '),
    )}`.execute(read);
    await saysWhatTheRowsSay(sides.hosted, own.id, { from: null, before: null });
    expect(await buildWaterSums({ database: sides.hosted, pause: async () => undefined })).toBe(0);
    expect(await keptSums(sides.hosted)).toEqual(kept);
    expect(await read.selectFrom('measurement_gaps').selectAll().execute()).toEqual([]);
  });

  it('that went wrong are found by the hourly check, and made again', async () => {
    const own = aPond(1);
    await sides.hosted.commit({ changes: [insert(pond, own)], actor: ana });
    const deps = { database: sides.hosted, pause: async () => undefined };
    expect(await checkWaterSums(deps, 0.5)).toEqual([]);
    for (const hour of ['01', '02', '03']) {
      measured += 1;
      const measurement_date = `2026-01-${hour}T${hour}:00:00.000Z`;
      const row = { ...aMeasurement(measured), pond_id: own.id, measurement_date };
      await sides.hosted.commit({ changes: [insert(measurement, row)], actor: ana });
    }
    const kept = await keptSums(sides.hosted);
    for (const share of [0, 0.5, 1]) expect(await checkWaterSums(deps, share)).toEqual([]);
    const { read } = sides.hosted;
    await sql`update measurement_sums set ph_sum = ph_sum + 1 where stretch = '2026-01-02T02'`.execute(read);
    expect(await checkWaterSums(deps, 0.5)).toEqual([own.id]);
    await saysWhatTheRowsSay(sides.hosted, own.id, { from: null, before: null });
    await buildWaterSums(deps);
    expect(await keptSums(sides.hosted)).toEqual(kept);
    await sql`delete from measurement_sums where stretch = '2026-01'`.execute(read);
    expect(await checkWaterSums(deps, 0)).toEqual([own.id]);
    await buildWaterSums(deps);
    expect(await keptSums(sides.hosted)).toEqual(kept);
  });
});
