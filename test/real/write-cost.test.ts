import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meterWal } from '../../scripts/bench/wal-meter.ts';
import { type Json, type Point, type RealFarm, startFarm } from './a-farm.ts';
import { type Motor, startMotor } from './mqtt-motor.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// What faulty controllers make the disk write, by the log of the database. Twenty minutes of the farm pass in one.

const SPEED = 20;
const EVERY_MS = 23;
const MOST_MB_A_DAY = 20;
/** What is written whatever controllers say: when each was heard last, and the time. */
const OWN_TABLES = new Set(['presence', 'instance_values', 'log header']);

const WAYS = ['events', 'heartbeats', 'answers to levels', 'heartbeats over HTTP'] as const;
type Way = (typeof WAYS)[number];

describe.skipIf(!canMoveClocks)('faulty controllers that report without end', () => {
  let farm: RealFarm;
  const points = new Map<Way, { point: Point; key: string }>();
  const motors: Motor[] = [];
  const state = { isOver: false, n: 0 };
  let talking: Promise<unknown>;
  beforeAll(async () => {
    farm = await startFarm({ speed: SPEED, args: ['--local-plan', 'ENTERPRISE'] });
    for (const way of WAYS) {
      const point = await farm.point();
      points.set(way, { point, key: await farm.key(point) });
    }
    talking = Promise.all(WAYS.map(talk));
  }, 180_000);
  afterAll(async () => {
    state.isOver = true;
    await talking;
    await Promise.all(motors.map((motor) => motor.stop()));
    await farm?.close();
  });

  const of = (way: Way) => {
    const found = points.get(way);
    if (found === undefined) throw new Error(`nobody talks by ${way}`);
    return found;
  };

  async function talk(way: Way): Promise<void> {
    const { point, key } = of(way);
    const motor = way === 'heartbeats over HTTP' ? null : await startMotor(farm, point, key);
    if (motor !== null) motors.push(motor);
    const epoch = String((await farm.get(`/control-points/${point.id}`))['epoch']);
    for (let n = 0; !state.isOver; n += 1) {
      // mostly as it should be: what alarms write of it is measured elsewhere
      const current_status = n % 4 === 0 ? 'ON' : 'OFF';
      state.n = n;
      if (way === 'events') motor?.say('event', { id: `event-${n}`, k: 'brownout' });
      if (way === 'heartbeats') motor?.say('hb', { current_status });
      if (way === 'answers to levels')
        motor?.say('shadow/reported', { epoch, version: 1, current_status, ack: 'applied' });
      if (motor === null)
        await farm
          .call('POST', '/devices/heartbeat', {
            token: key,
            body: { device_id: point.device_id, current_status },
          })
          .catch(() => undefined);
      await pause(EVERY_MS);
    }
  }

  const notices = async () =>
    ((await farm.get('/notifications/?page_size=100'))['notifications'] as Json[]).filter(
      (one) => (one['data'] as Json)['event'] === 'reports_folded',
    );
  const linesOf = async (way: Way) =>
    (await farm.list(`/logs/control-points/${of(way).point.id}?limit=1000`)).filter(
      (entry) => typeof (entry['details'] as Json | null)?.['folded'] === 'number',
    );

  it('make the disk write 20 MB a day at most each, are told once, and count all the same', {
    timeout: 400_000,
  }, async () => {
    // the day's allowance is used up first, as it comes
    await until(notices, ({ length }) => length === WAYS.length, 200_000);
    const meter = meterWal(join(farm.data, 'farm.db'));
    meter.look();
    meter.learnTables();
    const before = bytes(meter);
    const since = performance.now();
    // a line of each kind is due after ten minutes of the farm
    while (performance.now() - since < (11 * 60_000) / SPEED) {
      await pause(100);
      meter.look();
    }
    meter.learnTables();
    const days = ((performance.now() - since) * SPEED) / 86_400_000;
    const perDayMb = (bytes(meter) - before) / days / 1e6;
    meter.close();
    expect(perDayMb).toBeGreaterThan(0);
    expect(perDayMb).toBeLessThan(MOST_MB_A_DAY * WAYS.length);
    for (const way of WAYS) expect(await linesOf(way)).not.toEqual([]);
    expect(await notices()).toHaveLength(WAYS.length);

    // what it does now is shown at once, and known after a restart
    const { point, key } = of('heartbeats over HTTP');
    state.isOver = true;
    await talking;
    await farm.call('POST', '/devices/heartbeat', {
      token: key,
      body: { device_id: point.device_id, current_status: 'ON' },
    });
    expect((await farm.get(`/control-points/${point.id}`))['current_status']).toBe('ON');
    await farm.stop();
    await farm.start();
    expect((await farm.get(`/control-points/${point.id}`))['current_status']).toBe('ON');
  });
});

function bytes(meter: ReturnType<typeof meterWal>): number {
  return (
    [...meter.bytesByTable()]
      .filter(([table]) => !OWN_TABLES.has(table))
      // what is in the log is written to the database once at most
      .reduce((sum, [, { log }]) => sum + 2 * log, 0)
  );
}
