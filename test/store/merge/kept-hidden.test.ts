import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { batch } from '#contract/resources/batches.ts';
import { farm } from '#contract/resources/farms.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { pond } from '#contract/resources/ponds.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert, remove, restore, update } from '#core/changes.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { batchRow } from '#test/farm-rows.ts';
import { aFarm, aMeasurement, ana, aPond, at, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, STREAM, shown } from './two-sides.ts';

onBothEngines('what was recorded below what the other side had deleted', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  const lot = batchRow({ batch: idOf(8, 1), farm: norte, pond: aPond(1).id }, ana);
  beforeEach(async () => {
    opened = [
      await openTestDatabase('sqlite', { node: '0aaa0001' }),
      await open({ streams: 'by scope', node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
    await atGateway(
      insert(farm, aFarm()),
      insert(pond, aPond(1)),
      insert(pond, aPond(2)),
      insert(batch, lot),
    );
    await meet();
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  const atGateway = (...changes: Change[]) => gateway.commit({ changes, actor: ana });
  const atHosted = (...changes: Change[]) => hosted.commit({ changes, actor: ana });
  const meet = async () => {
    await push(gateway, hosted);
    await pull(gateway, hosted);
  };
  const aFeeding = (n: number) =>
    insert(feedingRecord, {
      id: idOf(9, n),
      batch_id: lot.id,
      pond_id: null,
      feed_type: '35 %',
      quantity_kg: 20,
      cost_per_kg: 6,
      feed_date: at,
      tray_leftover_percent: null,
      notes: null,
      created_by: ana,
      clock_quality: 'trusted',
      created_at: at,
      updated_at: null,
    });
  const notes = ({ read }: Database) =>
    read
      .selectFrom('sync_conflicts')
      .select([
        'id',
        'entity',
        'row_id',
        'field_group',
        'rule',
        'dropped_json',
        'farm_id',
        'dropped_by',
        'state',
      ])
      .execute();

  it('is told once per deleted pond, with how much of what there is, and comes back with the pond', async () => {
    await atHosted(remove(pond, aPond(1).id));
    for (let n = 1; n <= 12; n += 1) await atGateway(aFeeding(n));
    await atGateway(insert(measurement, aMeasurement(1)));
    await meet();
    const [note, ...others] = await notes(hosted);
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      entity: pond.entity,
      row_id: aPond(1).id,
      field_group: '*',
      rule: 'delete_wins',
      dropped_json: '{"feeding_records":12,"measurements":1}',
      farm_id: norte,
      dropped_by: ana,
      state: 'open',
    });
    await atHosted(restore(pond, aPond(1).id));
    await meet();
    for (const side of [gateway, hosted]) {
      expect(await shown(side, 'batches')).toHaveLength(1);
      expect(await shown(side, 'feeding_records')).toHaveLength(12);
      expect(await shown(side, 'measurements')).toHaveLength(1);
    }
  });

  it('adds what comes later to the same note, and the same batch again to nothing', async () => {
    await atHosted(remove(pond, aPond(1).id));
    await atGateway(aFeeding(1));
    await push(gateway, hosted);
    const [first] = await notes(hosted);
    await atGateway(aFeeding(2), insert(measurement, aMeasurement(1)));
    await push(gateway, hosted);
    const again = await logged(gateway, 1, 'history');
    await hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'history', changes: again },
    });
    expect(await notes(hosted)).toEqual([
      { ...first, dropped_json: '{"feeding_records":2,"measurements":1}' },
    ]);
  });

  it('is told at the farm, too, when the pond was deleted there', async () => {
    await atGateway(remove(pond, aPond(1).id));
    await atHosted(aFeeding(1));
    await meet();
    expect(await notes(gateway)).toMatchObject([
      { row_id: aPond(1).id, dropped_json: '{"feeding_records":1}', dropped_by: ana },
    ]);
  });

  it('is no news where one side recorded, then deleted', async () => {
    await atGateway(aFeeding(1));
    await atGateway(remove(pond, aPond(1).id));
    await atHosted(insert(pond, aPond(3)));
    await atHosted(remove(pond, aPond(3).id));
    await meet();
    for (const side of [gateway, hosted]) expect(await notes(side)).toEqual([]);
  });

  it('is out of sight with a farm whose delete comes in the same batch, two steps above', async () => {
    const blade = (n: number) =>
      insert(aerator, {
        id: idOf(7, n),
        pond_id: aPond(2).id,
        name: 'Aerador',
        device_id: `blade-${n}`,
        power_kw: 1.5,
        status: 'OFF',
        last_command_at: null,
        created_at: at,
        updated_at: null,
      });
    await atGateway(blade(1));
    await meet();
    await atGateway(blade(2), update(aerator, idOf(7, 1), { name: 'Neu' }));
    await atGateway(remove(farm, norte));
    await meet();
    for (const side of [gateway, hosted]) expect(await shown(side, 'aerators')).toEqual([]);
    await atHosted(restore(farm, norte));
    await meet();
    for (const side of [gateway, hosted]) expect(await shown(side, 'aerators')).toHaveLength(2);
  });
});
