import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { heldUpMs } from '#test/held-up.ts';
import { type Point, type RealFarm, startFarm } from './a-farm.ts';
import { type PlainController, plainController } from './plain-controller.ts';
import { startSim } from './sim-process.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// A temporary order ends in time, whatever ends first: the gateway, the network, the time. By a controller written from
// the protocol document, and by the product's own.

const MANY_PONDS = { LOCAL_PLAN: 'ENTERPRISE' };
const SPEED = 10;
/** The beat of the gateway and the answer's way, in seconds of the clock on the wall. */
const LATE_S = 2 + 1.5;
/** The slot of a motor that starts alone after its pause, where it is the first of its feeder (protocol 6.11). */
const SLOT_S = 5;

/** Passes with the time, but not while the machine has no processor for gateway or test. */
const ownMs = (farm: RealFarm) => performance.now() - farm.heldUpMs() - heldUpMs();

/** ms since 1970 as the program shows them; it may live faster. */
async function shownTime(farm: RealFarm): Promise<number> {
  return Date.parse(String((await farm.get('/system/clock'))['server_time']));
}

/** A control point that its schedule wants ON for the next nine hours; it runs when this returns. */
async function aeratedPoint(farm: RealFarm, settings = {}): Promise<Point> {
  const point = await farm.point({ start_order: 0, ...settings });
  const start = (await shownTime(farm)) + 3_000;
  await farm.post(`/control-points/${point.id}/schedules`, {
    action: 'ON',
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + 9 * 3_600_000).toISOString(),
  });
  return point;
}

async function controllerOf(farm: RealFarm, point: Point, speed = 1): Promise<PlainController> {
  const controller = plainController(
    farm.mqtt,
    { mqtt_id: point.mqtt_id, key: await farm.key(point) },
    { speed },
  );
  controller.powerOn();
  return controller;
}

const runs = (controller: PlainController, to: 'ON' | 'OFF') =>
  until(
    () => controller.relay(),
    (relay) => relay === to,
  );

describe.skipIf(!canMoveClocks)('a pause, and a start for a time', () => {
  it.concurrent('end at their controllers, over MQTT and HTTP, with the network or the gateway gone', async () => {
    const farm = await startFarm({ speed: SPEED, env: MANY_PONDS });
    const closing: (() => void)[] = [];
    try {
      const [paused, cutPaused] = [await aeratedPoint(farm), await aeratedPoint(farm)];
      const [started, cutStarted] = [
        await farm.point({ start_order: 0 }),
        await farm.point({ start_order: 0 }),
      ];
      const plain = await Promise.all(
        [paused, started, cutPaused, cutStarted].map((point) => controllerOf(farm, point, SPEED)),
      );
      for (const controller of plain) closing.push(controller.powerCut);
      const [pausedOne, startedOne, cutPausedOne, cutStartedOne] = plain as [
        PlainController,
        PlainController,
        PlainController,
        PlainController,
      ];
      // the product's own controllers, one by MQTT and one by HTTP, for each of the two
      const ownPaused = [await aeratedPoint(farm), await aeratedPoint(farm)];
      const ownStarted = [await farm.point({ start_order: 0 }), await farm.point({ start_order: 0 })];
      const simOf = async (points: Point[]) => {
        const identities = await Promise.all(
          points.map(async (point, place) => ({
            device_id: point.device_id,
            mqtt_id: point.mqtt_id,
            key: await farm.key(point),
            transport: place === 0 ? ('mqtt' as const) : ('http' as const),
          })),
        );
        const sim = startSim(farm, identities, SPEED);
        closing.push(sim.close);
        return sim;
      };
      const [simPaused, simStarted] = [await simOf(ownPaused), await simOf(ownStarted)];
      await Promise.all([runs(pausedOne, 'ON'), runs(cutPausedOne, 'ON')]);
      await until(simPaused.running, (running) => running === 2);

      // the network goes: longer than a controller waits before it counts itself alone
      const order = (point: Point, what: string, for_s: number) =>
        farm.post(`/control-points/${point.id}/turn-${what}`, { for_s });
      await order(cutPaused, 'off', 120);
      await order(cutStarted, 'on', 120);
      await Promise.all([runs(cutPausedOne, 'OFF'), runs(cutStartedOne, 'ON')]);
      const cutAt = cutPausedOne.nowS();
      cutPausedOne.cut();
      cutStartedOne.cut();

      // the gateway is killed, in the pauses of the others
      for (const point of [paused, ...ownPaused]) await order(point, 'off', 240);
      for (const point of [started, ...ownStarted]) await order(point, 'on', 240);
      await Promise.all([runs(pausedOne, 'OFF'), runs(startedOne, 'ON')]);
      await until(simPaused.running, (running) => running === 0);
      await until(simStarted.running, (running) => running === 2);
      await until(
        () => cutPausedOne.nowS() - cutAt,
        (gone) => gone > 120 + SLOT_S + LATE_S * SPEED,
      );
      expect(endAfter(cutPausedOne, 'ON', cutAt)).toBeLessThan(120 + SLOT_S + SPEED);
      expect(endAfter(cutPausedOne, 'ON', cutAt)).toBeGreaterThan(120 - SPEED);
      expect(endAfter(cutStartedOne, 'OFF', cutAt)).toBeLessThan(120 + SPEED);
      // whoever comes back agrees with the gateway: nothing moves
      const moved = [cutPausedOne.changes.length, cutStartedOne.changes.length];
      cutPausedOne.heal();
      cutStartedOne.heal();
      await pause(1_500);
      expect([cutPausedOne.changes.length, cutStartedOne.changes.length]).toEqual(moved);
      expect([await farm.target(cutPaused), await farm.target(cutStarted)]).toEqual(['ON', 'OFF']);

      await farm.kill();
      const killedAt = pausedOne.nowS();
      await until(
        () => [pausedOne.relay(), startedOne.relay(), simPaused.running(), simStarted.running()],
        (all) => all.join() === 'ON,OFF,2,0',
        (240 / SPEED) * 1000 + 15_000,
      );
      const orderedAt = pausedOne.changes.findLast(({ to }) => to === 'OFF')?.at ?? killedAt;
      expect(endAfter(pausedOne, 'ON', orderedAt)).toBeLessThan(240 + SLOT_S + SPEED);
      // it did not end because it was alone
      expect(endAfter(pausedOne, 'ON', orderedAt)).toBeGreaterThan(240 - SPEED);
      expect(endAfter(startedOne, 'OFF', orderedAt)).toBeLessThan(240 + SPEED);
      // the flash is written when a level comes and ends, and once a minute between
      expect(pausedOne.flash.writes).toBeLessThan(20);
    } finally {
      for (const close of closing) close();
      await farm.close();
    }
  });

  it.concurrent('are over, after a restart ten minutes in the past, when what was left of them is over', async () => {
    const farm = await startFarm();
    const [paused, started] = [await aeratedPoint(farm), await farm.point({ start_order: 0 })];
    const controllers = [await controllerOf(farm, paused), await controllerOf(farm, started)];
    try {
      await until(
        () => farm.target(paused),
        (target) => target === 'ON',
      );
      const forS = 12;
      await farm.post(`/control-points/${paused.id}/turn-off`, { for_s: forS });
      await farm.post(`/control-points/${started.id}/turn-on`, { for_s: forS });
      await pause(2_000);
      expect(controllers.map((controller) => controller.relay())).toEqual(['OFF', 'ON']);
      await farm.kill();
      farm.stepClock(-600);
      await farm.start();
      const since = ownMs(farm);
      expect((await farm.get('/system/clock'))['quality']).not.toBe('trusted');
      await until(
        async () => [await farm.target(paused), await farm.target(started)],
        (targets) => targets.join() === 'ON,OFF',
      );
      expect((ownMs(farm) - since) / 1000).toBeLessThan(forS + LATE_S);
      await until(
        () => controllers.map((controller) => controller.relay()),
        (relays) => relays.join() === 'ON,OFF',
      );
      // and it stays so: nothing comes back
      await pause(2_000);
      expect([await farm.target(paused), await farm.target(started)]).toEqual(['ON', 'OFF']);
      expect(await farm.alerts('COMMAND_NOT_CONFIRMED')).toEqual([]);
    } finally {
      for (const controller of controllers) controller.powerCut();
      await farm.close();
    }
  });

  it.concurrent('last as long as was said over steps of the clock, at the gateway and at the controller', async () => {
    const farm = await startFarm();
    const closing: (() => void)[] = [];
    try {
      const [paused, started, long] = [
        await aeratedPoint(farm),
        await farm.point({ start_order: 0 }),
        await aeratedPoint(farm),
      ];
      const [pausedOne, startedOne, longOne] = await Promise.all(
        [paused, started, long].map((point) => controllerOf(farm, point)),
      );
      if (!pausedOne || !startedOne || !longOne) throw new Error('three controllers');
      for (const controller of [pausedOne, startedOne, longOne]) closing.push(controller.powerCut);
      await Promise.all([runs(pausedOne, 'ON'), runs(longOne, 'ON')]);
      await farm.post(`/control-points/${long.id}/turn-off`, { for_s: 7_200 });
      const longSince = performance.now();
      const leftOfLong = async () => {
        const status = await farm.get(`/devices/status/${long.device_id}`);
        return Number(status['until']) - (7_200 - (performance.now() - longSince) / 1000);
      };
      const forS = 4;
      for (const step of [3_600, -3_600, 91 * 86_400, -91 * 86_400]) {
        const [given, ownGiven] = [performance.now(), ownMs(farm)];
        await farm.post(`/control-points/${paused.id}/turn-off`, { for_s: forS });
        await farm.post(`/control-points/${started.id}/turn-on`, { for_s: forS });
        await Promise.all([runs(pausedOne, 'OFF'), runs(startedOne, 'ON')]);
        farm.stepClock(step);
        await until(
          async () => [await farm.target(paused), await farm.target(started)],
          (targets) => targets.join() === 'ON,OFF',
        );
        const tookS = (performance.now() - given) / 1000;
        expect(tookS).toBeGreaterThan(forS - 2);
        expect((ownMs(farm) - ownGiven) / 1000).toBeLessThan(forS + LATE_S);
        await Promise.all([runs(pausedOne, 'ON'), runs(startedOne, 'OFF')]);
        // two hours are two hours, whatever the clock shows
        expect(await farm.target(long)).toBe('OFF');
        expect(Math.abs(await leftOfLong())).toBeLessThan(2);
        expect(longOne.relay()).toBe('OFF');
      }
    } finally {
      for (const close of closing) close();
      await farm.close();
    }
  });

  it.concurrent('are followed by what a schedule that is changed meanwhile says, at the controller too', async () => {
    const farm = await startFarm();
    const point = await aeratedPoint(farm);
    const controller = await controllerOf(farm, point);
    try {
      await runs(controller, 'ON');
      await farm.post(`/control-points/${point.id}/turn-off`, { for_s: 8 });
      await runs(controller, 'OFF');
      expect(controller.levels.at(-1)).toMatchObject({ target_status: 'OFF', then: 'ON' });
      // whoever subscribes later is told what is left by then
      await pause(2_000);
      controller.cut();
      controller.heal();
      await until(
        () => controller.levels.at(-1)?.until,
        (left) => left !== undefined && left <= 6,
      );
      // an OFF that begins in the pause and reaches beyond its end
      await farm.schedule(point, 'OFF', 1_000, 3_600_000);
      await until(
        () => controller.levels.at(-1),
        (level) => level?.then === 'OFF' || (level?.target_status === 'OFF' && level.until === undefined),
      );
      await pause(8_000);
      expect(controller.relay()).toBe('OFF');
    } finally {
      controller.powerCut();
      await farm.close();
    }
  });
});

function endAfter(controller: PlainController, to: 'ON' | 'OFF', since: number): number {
  const change = controller.changes.find((each) => each.to === to && each.at > since);
  return change === undefined ? Number.POSITIVE_INFINITY : change.at - since;
}
