import { describe, expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { currentOf, noteCurrent } from '#features/control/control-view.ts';
import { createOrderEnds } from '#features/control/devices/order-ends.ts';
import { createRegistry } from '#features/control/devices/registry.ts';
import { controlPointRow } from '#test/farm-rows.ts';

const AT = (minute: number) => new Date(Date.UTC(2026, 2, 2, 12, minute)).toISOString();
const ID = '00000000-0000-7000-8000-000000000001';

/** A control point in the memory of a process, stored as OFF since a while. */
async function aPoint() {
  const stored = {
    ...controlPointRow(ID, 'farm', 'owner'),
    current_status: 'OFF' as SwitchState,
    current_since: AT(0),
    rev: 1,
  };
  const facts = {
    row: stored,
    zone: 'UTC',
    farmName: '',
    ponds: [],
    powerKw: 0,
    schedules: [],
    manualOrders: [],
    openOrder: null,
    keys: [],
    heardAtMs: null,
    consumption: 0,
  };
  const registry = createRegistry({
    queries: {
      allFarms: async function* () {},
      allControlFacts: async function* () {
        yield facts;
      },
      controlFacts: () => Promise.resolve(facts),
    },
    sha256: (text) => text,
    orderEnds: createOrderEnds({
      now: () => 0,
      monotonic: () => 0,
      clockQuality: () => 'trusted',
      shownTime: null,
    }),
  });
  await registry.load();
  const view = () => {
    const known = registry.byId(ID);
    if (known === null) throw new Error('the control point is gone');
    return known;
  };
  return {
    view,
    heard: (status: SwitchState, minute: number) =>
      noteCurrent(view().presence, status, Date.parse(AT(minute))),
    /** A commit of the row, of this process or of another. */
    committed(set: Partial<typeof stored>) {
      const { row } = view();
      const after = { ...row, ...set };
      registry.follow({
        rows: [{ table: controlPoint.name, id: ID, before: row, after, rev: row.rev + 1, hidden: false }],
      });
    },
  };
}

describe('what a motor does', () => {
  it('is what its controller said last, stored or not', async () => {
    const { view, heard, committed } = await aPoint();
    expect(currentOf(view())).toEqual({ current_status: 'OFF', current_since: AT(0) });
    heard('ON', 5);
    expect(currentOf(view())).toEqual({ current_status: 'ON', current_since: AT(5) });
    // an order is stored meanwhile, the report is not
    committed({ target_status: 'ON', version: 2 });
    expect(currentOf(view())).toEqual({ current_status: 'ON', current_since: AT(5) });
  });

  it('is not set back by an older report that reaches the disk late', async () => {
    const { view, heard, committed } = await aPoint();
    heard('ON', 5);
    heard('OFF', 6);
    committed({ current_status: 'ON', current_since: AT(5) });
    expect(currentOf(view())).toEqual({ current_status: 'OFF', current_since: AT(6) });
  });

  it('is what another process stored, when that heard it later', async () => {
    const { view, heard, committed } = await aPoint();
    heard('ON', 5);
    committed({ current_status: 'ON', current_since: AT(5) });
    committed({ current_status: 'OFF', current_since: AT(9) });
    expect(currentOf(view())).toEqual({ current_status: 'OFF', current_since: AT(9) });
  });
});
