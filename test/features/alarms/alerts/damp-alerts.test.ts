import { describe, expect, it } from 'vitest';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import type { Change } from '#core/changes.ts';
import { dampedAlerting, holdMs } from '#features/alarms/alerts/damp-alerts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// what is stored matters nothing here, only whether something is
const STORED = [{ op: 'blank' }] as unknown as Change[];

function aDay() {
  const state = { now: 0, isOpen: false, raised: 0, resolved: 0 };
  const alerting = dampedAlerting(
    {
      raise: () => {
        state.isOpen = true;
        state.raised += 1;
        return Promise.resolve(STORED);
      },
      resolve: () => {
        state.isOpen = false;
        state.resolved += 1;
        return Promise.resolve(STORED);
      },
    } satisfies Partial<Alerting> as unknown as Alerting,
    { monotonic: () => state.now },
  );
  const cause = (n: number): AlertCause => ({
    farm_id: 'farm',
    control_point_id: 'cp',
    pond_id: null,
    type: 'NO_CURRENT',
    severity: 'HIGH',
    message: '',
    cause: `no_current:${n}`,
  });
  return { state, alerting, cause };
}

describe('an alert that comes and goes', () => {
  it('a few times a day ends as soon as its trouble does', async () => {
    const { state, alerting, cause } = aDay();
    for (let n = 0; n < 5; n += 1) {
      await alerting.raise(cause(n));
      state.now += 30_000;
      await alerting.resolve({ type: 'NO_CURRENT', control_point_id: 'cp' });
      expect(state.isOpen).toBe(false);
      state.now += 30_000;
    }
  });

  it('all day long is raised some twenty times, and stands nearly always', async () => {
    const { state, alerting, cause } = aDay();
    let openFor = 0;
    for (let n = 0; state.now < 24 * HOUR; n += 1) {
      // bad and good by turns, every few seconds
      if (!state.isOpen) await alerting.raise(cause(n));
      state.now += 3_000;
      openFor += 3_000;
      await alerting.resolve({ type: 'NO_CURRENT', control_point_id: 'cp' });
      state.now += 3_000;
      if (state.isOpen) openFor += 3_000;
    }
    expect(state.raised).toBeLessThanOrEqual(24);
    expect(openFor / state.now).toBeGreaterThan(0.99);
  });

  it('of one control point says nothing of another', async () => {
    const { state, alerting, cause } = aDay();
    for (let n = 0; n < 30; n += 1) await alerting.raise(cause(n));
    await alerting.resolve({ type: 'NO_CURRENT', control_point_id: 'other' });
    expect(state.resolved).toBe(1);
    state.now += 121 * MINUTE;
    await alerting.resolve({ type: 'NO_CURRENT', control_point_id: 'cp' });
    expect(state.resolved).toBe(2);
  });

  it('of the farm is held, whichever of its control points it hangs on', async () => {
    const { state, alerting, cause } = aDay();
    for (let n = 0; n < 30; n += 1)
      await alerting.raise({ ...cause(n), type: 'POWER_FAILURE', control_point_id: `cp-${n % 3}` });
    await alerting.resolve({ type: 'POWER_FAILURE', farm_id: 'farm' });
    expect(state.resolved).toBe(0);
  });

  it('that was quiet for a day counts anew', async () => {
    const { state, alerting, cause } = aDay();
    for (let n = 0; n < 30; n += 1) await alerting.raise(cause(n));
    state.now += 25 * HOUR;
    await alerting.raise(cause(31));
    await alerting.resolve({ type: 'NO_CURRENT', control_point_id: 'cp' });
    expect(state.resolved).toBe(1);
  });

  it('is held for two hours at the longest', () => {
    expect([5, 6, 7, 8, 20].map(holdMs)).toEqual([0, 5, 10, 20, 120].map((minutes) => minutes * MINUTE));
  });
});
