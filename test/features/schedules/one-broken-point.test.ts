import { expect, test } from 'vitest';
import type { Unit } from '#core/changes.ts';
import type { ControlView } from '#core/control-view.ts';
import { giveOrder } from '#features/control-points/give-order.ts';
import { createExecutor, type ExecutorDeps } from '#features/schedules/executor.ts';
import { controlPointRow } from '#test/farm-rows.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const FARM = '0195a000-0000-7000-8000-000000000001';

test('a control point whose rules cannot be worked out keeps no other from its orders', async () => {
  const views = ['broken', 'sound'].map(aView);
  const units: Unit[] = [];
  const errors: unknown[] = [];
  const kernel = {
    now: () => NOW,
    clockQuality: () => 'trusted' as const,
    newId: () => `order-${units.length}`,
    idOf: (cause: string) => cause,
    random: () => 0,
    pause: async () => undefined,
    guard: async (entity: string, id: string) => ({ entity, id, n: 0 }),
    async commit(unit: Unit) {
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
  const safetyOf: ExecutorDeps['safetyOf'] = (id) => {
    if (id === 'broken') throw new Error('no such zone');
    return [{ kind: 'SET_POINT', target: 'ON', since: NOW, reason: 'oxygen' }];
  };
  const executor = createExecutor(
    {
      ...kernel,
      monotonic: () => NOW,
      views: {
        all: () => views,
        byId,
        byDeviceId: () => null,
        byMqttId: () => null,
        refresh: async () => null,
      },
      giveOrder: (view, order) => giveOrder(kernel, view, order),
      saveUnsaved: () => [],
      setUnsaved: () => undefined,
      sendUnsaved: () => undefined,
      safetyOf,
      startStepMs: 0,
    },
    { lookedAt: null },
  );
  await executor.tick();
  const changed = units.flatMap(({ changes }) => changes.map((change) => 'id' in change && change.id));
  expect(changed).toContain('sound');
  expect(changed).not.toContain('broken');
  expect(errors).toEqual(['broken']);
});

function aView(id: string): ControlView {
  return {
    row: { ...controlPointRow(id, FARM, FARM), rev: 1 },
    unsaved: null,
    mqttId: id,
    zone: 'America/Fortaleza',
    farmName: 'Fazenda Aurora',
    ponds: [],
    powerKw: 1.5,
    schedules: [],
    manualOrders: [],
    openOrder: null,
    keys: [],
    presence: {
      lastReportAt: null,
      lastReportMonotonic: null,
      via: null,
      isConnected: false,
      isLost: false,
      current: null,
      consumption: 0,
      source: null,
      reportedVersion: null,
      powerOk: null,
      motorCurrentMa: null,
      rssi: null,
      firmwareVersion: null,
      uptimeS: null,
      bootId: null,
      deferredUntil: null,
      configRev: null,
      scheduleRev: null,
      isDirty: false,
    },
  };
}
