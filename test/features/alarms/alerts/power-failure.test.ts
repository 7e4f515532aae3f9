import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeviceFacts } from '#features/alarms/alerts/ports.ts';
import { createDeviceWatch } from '#features/alarms/alerts/watch-devices.ts';
import { aDevice, FARM, listeningSince, memoryAlerts, START } from './builders.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ONLINE_AFTER = 60 * SECOND;

type Simulated = {
  heardAt: number | null;
  powerOk: boolean | null;
  isLost: boolean;
  target: 'ON' | 'OFF';
  current: 'ON' | 'OFF';
};

/**
 * A farm of controllers whose reports the test decides, and the watch over it, looked at every five seconds. `virtual`:
 * those of the simulator.
 */
function aFarm(count: number, virtual: readonly number[] = []) {
  const store = memoryAlerts();
  const devices = Array.from(
    { length: count },
    (): Simulated => ({ heardAt: 0, powerOk: null, isLost: false, target: 'OFF', current: 'OFF' }),
  );
  const silent = new Set<number>();
  let simulator: 'runs' | 'rests' = 'runs';
  let ms = 0;
  let offset = START;
  let listening = listeningSince(0);
  let watch = start();

  function start() {
    return createDeviceWatch({
      ...store,
      now: () => offset + ms,
      monotonic: () => ms,
      devices: facts,
      listening: () => listening,
      newId: () => 'id',
      idOf: (cause) => cause,
      clockQuality: () => 'trusted',
      guard: async (entity, id) => ({ entity, id, n: 0 }),
      pause: async () => undefined,
      random: () => 0,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
  }

  function* facts(): Iterable<DeviceFacts> {
    for (const [index, { heardAt, powerOk, isLost, target, current }] of devices.entries()) {
      yield aDevice({
        controlPointId: `cp-${index}`,
        cod: `CP-${index}`,
        simulator: virtual.includes(index) ? simulator : null,
        lastReportAt: heardAt === null ? null : START + heardAt,
        lastReportMonotonic: heardAt !== null && heardAt >= listening.sinceMonotonic ? heardAt : null,
        isOnline:
          heardAt !== null && heardAt >= listening.sinceMonotonic && !isLost && ms - heardAt <= ONLINE_AFTER,
        powerOk,
        target,
        current,
      });
    }
  }

  return {
    store,
    /** Lets time pass: every controller that is not silent reports every 30 s, in its own phase. */
    async pass(duration: number) {
      for (const end = ms + duration; ms < end; ) {
        ms += 5 * SECOND;
        for (const [index, device] of devices.entries()) {
          const isTurn = (ms / SECOND + index * 5) % 30 === 0;
          if (!silent.has(index) && isTurn) Object.assign(device, { heardAt: ms, isLost: false });
        }
        await watch.tick();
      }
    },
    silence: (...which: number[]) => which.forEach((index) => silent.add(index)),
    wake(...which: number[]) {
      for (const index of which) silent.delete(index);
    },
    tell(index: number, powerOk: boolean | null) {
      Object.assign(devices[index] ?? {}, { powerOk, heardAt: ms, isLost: false });
    },
    /** What its motor is to do, and does. */
    motor: (index: number, target: 'ON' | 'OFF', current: 'ON' | 'OFF') =>
      void Object.assign(devices[index] ?? {}, { target, current }),
    stopSimulator() {
      simulator = 'rests';
    },
    drop: (index: number) => void Object.assign(devices[index] ?? {}, { isLost: true }),
    stepClock(by: number) {
      offset += by;
    },
    restart(stopped: number) {
      const until = START + ms;
      ms += stopped;
      listening = listeningSince(ms, until);
      watch = start();
    },
    types: () =>
      store
        .active()
        .map(({ type }) => type)
        .sort(),
  };
}

const quiet = () => undefined;

describe('a power failure', () => {
  test.each([
    ['two of four fall silent together', 4, [0, 1], ['POWER_FAILURE']],
    ['one of two falls silent', 2, [0], []],
    ['one of five falls silent', 5, [0], []],
    ['two of five fall silent', 5, [0, 1], []],
    ['three of five fall silent', 5, [0, 1, 2], ['POWER_FAILURE']],
    ['a farm of one falls silent', 1, [0], []],
  ])('%s', async (_words, count, silent, expected) => {
    const farm = aFarm(count);
    await farm.pass(2 * MINUTE);
    farm.silence(...silent);
    await farm.pass(3 * MINUTE);
    expect(farm.types()).toEqual(expected);
  });

  test('names every controller that fell, also those that followed', async () => {
    const farm = aFarm(4);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2);
    await farm.pass(4 * MINUTE);
    expect(farm.store.active().map(({ value, message }) => [value, message])).toEqual([
      [3, expect.stringMatching(/CP-0 \(V-01\), CP-1 \(V-01\), CP-2/)],
    ]);
  });

  test('is told by real controllers alone: virtual ones are on neither side of the half', async () => {
    const [real, virtual] = [
      [0, 1, 2, 3],
      [4, 5, 6, 7, 8, 9],
    ];
    const farm = aFarm(10, virtual);
    await farm.pass(2 * MINUTE);
    farm.silence(...virtual);
    await farm.pass(3 * MINUTE);
    const virtualFell = farm.types();
    farm.wake(...virtual);
    await farm.pass(2 * MINUTE);
    farm.silence(...real.slice(0, 2));
    await farm.pass(3 * MINUTE);
    expect([virtualFell, farm.types()]).toEqual([[], ['POWER_FAILURE']]);
  });

  test('of a farm that has virtual controllers alone is marked, wakes nobody, and ends with the simulator', async () => {
    const farm = aFarm(3, [0, 1, 2]);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1);
    await farm.pass(3 * MINUTE);
    const told = farm.store.active().map(({ type, severity, message }) => [type, severity, message]);
    farm.stopSimulator();
    await farm.pass(2 * MINUTE);
    expect([told, farm.types()]).toEqual([
      [['POWER_FAILURE', 'MEDIUM', expect.stringMatching(/^SIMULADO: 2 de 3 controladores/)]],
      [],
    ]);
  });

  test('is not raised by controllers that fall silent far apart', async () => {
    const farm = aFarm(4);
    await farm.pass(2 * MINUTE);
    farm.silence(0);
    await farm.pass(3 * MINUTE);
    farm.silence(1);
    await farm.pass(3 * MINUTE);
    expect(farm.types()).toEqual([]);
  });

  test('covers the offline alerts of its controllers while it lasts, and not of others', async () => {
    const farm = aFarm(5);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2);
    await farm.pass(5 * MINUTE);
    farm.silence(3);
    await farm.pass(15 * MINUTE);
    expect(farm.types()).toEqual(['DEVICE_OFFLINE', 'POWER_FAILURE']);
  });

  test('ends when half of them are back for a minute; who stays away is offline then', async () => {
    const farm = aFarm(4);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2, 3);
    await farm.pass(15 * MINUTE);
    farm.wake(0, 1);
    await farm.pass(85 * SECOND);
    const before = farm.types();
    await farm.pass(30 * SECOND);
    expect([before, farm.types()]).toEqual([['POWER_FAILURE'], ['DEVICE_OFFLINE', 'DEVICE_OFFLINE']]);
  });

  test('is raised at once by a controller that tells of it, and ended by it', async () => {
    const farm = aFarm(3);
    await farm.pass(MINUTE);
    farm.tell(0, false);
    await farm.pass(5 * SECOND);
    const during = farm.types();
    await farm.pass(20 * MINUTE);
    const stillDuring = farm.types();
    farm.tell(0, true);
    await farm.pass(5 * SECOND);
    expect([during, stillDuring, farm.types()]).toEqual([['POWER_FAILURE'], ['POWER_FAILURE'], []]);
  });

  test('folds the offline alert of a controller that comes back to tell of it', async () => {
    const farm = aFarm(3);
    await farm.pass(MINUTE);
    farm.silence(0);
    await farm.pass(12 * MINUTE);
    const before = farm.types();
    farm.tell(0, false);
    await farm.pass(5 * SECOND);
    const [failure] = farm.store.active().filter(({ type }) => type === 'POWER_FAILURE');
    const folded = farm.store.all().filter(({ folded_into }) => folded_into === failure?.id);
    await farm.pass(5 * SECOND);
    expect([before, folded.map(({ type }) => type), farm.types()]).toEqual([
      ['DEVICE_OFFLINE'],
      ['DEVICE_OFFLINE'],
      ['POWER_FAILURE'],
    ]);
  });

  test('excuses an order that its controller cannot carry out; after its end there is time for a start, then it is told', async () => {
    const farm = aFarm(3);
    await farm.pass(MINUTE);
    farm.tell(0, false);
    farm.motor(0, 'ON', 'OFF');
    // no power is out there
    farm.motor(1, 'ON', 'OFF');
    await farm.pass(5 * MINUTE);
    const during = farm.store.active().map(({ type, control_point_id }) => [type, control_point_id]);
    farm.tell(0, true);
    await farm.pass(80 * SECOND);
    const after = farm.types();
    await farm.pass(20 * SECOND);
    expect([during, after, farm.types()]).toEqual([
      [
        ['POWER_FAILURE', 'cp-0'],
        ['COMMAND_NOT_CONFIRMED', 'cp-1'],
      ],
      ['COMMAND_NOT_CONFIRMED'],
      ['COMMAND_NOT_CONFIRMED', 'COMMAND_NOT_CONFIRMED'],
    ]);
  });

  test('does not excuse a motor that a generator fed and that stands still again', async () => {
    const farm = aFarm(2);
    await farm.pass(MINUTE);
    farm.tell(0, false);
    farm.motor(0, 'ON', 'ON');
    await farm.pass(3 * MINUTE);
    farm.motor(0, 'ON', 'OFF');
    await farm.pass(MINUTE);
    expect(farm.types()).toEqual(['COMMAND_NOT_CONFIRMED', 'POWER_FAILURE']);
  });

  test('that a controller says is over does not make the others offline before they could call', async () => {
    const farm = aFarm(40);
    await farm.pass(2 * MINUTE);
    const others = Array.from({ length: 40 }, (_, index) => index).slice(1);
    farm.silence(0, ...others);
    await farm.pass(13 * MINUTE);
    const during = farm.types();
    farm.wake(0);
    farm.tell(0, true);
    await farm.pass(40 * SECOND);
    const meanwhile = farm.types();
    farm.wake(...others.slice(1));
    await farm.pass(2 * MINUTE);
    expect([during, meanwhile, farm.types(), farm.store.all().length]).toEqual([
      ['POWER_FAILURE'],
      [],
      // the one that stays away
      ['DEVICE_OFFLINE'],
      2,
    ]);
  });

  test('that a person resolved is not raised again for the same silence', async () => {
    const farm = aFarm(4);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2, 3);
    await farm.pass(3 * MINUTE);
    const [failure] = farm.store.active();
    if (!failure) throw new Error('no power failure was raised');
    failure.status = 'RESOLVED';
    farm.restart(0);
    await farm.pass(5 * MINUTE);
    expect(farm.types()).toEqual([]);
  });

  test('outlives a restart of the gateway, and ends after it', async () => {
    const farm = aFarm(4);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2, 3);
    await farm.pass(3 * MINUTE);
    farm.restart(5 * MINUTE);
    await farm.pass(30 * MINUTE);
    const during = farm.types();
    farm.wake(0, 1, 2, 3);
    await farm.pass(3 * MINUTE);
    expect([during, farm.types(), farm.store.all()]).toEqual([['POWER_FAILURE'], [], [expect.anything()]]);
  });
});

describe('a power failure that nobody heard', () => {
  test('took the gateway and the farm: those that stay away after the start are one alert', async () => {
    const farm = aFarm(40);
    await farm.pass(2 * MINUTE);
    farm.silence(...Array.from({ length: 40 }, (_, index) => index));
    farm.restart(4 * MINUTE);
    await farm.pass(20 * MINUTE);
    const during = farm.types();
    farm.wake(...Array.from({ length: 40 }, (_, index) => index));
    await farm.pass(3 * MINUTE);
    expect([during, farm.types(), farm.store.all().length]).toEqual([['POWER_FAILURE'], [], 1]);
  });

  test('came while the controllers were still on their way back after a start: it covers them all', async () => {
    const farm = aFarm(8);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1, 2, 3, 4, 5, 6, 7);
    farm.restart(30 * SECOND);
    farm.wake(0, 1, 2, 3, 4);
    await farm.pass(35 * SECOND);
    farm.silence(0, 1, 2, 3, 4);
    await farm.pass(20 * MINUTE);
    expect(farm.types()).toEqual(['POWER_FAILURE']);
  });

  test('is not made of controllers that were silent before the stop', async () => {
    const farm = aFarm(6);
    await farm.pass(2 * MINUTE);
    farm.silence(0, 1);
    await farm.pass(3 * MINUTE);
    farm.silence(2);
    await farm.pass(3 * MINUTE);
    farm.restart(MINUTE);
    await farm.pass(3 * MINUTE);
    expect(farm.types()).toEqual([]);
  });
});

describe('no storm', () => {
  test('when a switch restarts and all connections drop for half a minute', async () => {
    const farm = aFarm(10);
    await farm.pass(2 * MINUTE);
    for (let index = 0; index < 10; index += 1) farm.drop(index);
    await farm.pass(5 * MINUTE);
    expect(farm.store.all()).toEqual([]);
  });

  test('when the wall clock steps by years', async () => {
    const farm = aFarm(6);
    await farm.pass(2 * MINUTE);
    farm.stepClock(5 * 365 * 24 * 60 * MINUTE);
    await farm.pass(5 * MINUTE);
    farm.stepClock(-5 * 365 * 24 * 60 * MINUTE);
    await farm.pass(5 * MINUTE);
    expect(farm.store.all()).toEqual([]);
  });

  test('when the gateway was off for a day and all come back', async () => {
    const farm = aFarm(6);
    await farm.pass(2 * MINUTE);
    farm.restart(24 * 60 * MINUTE);
    await farm.pass(20 * MINUTE);
    expect(farm.store.all()).toEqual([]);
  });

  test('when 200 controllers of a farm stay away after a restart: they are one alert', async () => {
    const farm = aFarm(200);
    await farm.pass(MINUTE);
    farm.silence(...Array.from({ length: 200 }, (_, index) => index));
    farm.restart(MINUTE);
    await farm.pass(20 * MINUTE);
    expect(farm.types()).toEqual(['POWER_FAILURE']);
    expect(farm.store.commits()).toBe(1);
  });

  test('when 200 controllers were silent before a restart: their alerts share a few commits', async () => {
    const farm = aFarm(400);
    await farm.pass(MINUTE);
    // fewer than half at a time, and more than a minute apart: no power failure
    for (const place of [0, 1]) {
      farm.silence(...Array.from({ length: 100 }, (_, index) => place * 100 + index));
      await farm.pass(2 * MINUTE);
    }
    farm.restart(MINUTE);
    await farm.pass(4 * MINUTE);
    const before = farm.store.commits();
    await farm.pass(12 * MINUTE);
    expect(farm.store.active().length).toBe(200);
    expect(farm.store.commits() - before).toBeLessThanOrEqual(14);
  });
});

describe('whatever falls silent and returns', () => {
  const COUNT = 5;
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('silence' as const), device: fc.nat(COUNT - 1) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wake' as const), device: fc.nat(COUNT - 1) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('lose power' as const), device: fc.nat(COUNT - 1) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), device: fc.nat(200) }) },
  );
  const sequence = fc.array(fc.tuple(step, fc.integer({ min: 1, max: 14 * 60 })), { maxLength: 12 });

  test('one power failure is open per farm, one offline alert per controller, and all end after the return', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const farm = aFarm(COUNT);
        await farm.pass(MINUTE);
        for (const [{ do: what, device }, seconds] of steps) {
          if (what === 'silence') farm.silence(device);
          if (what === 'wake') farm.wake(device);
          if (what === 'lose power') farm.tell(device, false);
          if (what === 'restart') farm.restart(device * 5 * SECOND);
          for (let passed = 0; passed < seconds; passed += 60) {
            await farm.pass(MINUTE);
            const active = farm.store
              .active()
              .map(({ type, control_point_id }) => `${type} ${control_point_id}`);
            expect(active.filter((key) => key.startsWith('POWER_FAILURE')).length).toBeLessThanOrEqual(1);
            expect(new Set(active).size).toBe(active.length);
          }
        }
        for (let device = 0; device < COUNT; device += 1) {
          farm.wake(device);
          farm.tell(device, true);
        }
        await farm.pass(3 * MINUTE);
        expect(farm.store.active()).toEqual([]);
        expect(farm.store.all().every(({ farm_id }) => farm_id === FARM)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
