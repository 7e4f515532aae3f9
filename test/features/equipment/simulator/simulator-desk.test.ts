import { beforeEach, describe, expect, test } from 'vitest';
import type { ControlView } from '#features/control/control-view.ts';
import type { Fault, StartFleet } from '#features/equipment/simulator/ports.ts';
import { createSimulatorDesk } from '#features/equipment/simulator/simulator-desk.ts';

const NOW = Date.parse('2026-03-02T05:00:00.000Z');
const quiet = () => undefined;
const FARMS = ['norte', 'sul', 'leste', 'oeste'];

describe('the simulators of a box', () => {
  let struck: [deviceId: string, kind: Fault['kind']][];
  let ends: ((why: Error) => void)[];
  let stopped: number;
  let views: ControlView[];
  let desk: ReturnType<typeof createSimulatorDesk>;
  const startFleet: StartFleet = (_controllers, on) => {
    ends.push(on.ended);
    return {
      strike: (deviceId, fault) => void struck.push([deviceId, fault.kind]),
      async stop() {
        stopped += 1;
      },
    };
  };
  const point = (farm: string, n: number) => ({
    id: `${farm}-${n}`,
    farm_id: farm,
    cod: `SIM-0${n}`,
    device_id: `simulated-${farm}-${n}`,
  });
  const comesIn = (farm: string, n: number) => ({
    device_id: point(farm, n).device_id,
    mqtt_id: 'm',
    key: 'k',
    power_kw: 1,
  });
  beforeEach(() => {
    [struck, ends, stopped] = [[], [], 0];
    // only its row counts here
    views = FARMS.flatMap((farm) => [1, 2].map((n) => ({ row: point(farm, n) }) as unknown as ControlView));
    desk = createSimulatorDesk({
      now: () => NOW,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      startFleet,
      simulated: () => views,
      changed: () => undefined,
    });
  });

  test('say so when their process ends by itself, are missed by nobody, and start again with what was wrong', () => {
    desk.setConditions('norte', ['norte-1'], { stuck_at: 'ON', power: 'off' });
    desk.start('norte', [comesIn('norte', 1), comesIn('norte', 2)]);
    const asStarted = [...struck];
    expect(desk.plays(point('norte', 1))).toBe(true);
    ends[0]?.(new Error('killed'));
    expect([desk.answer('norte').state, desk.plays(point('norte', 1))]).toEqual(['failed', false]);
    desk.start('norte', [comesIn('norte', 1), comesIn('norte', 2)]);
    // the end of one that was told of late is no end of the next
    ends[0]?.(new Error('killed'));
    expect([desk.answer('norte').state, struck.slice(asStarted.length)]).toEqual(['starting', asStarted]);
    expect(asStarted).toEqual([
      ['simulated-norte-1', 'relay_stuck'],
      ['simulated-norte-1', 'power_cut'],
    ]);
  });

  test('are three at a time', () => {
    for (const farm of FARMS.slice(0, 3)) desk.start(farm, [comesIn(farm, 1)]);
    expect(() => desk.start('oeste', [comesIn('oeste', 1)])).toThrow('3 farms');
    expect(() => desk.start('sul', [comesIn('sul', 1)])).toThrow('runs already');
  });

  test('let go of whose control point is deleted, and end with the last one', async () => {
    desk.start('norte', [comesIn('norte', 1), comesIn('norte', 2)]);
    desk.forget(point('norte', 1));
    expect([struck, stopped]).toEqual([[['simulated-norte-1', 'power_cut']], 0]);
    views = [];
    desk.forget(point('norte', 2));
    await expect.poll(() => stopped).toBe(1);
    expect(desk.answer('norte').state).toBe('none');
  });
});
