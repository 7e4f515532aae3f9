import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RealFarm, startFarm } from './a-farm.ts';
import { httpHeartbeat } from './foreign-controller.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// A controller falls silent, the gateway is started anew, and the controller comes back: its log tells of both.

const SPEED = 10;

it.skipIf(!canMoveClocks)(
  'a silence that ends after a restart has a start and an end in the log, each once',
  { timeout: 180_000 },
  async () => {
    const point = await farm.point();
    const key = await farm.key(point);
    const beat = () => httpHeartbeat(farm, point, key, { current_status: 'OFF' });
    const told = async () =>
      (await farm.list(`/logs/control-points/${point.id}`)).filter(({ action }) =>
        String(action).startsWith('heartbeat_'),
      );
    const actions = async () => (await told()).map(({ action }) => action);
    // heard for a while, so that it can fall silent
    await beat();
    await until(actions, (seen) => seen.length === 1, 60_000);
    expect(await actions()).toEqual(['heartbeat_lost']);
    await farm.stop();
    await farm.start();
    expect(await actions()).toEqual(['heartbeat_lost']);
    await beat();
    await until(actions, (seen) => seen.length === 2, 60_000);
    const [restored] = await told();
    expect(await actions()).toEqual(['heartbeat_restored', 'heartbeat_lost']);
    expect(restored?.['details']).toMatchObject({ silent_s: expect.any(Number) });
    // started anew once more nobody says it again
    await farm.stop();
    await farm.start();
    await beat();
    await until(
      async () => (await farm.get(`/control-points/${point.id}`))['last_heartbeat'],
      (at) => at !== null,
    );
    expect(await actions()).toEqual(['heartbeat_restored', 'heartbeat_lost']);
  },
);

let farm: RealFarm;
beforeAll(async () => {
  if (canMoveClocks) farm = await startFarm({ speed: SPEED });
});
afterAll(async () => {
  if (canMoveClocks) await farm.close();
});
