import { expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { update } from '#core/changes.ts';
import type { Aerator, OrderControlPoint } from '#features/control/aerators/ports.ts';
import { controlAerator } from '#features/control/aerators/routes.ts';

const caller = { userId: 'ana', role: 'OWNER', tokenId: 't', tokenExpiresAt: 0, scopes: null } as const;
const farm = { farmId: 'farm', ownerId: 'ana', role: 'OWNER' } as const;
const anAerator: Aerator = {
  id: 'aerator',
  pond_id: 'pond',
  name: 'Pá 1',
  device_id: 'relay-1',
  power_kw: 1.5,
  status: 'OFF',
  last_command_at: null,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
  rev: 3,
};

const order: Awaited<ReturnType<OrderControlPoint>> = {
  changes: [update(controlPoint, 'point', { target_status: 'ON' })],
  guards: [{ entity: 'control_point', id: 'point', n: 4 }],
};
function control(orderControlPoint: OrderControlPoint) {
  const deps = {
    now: () => Date.UTC(2026, 2, 2, 12),
    newId: () => 'entry',
    idOf: (cause: string) => cause,
    clockQuality: () => 'trusted' as const,
    queries: { controlPointOfDevice: async () => ({ id: 'point', role: 'OWNER' as const }) },
    orderControlPoint,
  };
  return controlAerator(deps, { caller, farm, requestId: 'r-1' }, anAerator, 'ON');
}
const body = {
  id: 'aerator',
  name: 'Pá 1',
  status: 'ON',
  last_command_at: '2026-03-02T12:00:00.000Z',
  control_point_id: 'point',
};

it('switching an aerator whose device is a control point orders that control point in the same commit', async () => {
  const orders: Parameters<OrderControlPoint>[0][] = [];
  const decided = await control(async (asked) => {
    orders.push(asked);
    return order;
  });
  expect(orders).toEqual([
    {
      controlPointId: 'point',
      target: 'ON',
      caller,
      reason: 'aerator Pá 1',
      aeratorId: 'aerator',
      requestId: 'r-1',
    },
  ]);
  expect(decided.changes?.map(({ op, resource }) => `${op} ${resource.name}`)).toEqual([
    'update aerators',
    'insert logs',
    'update control_points',
  ]);
  expect(decided.guards).toEqual(order.guards);
  expect(decided.answer).toEqual({ status: 200, body });
  expect(decided.whenStorageFails).toBeUndefined();
});

it('the control point gets the order though the disk takes nothing, and the caller is warned', async () => {
  const full = new Error('disk full');
  const carriedOut: Error[] = [];
  const decided = await control(async () => ({
    ...order,
    whenStorageFails(error) {
      carriedOut.push(error);
      return { status: 200 };
    },
  }));
  expect(decided.whenStorageFails?.(full)).toEqual({
    status: 200,
    body: { ...body, warnings: [expect.objectContaining({ code: 'NOT_SAVED' })] },
  });
  expect(carriedOut).toEqual([full]);
});
