import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { comparedRows } from '#adapters/sync/compared-rows.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { alert } from '#contract/resources/alerts.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { erase, insert, remove, update } from '#core/changes.ts';
import { bucketOf } from '#store/merge/digest.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { alertRow } from '#test/farm-rows.ts';
import { drawsOf } from '#test/turn.ts';
import { aFarm, aMeasurement, ana, aPond, at, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, STREAM, shown } from './two-sides.ts';

// What belongs to a pond that one side deleted so long ago that it erased it, and what waits for a pond that comes late:
// neither waits for ever.

const [GONE, KEPT] = [1, 9];

type Step =
  | { is: 'read'; n: number; on: number }
  | { is: 'alarm'; n: number; on: number }
  | { is: 'silence'; n: number }
  | { is: 'push'; size: number }
  | { is: 'pull' };

const onPond = fc.constantFrom(GONE, KEPT);
const someOf = fc.integer({ min: 1, max: 6 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ is: fc.constant('read' as const), n: someOf, on: onPond }),
    fc.record({ is: fc.constant('alarm' as const), n: someOf, on: onPond }),
    fc.record({ is: fc.constant('silence' as const), n: someOf }),
    fc.record({ is: fc.constant('push' as const), size: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ is: fc.constant('pull' as const) }),
  ),
  { minLength: 4, maxLength: 25 },
);

onBothEngines('rows below one that was erased', (open) => {
  let opened: TestDatabase[] = [];
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    opened = [];
  });

  async function aPair(): Promise<{ gateway: Database; hosted: Database }> {
    let now = Date.UTC(2026, 2, 1, 12);
    const clock = () => (now += 1);
    const ours = [
      await openTestDatabase('sqlite', { now: clock, node: '0aaa0001' }),
      await open({ streams: 'by scope', now: clock, node: 'c0000001' }),
    ] as const;
    opened.push(...ours);
    const [gateway, hosted] = [ours[0].database, ours[1].database];
    await pair(hosted);
    await pull(gateway, hosted);
    const made = [insert(farm, aFarm()), insert(pond, aPond(GONE)), insert(pond, aPond(KEPT))];
    await gateway.commit({ changes: made, actor: ana });
    await push(gateway, hosted);
    await pull(gateway, hosted);
    return { gateway, hosted };
  }

  const waiting = async (side: Database) =>
    (await side.read.selectFrom('sync_parked').select('reason').execute()).map(({ reason }) => reason);

  const alarmRow = (n: number, on: number) => ({
    ...alertRow({ id: idOf(6, n), farm_id: norte, control_point_id: null }),
    pond_id: idOf(3, on),
  });

  const isSeen = async ({ read }: Database, n: number) =>
    (await read.selectFrom('ponds').select('hidden').where('id', '=', idOf(3, n)).executeTakeFirst())
      ?.hidden === 0;

  async function take(
    { gateway, hosted }: { gateway: Database; hosted: Database },
    step: Step,
  ): Promise<void> {
    const changes = () => {
      if (step.is === 'read')
        return [insert(measurement, aMeasurement(step.n, { pond_id: idOf(3, step.on) }))];
      if (step.is === 'alarm') return [insert(alert, alarmRow(step.n, step.on))];
      if (step.is === 'silence') return [update(alert, idOf(6, step.n), { silence_reason: 'limpeza' })];
      return [];
    };
    if (step.is === 'push') await push(gateway, hosted, step.size);
    else if (step.is === 'pull') await pull(gateway, hosted);
    // what cannot be done as things stand is not done
    else if ('on' in step && !(await isSeen(gateway, step.on))) return;
    else await gateway.commit({ changes: changes(), actor: ana }).catch(() => undefined);
  }

  it('are left out in whatever order both sides hear of each other, and wait nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const sides = await aPair();
        await sides.hosted.commit({ changes: [remove(pond, idOf(3, GONE))], actor: ana });
        await sides.hosted.commit({ changes: [erase(pond, idOf(3, GONE))], actor: null });
        for (const step of all) await take(sides, step);
        for (let round = 0; round < 2; round += 1) {
          await push(sides.gateway, sides.hosted);
          await pull(sides.gateway, sides.hosted);
        }
        expect([await waiting(sides.gateway), await waiting(sides.hosted)]).toEqual([[], []]);
        expect(await shown(sides.hosted, 'ponds')).toEqual(await shown(sides.gateway, 'ponds'));
        expect(await shown(sides.hosted, 'alerts')).toEqual(await shown(sides.gateway, 'alerts'));
        const read = async (side: Database) =>
          side.read
            .selectFrom('measurements')
            .select('id')
            .where('pond_id', '=', idOf(3, KEPT))
            .orderBy('id')
            .execute();
        expect(await read(sides.hosted)).toEqual(await read(sides.gateway));
        for (const { close } of opened.splice(0)) await close();
      }),
      { numRuns: drawsOf(12) },
    );
  });

  /** An aerator as a comparison finds it. */
  const asCompared = async ({ read }: Database, id: string) => {
    const range = { table: 'aerators', bucket: bucketOf(id), after: null, to: null } as const;
    return (await comparedRows(read, 'own').within(range, { from: '', to: '' })).map(changeOf);
  };

  it('and a later change of one that was left out waits nowhere, while one moved away comes with a comparison', async () => {
    const { gateway, hosted } = await aPair();
    const moved = {
      id: idOf(7, 1),
      pond_id: idOf(3, GONE),
      name: 'Aerador 1',
      device_id: 'aer-1',
      power_kw: 1.5,
      status: 'OFF' as const,
      last_command_at: null,
      created_at: at,
      updated_at: null,
    };
    await gateway.commit({
      changes: [insert(alert, alarmRow(1, GONE)), insert(aerator, moved)],
      actor: ana,
    });
    await gateway.commit({
      changes: [update(alert, idOf(6, 1), { silence_reason: 'limpeza' })],
      actor: ana,
    });
    await gateway.commit({ changes: [update(aerator, moved.id, { pond_id: idOf(3, KEPT) })], actor: ana });
    await hosted.commit({ changes: [remove(pond, idOf(3, GONE))], actor: ana });
    await hosted.commit({ changes: [erase(pond, idOf(3, GONE))], actor: null });
    await push(gateway, hosted, 1);
    expect(await waiting(hosted)).toEqual([]);
    await hosted.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId: STREAM,
        lane: 'core',
        changes: await asCompared(gateway, moved.id),
        isRepair: true,
      },
    });
    await pull(gateway, hosted);
    expect(await shown(hosted, 'aerators')).toEqual(await shown(gateway, 'aerators'));
    expect(await shown(hosted, 'aerators')).toMatchObject([{ id: moved.id, pond_id: idOf(3, KEPT) }]);
    expect(await shown(hosted, 'alerts')).toEqual(await shown(gateway, 'alerts'));
  });

  it('are told of as left out, and go when they had waited before it was erased', async () => {
    const { gateway, hosted } = await aPair();
    const later = aPond(2);
    await gateway.commit({ changes: [insert(pond, later)], actor: ana });
    await gateway.commit({
      changes: [insert(measurement, aMeasurement(1, { pond_id: later.id }))],
      actor: ana,
    });
    const readings = await logged(gateway, 1, 'history');
    await hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'history', changes: readings },
    });
    expect(await waiting(hosted)).toEqual([`parent:ponds/${later.id}`]);
    // it came and went while the reading was not looked at
    await hosted.commit({ changes: [insert(pond, later)], actor: ana });
    await hosted.commit({ changes: [remove(pond, later.id)], actor: ana });
    await hosted.commit({ changes: [erase(pond, later.id)], actor: null });
    const { merged } = await hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'core', changes: [] },
    });
    expect(merged).toMatchObject({ ofErased: 1, unparked: 1, parked: [] });
    expect(await waiting(hosted)).toEqual([]);
  });

  it('and more rows than one batch tries, which waited for a pond that came late, all find their place', async () => {
    const { gateway, hosted } = await aPair();
    const late = aPond(2);
    await gateway.commit({ changes: [insert(pond, late)], actor: ana });
    const many = Array.from({ length: 450 }, (_, n) =>
      insert(measurement, aMeasurement(n, { pond_id: late.id })),
    );
    await gateway.commit({ changes: many, actor: ana });
    const readings = await logged(gateway, 1, 'history');
    for (let from = 0; from < readings.length; from += 150)
      await hosted.commit({
        actor: null,
        changes: [],
        incoming: {
          from: 'gateway',
          streamId: STREAM,
          lane: 'history',
          changes: readings.slice(from, from + 150),
        },
      });
    expect((await waiting(hosted)).length).toBe(450);
    const core = await logged(gateway, 1);
    for (const change of [...core, null, null, null])
      await hosted.commit({
        actor: null,
        changes: [],
        incoming: {
          from: 'gateway',
          streamId: STREAM,
          lane: 'core',
          changes: change === null ? [] : [change],
        },
      });
    expect(await waiting(hosted)).toEqual([]);
    expect((await hosted.read.selectFrom('measurements').select('id').execute()).length).toBe(450);
  });
});
