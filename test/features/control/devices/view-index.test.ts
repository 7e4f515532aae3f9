import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFarmBindings } from '#features/control/commands/gateway-links.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { createViewIndex } from '#features/control/devices/view-index.ts';

const few = (name: string) => fc.nat(3).map((n) => `${name}-${n}`);
const parts = (name: string) =>
  fc.uniqueArray(
    few(name).map((id) => ({ id })),
    { selector: ({ id }) => id },
  );
/** A control point as it stands after one commit; what else control knows of it does not count here. */
const view = fc
  .record({
    id: few('point'),
    device: few('device'),
    farm: few('farm'),
    ponds: parts('pond'),
    schedules: parts('plan'),
  })
  .map(
    ({ id, device, farm, ponds, schedules }) =>
      ({
        row: { id, device_id: device, farm_id: farm },
        mqttId: device,
        ponds,
        schedules,
        keys: [],
      }) as unknown,
  ) as fc.Arbitrary<ControlView>;
const step = fc.oneof(view, few('point'));

const idsOf = (views: Iterable<ControlView>) => [...views].map(({ row }) => row.id).sort();

it('control points are found by farm, name, pond and schedule as if all were looked through', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const index = createViewIndex();
      const standing = new Map<string, ControlView>();
      for (const one of steps) {
        if (typeof one === 'string') {
          index.drop(one);
          standing.delete(one);
        } else {
          // a pond has one control point, and a schedule too: the commit takes it from the one before
          for (const other of standing.values()) {
            if (other.row.id === one.row.id) continue;
            const left = <Part extends { id: string }>(own: readonly Part[], taken: readonly Part[]) =>
              own.filter(({ id }) => !taken.some((part) => part.id === id));
            const less = {
              ...other,
              ponds: left(other.ponds, one.ponds),
              schedules: left(other.schedules, one.schedules),
            };
            standing.set(other.row.id, less);
            index.keep(less);
          }
          index.keep(one);
          standing.set(one.row.id, one);
        }
        const all = [...standing.values()];
        expect(idsOf(index.all())).toEqual(idsOf(all));
        expect([...index.farmIds()].sort()).toEqual([...new Set(all.map(({ row }) => row.farm_id))].sort());
        for (const n of [0, 1, 2, 3]) {
          const has = (own: readonly { id: string }[], id: string) => own.some((part) => part.id === id);
          expect(idsOf(index.ofFarm(`farm-${n}`))).toEqual(
            idsOf(all.filter(({ row }) => row.farm_id === `farm-${n}`)),
          );
          expect(idsOf(index.byDeviceId(`device-${n}`))).toEqual(
            idsOf(all.filter(({ row }) => row.device_id === `device-${n}`)),
          );
          expect(index.byPart(`pond-${n}`)?.row.id).toBe(
            all.find(({ ponds }) => has(ponds, `pond-${n}`))?.row.id,
          );
          expect(index.byPart(`plan-${n}`)?.row.id).toBe(
            all.find(({ schedules }) => has(schedules, `plan-${n}`))?.row.id,
          );
        }
      }
    }),
  );
});

it('the farms of a gateway are those that were bound to it last', async () => {
  const stored = [
    { id: 'farm-1', stream_id: 7 },
    { id: 'farm-2', stream_id: 7 },
    { id: 'farm-3', stream_id: 8 },
  ];
  let moved: number | null = 8;
  const bindings = createFarmBindings({ all: async () => stored, streamOf: async () => moved });
  await bindings.load();
  expect([...bindings.farmsOf(7)]).toEqual(['farm-1', 'farm-2']);
  const before = bindings.changes();
  await bindings.refresh('farm-2');
  expect([...bindings.farmsOf(7)]).toEqual(['farm-1']);
  expect([...bindings.farmsOf(8)].sort()).toEqual(['farm-2', 'farm-3']);
  moved = null;
  await bindings.refresh('farm-1');
  expect([...bindings.farmsOf(7)]).toEqual([]);
  expect(bindings.changes()).toBeGreaterThan(before);
});
