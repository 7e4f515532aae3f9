import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

let app: App;
let token: string;
let farmId: string;
beforeAll(async () => {
  app = await startApp();
  ({ token, farmId } = await aFarmWith(app));
});
afterAll(() => app.close());

async function aController() {
  const point = await aControlPoint(app, { token, farmId });
  const controller = {
    controlPointId: point.id,
    deviceId: point.device_id,
    mqttId: point.mqtt_id,
    keyId: 'none',
  };
  return {
    id: point.id,
    beats: () => app.control.door.heartbeat(controller, { current_status: 'OFF' }),
    breaksOff: () => app.control.door.disconnected(controller, { clean: false, takenOver: false }),
    isOnline: async () => body(await app.call('GET', `/control-points/${point.id}`, { token }))['is_online'],
    losses: () => app.control.registry.presenceOf(point.id)?.activity.losses.length,
  };
}

test('a connection that broke while this process stood still is no loss of its controller', async () => {
  const controller = await aController();
  await controller.beats();
  app.standStill(20_000);
  controller.breaksOff();
  expect([await controller.isOnline(), controller.losses()]).toEqual([true, 0]);
  // one that does not come back is missed by its age
  app.clock.advance(41_000);
  expect(await controller.isOnline()).toBe(false);
});

test('one that breaks later is', async () => {
  const controller = await aController();
  app.standStill(20_000);
  app.clock.advance(90_000);
  await controller.beats();
  controller.breaksOff();
  expect([await controller.isOnline(), controller.losses()]).toEqual([false, 1]);
});
