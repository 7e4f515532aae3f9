import { expect, test } from 'vitest';
import type { Unit } from '#core/changes.ts';
import { StaleError, StorageUnavailable } from '#core/errors.ts';
import { giveOrder } from '#features/control/control-points/give-order.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { createExecutor, type ExecutorDeps } from '#features/control/schedules/executor.ts';
import { aView } from './a-view.ts';

const NOW = Date.UTC(2026, 2, 2, 12);

/** What it says to every commit; null: it takes them. */
type Disk = { refuses: Error | null };

const oxygenAsks: ExecutorDeps['safetyOf'] = () => [
  { kind: 'SET_POINT', target: 'ON', since: NOW, reason: 'oxygen' },
];

/** The executor over these control points, and what it switched and could not work out. */
function over(
  views: readonly ControlView[],
  safetyOf: ExecutorDeps['safetyOf'],
  startStepMs: number,
  { clock = { now: NOW }, disk = { refuses: null } }: { clock?: { now: number }; disk?: Disk } = {},
) {
  const units: Unit[] = [];
  const errors: unknown[] = [];
  const kernel = {
    now: () => clock.now,
    elapsedSince: (notedAt: number) => clock.now - notedAt,
    clockQuality: () => 'trusted' as const,
    newId: () => `order-${units.length}`,
    idOf: (cause: string) => cause,
    random: () => 0,
    pause: async () => undefined,
    guard: async (entity: string, id: string) => ({ entity, id, n: 0 }),
    async commit(unit: Unit) {
      if (disk.refuses !== null) throw disk.refuses;
      units.push(unit);
      return { rows: [] };
    },
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields: Record<string, unknown>) => void errors.push(fields['controlPointId']),
    },
  };
  const byId = (id: string) => views.find(({ row }) => row.id === id) ?? null;
  const executor = createExecutor(
    {
      ...kernel,
      monotonic: () => clock.now,
      views: {
        all: () => views,
        byId,
        byDeviceId: () => [],
        byMqttId: () => null,
        byPart: () => null,
        ofFarm: () => [],
        unflushed: new Set(),
        refresh: async (id) => byId(id),
      },
      giveOrder: (view, order) => giveOrder(kernel, view, order),
      saveUnsaved: () => [],
      setUnsaved: () => undefined,
      sendUnsaved: () => undefined,
      safetyOf,
      startStepMs,
      shownReasons: async () => [],
    },
    { lookedAt: null },
  );
  const switched = () =>
    units
      .flatMap(({ changes }) => changes)
      .flatMap((change) => ('id' in change && byId(change.id) !== null ? [change.id] : []));
  const told = () =>
    units
      .flatMap(({ changes }) => changes)
      .flatMap((change) =>
        change.op === 'insert' && change.row['action'] === 'schedule_trigger' ? [change.row['details']] : [],
      );
  return { executor, switched, told, errors };
}

test.each([
  ['a locked disk', 'changed', new StorageUnavailable('locked', null)],
  ['a full disk', 'deleted', new StorageUnavailable('full', null)],
  ['rows that others kept changing', 'changed', new StaleError('control point')],
] as const)('what a schedule did behind %s is told though it is %s by then', async (_disk, then, refuses) => {
  const clock = { now: NOW - 60_000 };
  const disk: Disk = { refuses: null };
  const view = aView('night');
  view.schedules = [aNight(NOW)];
  const { executor, told } = over([view], () => [], 0, { clock, disk });
  await executor.tick();
  disk.refuses = refuses;
  clock.now = NOW + 1_000;
  await executor.tick();
  expect(told()).toEqual([]);
  disk.refuses = null;
  view.schedules = then === 'deleted' ? [] : [aNight(NOW + 3_600_000)];
  clock.now = NOW + 7_000;
  await executor.tick();
  clock.now = NOW + 8_000;
  await executor.tick();
  expect(told()).toEqual([
    expect.objectContaining({ schedule_id: 's', due_at: new Date(NOW).toISOString(), late_s: 7 }),
  ]);
  expect(executor.lookedAt()).toBe(clock.now);
});

test('a control point whose rules cannot be worked out keeps no other from its orders', async () => {
  const failing: ExecutorDeps['safetyOf'] = (id) => {
    if (id === 'broken') throw new Error('no such zone');
    return oxygenAsks(id);
  };
  const { executor, switched, errors } = over(['broken', 'sound'].map(aView), failing, 0);
  await executor.tick();
  expect([switched(), errors]).toEqual([['sound'], ['broken']]);
});

test('virtual motors take no start slot from a motor, and wait for none', async () => {
  const virtual = ['v-1', 'v-2', 'v-3'].map(aView);
  for (const { row } of virtual) row.is_simulated = true;
  // larger motors start first; these are no motors
  const views = [...virtual.map((view) => ({ ...view, powerKw: 90 })), ...['m-1', 'm-2'].map(aView)];
  const { executor, switched } = over(views, oxygenAsks, 5_000);
  await executor.tick();
  expect(switched()).toEqual(['m-1', 'v-1', 'v-2', 'v-3']);
});

function aNight(startAt: number): ControlView['schedules'][number] {
  return {
    id: 's',
    control_point_id: 'night',
    action: 'ON',
    start_time: new Date(startAt).toISOString(),
    end_time: null,
    repeat_pattern: 'DAILY',
    days_of_week: null,
    is_active: true,
    description: null,
    effective_from: new Date(startAt - 30_000).toISOString(),
    created_at: new Date(NOW).toISOString(),
    updated_at: null,
    rev: 1,
  };
}
