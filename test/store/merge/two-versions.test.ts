import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { hasReadable } from '#adapters/sync/gateway-store.ts';
import type { Resource } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { insert, update } from '#core/changes.ts';
import { digestOf } from '#store/merge/digest.ts';
import { merge } from '#store/merge/merge.ts';
import { readChange } from '#store/merge/read-change.ts';
import { defaultsOf, schemaOfRow } from '#store/merge/schemas.ts';
import { TABLES_IN_ORDER } from '#store/merge/shared-tables.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { batchRow, controlPointRow } from '#test/farm-rows.ts';
import { aControlPoint, aFarm, ana, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, STREAM, shown } from './two-sides.ts';

// Both sides of the sync, of which one came to know a field later than the other.

const [pointId, farmId] = [idOf(5, 1), norte];
const STAMP = '0190a0000000.0000.0000aaaa';

/** A row of a table with fields that came later, and what people entered there. */
const ENTERED: Readonly<Record<string, { row: Record<string, unknown>; entered: Record<string, unknown> }>> =
  {
    control_points: {
      row: controlPointRow(pointId, farmId, ana),
      entered: { is_siren: true, is_simulated: true, allow_unkeyed: false },
    },
    alerts: {
      row: {
        id: idOf(6, 1),
        farm_id: farmId,
        control_point_id: null,
        pond_id: null,
        type: 'DISK_FULL',
        severity: 'LOW',
        message: 'm',
        parameter: null,
        value: null,
        threshold: null,
        status: 'ACTIVE',
        triggered_at: '2026-03-01T12:00:00.000Z',
        resolved_at: null,
        resolved_by: null,
        episode_id: idOf(6, 2),
        folded_into: null,
        acknowledged_at: null,
        acknowledged_by: null,
        acknowledge_note: null,
        silenced_until: null,
        silenced_by: null,
        silence_reason: null,
        shelved_until: null,
        shelved_by: null,
        shelve_reason: null,
        told_at: null,
        told_severity: null,
        source: 'automatic',
        clock_quality: 'trusted',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      },
      entered: { acknowledge_note: 'aerator 3 has no fuse' },
    },
    batches: {
      row: batchRow({ batch: idOf(6, 3), farm: farmId, pond: idOf(6, 4) }, ana),
      entered: { final_price_per_kg: 31.5 },
    },
    survival_changes: {
      row: {
        id: idOf(6, 5),
        batch_id: idOf(6, 3),
        kind: 'FACTOR',
        value: 0.1,
        changed_at: '2026-03-01T12:00:00.000Z',
        description: null,
        created_by: null,
        clock_quality: 'trusted',
        created_at: '2026-03-01T12:00:00.000Z',
      },
      entered: {
        pond_id: idOf(6, 4),
        animals: 120,
        weight_kg: 1.2,
        pond_share: 0.25,
        corrects: idOf(6, 9),
        cause: 'DISEASE',
      },
    },
    biometries: {
      row: {
        id: idOf(6, 6),
        batch_id: idOf(6, 3),
        measurement_date: '2026-03-01T12:00:00.000Z',
        sample_size: 100,
        total_weight_g: 900,
        weight_sd_g: null,
        individual_weights_g: null,
        notes: null,
        created_by: null,
        clock_quality: 'trusted',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      },
      entered: { pond_id: idOf(6, 4) },
    },
    farm_records: {
      row: {
        id: idOf(6, 7),
        farm_id: farmId,
        kind: 'DISEASE',
        pond_id: idOf(6, 4),
        batch_id: null,
        control_point_id: null,
        happened_at: '2026-03-01T12:00:00.000Z',
        text: null,
        product: null,
        product_kind: null,
        product_lot: null,
        amount: null,
        unit: null,
        responsible: null,
        withdrawal_days: null,
        source: null,
        created_by: null,
        clock_quality: 'trusted',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      },
      entered: {
        signs: ['LETHARGY'],
        affected_percent: 12,
        severity: 'SEVERE',
        disease: 'WSSV',
        disease_name: 'White spot',
        sample: 'TISSUE',
        method: 'PCR',
        result: 'POSITIVE',
        result_on: '2026-03-04',
        report_number: 'L-77',
        trays: [{ tray: 1, left_percent: 10, note: null }],
        feeding_id: idOf(6, 9),
        step: 'LIMING',
        ended_on: '2026-03-09',
        meter: 'Medidor 1',
        meter_factor: 40,
        meter_change: 'ROLLED_OVER',
      },
    },
  };

const LATER = TABLES_IN_ORDER.flatMap((resource) =>
  Object.keys(resource.later).map((field): [string, string, Resource] => [resource.name, field, resource]),
);

it.each(LATER)(
  'under one stamp what was entered stands over the default: %s.%s',
  (table, field, resource) => {
    const { row, entered } = ENTERED[table] ?? { row: {}, entered: {} };
    // a field that comes to a table is named above, too
    expect(Object.keys(entered)).toContain(field);
    const empty = { ...row, ...defaultsOf(resource) } as { id: string };
    const full = { ...empty, [field]: entered[field] };
    const register = { cl: 1, hlc: STAMP, over: {} };
    const told = (body: { id: string }): WireChange => ({
      seq: 1,
      tx: 1,
      entity: resource.entity,
      id: body.id,
      op: 1,
      cl: 1,
      hlc: STAMP,
      over: {},
      base: null,
      body,
      actor: null,
      sv: SYNC_SCHEMA,
      chain: '',
    });
    for (const [held, other] of [
      [empty, full],
      [full, empty],
    ] as const)
      for (const how of [{}, { isSnapshot: true as const }, { isMended: true as const }]) {
        const read = readChange(told(other));
        if ('parked' in read || read.edit.is !== 'whole') throw new Error(JSON.stringify(read));
        const merged = merge(resource, { row: held, register }, { ...read.edit, ...how }, () => true);
        expect(merged?.held.row[field]).toEqual(entered[field]);
      }
    // who does not know the field compares the row as alike, whatever stands in it
    const since = resource.later[field] ?? 0;
    const sumOf = (body: object, schema: number) =>
      digestOf(table, { id: empty.id, cl: 1, hlc: STAMP, over: {}, body: { ...body } }, schema);
    expect(sumOf(full, since - 1)).toBe(sumOf(empty, since - 1));
    expect(sumOf(full, since)).not.toBe(sumOf(empty, since));
  },
);

onBothEngines('what an older program kept aside', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  beforeEach(async () => {
    opened = [
      await open({ streams: 'own', node: '0aaa0001' }),
      await open({ streams: 'by scope', node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
    await gateway.commit({
      actor: ana,
      changes: [insert(farm, aFarm()), insert(controlPoint, aControlPoint(1))],
    });
    await push(gateway, hosted);
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });
  const retry = () =>
    hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'core', changes: [] },
    });

  it('is applied by the next one without anything new coming, also where it stumbled over a word, and once only', async () => {
    const { id } = aControlPoint(1);
    await gateway.commit({ actor: ana, changes: [update(controlPoint, id, { is_siren: true })] });
    const [change] = (await logged(gateway, 1)).slice(-1);
    expect(change?.sv).toBe(2);
    // as a program of schema 1 kept it
    await hosted.read
      .insertInto('sync_parked')
      .values(
        ['schema:2', 'refused:type: Invalid option'].map((reason, at) => ({
          id: idOf(9, at + 1),
          stream_id: STREAM,
          lane: 'core' as const,
          seq: 90 + at,
          entity: 7,
          row_id: id,
          reason,
          change_json: JSON.stringify(at === 0 ? change : { ...change, body: { no: {} } }),
          parked_at: '2026-03-01T12:00:00.000Z',
          tries: 1,
          tried_schema: 1,
        })),
      )
      .execute();
    expect(await hasReadable(hosted.read, STREAM)).toBe(true);
    await retry();
    expect(await shown(hosted, 'control_points')).toMatchObject([{ is_siren: 1 }]);
    const left = await hosted.read.selectFrom('sync_parked').select(['reason', 'tried_schema']).execute();
    expect(left).toEqual([{ reason: expect.stringContaining('refused:'), tried_schema: SYNC_SCHEMA }]);
    expect(await hasReadable(hosted.read, STREAM)).toBe(false);
  });

  it('says with its schema what must be known: ordinary settings none, a siren that becomes an aerator again the siren', async () => {
    const { id } = aControlPoint(1);
    const svOf = async (set: object) => {
      await gateway.commit({ actor: ana, changes: [update(controlPoint, id, set)] });
      return (await logged(gateway, 1)).at(-1)?.sv;
    };
    expect(await svOf({ min_on_s: 77 })).toBe(1);
    expect(await svOf({ is_siren: true })).toBe(2);
    expect(await svOf({ min_on_s: 78 })).toBe(2);
    expect(await svOf({ is_siren: false })).toBe(2);
    expect(await svOf({ min_on_s: 79 })).toBe(1);
    expect(await svOf({ allow_unkeyed: null, cod: 'CP-8' })).toBe(1);
    expect(await svOf({ allow_unkeyed: true })).toBe(6);
  });

  const rule = {
    id: idOf(8, 1),
    control_point_id: aControlPoint(1).id,
    action: 'ON',
    start_time: '2026-03-01T12:00:00.000Z',
    end_time: null,
    repeat_pattern: 'DAILY',
    days_of_week: null,
    is_active: true,
    description: null,
    effective_from: '2026-03-01T12:00:00.000Z',
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: null,
  } as const;
  const elsewhere = aControlPoint(2);
  const BEFORE_MOVES = 8;

  it('of a schedule is its move alone: what was changed with it is taken, and the next program moves it', async () => {
    await gateway.commit({ actor: ana, changes: [insert(controlPoint, elsewhere), insert(schedule, rule)] });
    await push(gateway, hosted);
    const [made] = (await logged(gateway, 1)).slice(-1);
    const moved = { control_point_id: elsewhere.id, start_time: '2026-03-01T13:00:00.000Z' };
    await gateway.commit({ actor: ana, changes: [update(schedule, rule.id, moved)] });
    const told = (await logged(gateway, 1)).slice(-2);
    expect([made, ...told].map((change) => [change?.sv, Object.keys(change?.body ?? {})])).toMatchObject([
      [1, expect.arrayContaining(['control_point_id'])],
      [1, ['rule', 'updated_at']],
      [9, ['place', 'updated_at']],
    ]);
    const [ofRule, ofPlace] = told;
    if (ofRule === undefined || ofPlace === undefined) throw new Error('nothing was told');
    const incoming = { from: 'gateway', streamId: STREAM, lane: 'core' } as const;
    await hosted.commit({ actor: null, changes: [], incoming: { ...incoming, changes: [ofRule] } });
    expect(await shown(hosted, 'schedules')).toMatchObject([
      { ...moved, control_point_id: rule.control_point_id },
    ]);
    await hosted.read
      .insertInto('sync_parked')
      .values({
        id: idOf(9, 1),
        stream_id: STREAM,
        lane: 'core',
        seq: ofPlace.seq,
        entity: ofPlace.entity,
        row_id: rule.id,
        reason: 'schema:9',
        change_json: JSON.stringify(ofPlace),
        parked_at: '2026-03-01T12:00:00.000Z',
        tries: 1,
        tried_schema: BEFORE_MOVES,
      })
      .execute();
    // edited there meanwhile, and nobody's edit is a conflict
    await gateway.commit({ actor: ana, changes: [update(schedule, rule.id, { is_active: false })] });
    const [edited] = (await logged(gateway, 1)).slice(-1);
    if (edited === undefined) throw new Error('nothing was told');
    expect(edited.sv).toBe(1);
    await hosted.commit({ actor: null, changes: [], incoming: { ...incoming, changes: [edited] } });
    await retry();
    expect(await shown(hosted, 'schedules')).toEqual(await shown(gateway, 'schedules'));
    expect(await shown(hosted, 'schedules')).toMatchObject([{ ...moved, is_active: 0 }]);
    expect(await hosted.read.selectFrom('sync_conflicts').selectAll().execute()).toEqual([]);
    expect(await hosted.read.selectFrom('sync_parked').selectAll().execute()).toEqual([]);
  });

  it('makes no difference for programs that know no moves, until a schedule is moved', () => {
    const row = (body: object, over: Record<string, string> = {}) => ({
      id: rule.id,
      cl: 1,
      hlc: STAMP,
      over,
      body: { ...rule, ...body },
    });
    const later = '0190a0000001.0000.0000aaaa';
    const sum = (of: ReturnType<typeof row>, known: number) => digestOf('schedules', of, known);
    const moved = { control_point_id: elsewhere.id };
    // who does not know moves takes the place for one that was made so
    expect(sum(row({}, { place: later }), BEFORE_MOVES)).toBe(sum(row({}), BEFORE_MOVES));
    expect(sum(row(moved), BEFORE_MOVES)).not.toBe(sum(row({}), BEFORE_MOVES));
    expect(sum(row({}, { place: later }), SYNC_SCHEMA)).not.toBe(sum(row({}), SYNC_SCHEMA));
    // as it stands it is told to nobody who would run it at both control points
    const wire = { ...row(moved, { place: later }), entity: schedule.entity };
    expect(schemaOfRow(wire)).toBe(9);
    expect(schemaOfRow({ ...wire, over: { rule: later } })).toBe(1);
  });
});
