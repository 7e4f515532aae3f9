import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldUpFromNow } from '#test/held-up.ts';
import { type Json, startFarm } from './a-farm.ts';
import { httpHeartbeat, mqttController } from './foreign-controller.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// The process of the gateway stands still, as on a computer that sleeps, in a virtual machine that is paused, or at a
// card that hangs; its controllers are well all the time. The farms live twenty times faster than this process.

const SPEED = 20;
const BEAT_S = 15;
const EACH = 4;
const TYPES = ['POWER_FAILURE', 'DEVICE_OFFLINE', 'COMMAND_NOT_CONFIRMED', 'UNSTABLE'];
/** The grace after a pause, and a look. */
const SETTLED_S = 100;

const wait = (seconds: number) => pause((seconds * 1000) / SPEED).then(() => undefined);

/** A gateway with four controllers over MQTT and four over HTTP, all well. */
async function startScene() {
  const farm = await startFarm({ speed: SPEED, env: { LOCAL_PLAN: 'ENTERPRISE' } });
  const ends: (() => void)[] = [];
  const beats = (act: () => unknown) => {
    const beat = () =>
      void Promise.resolve()
        .then(act)
        .catch(() => undefined);
    beat();
    const timer = setInterval(beat, (BEAT_S * 1000) / SPEED);
    ends.push(() => clearInterval(timer));
  };
  for (let n = 0; n < EACH; n += 1) {
    const point = await farm.point();
    const key = await farm.key(point);
    // the gateway gives it up after 45 s of silence: after a pause, before it reads what came meanwhile
    const board = await mqttController(farm, point, key, { keepaliveS: 30, backAfterMs: 5_000 / SPEED });
    ends.push(board.die);
    beats(() => board.say('hb', { current_status: 'OFF' }));
  }
  for (let n = 0; n < EACH; n += 1) {
    const point = await farm.point();
    const key = await farm.key(point);
    beats(() => httpHeartbeat(farm, point, key, { current_status: 'OFF' }));
  }
  await wait(30);
  return {
    farm,
    powerCut() {
      for (const end of ends) end();
    },
    async standStill(seconds: number): Promise<void> {
      farm.freeze();
      await wait(seconds);
      farm.thaw();
    },
    /** Everything that was ever told of controllers, and who is not there. */
    async blamed(): Promise<Json[]> {
      const over = await farm.list('/alerts/?include=all&status=RESOLVED');
      const points = await farm.list('/control-points/');
      return [
        ...[...(await farm.alerts()), ...over].filter(({ type }) => TYPES.includes(String(type))),
        ...points.filter(({ is_online }) => is_online !== true),
      ];
    },
    async close() {
      for (const end of ends) end();
      await farm.close();
    },
  };
}

describe.skipIf(!canMoveClocks)('a gateway that stood still', () => {
  let scenes: Awaited<ReturnType<typeof startScene>>[] = [];
  let long: Promise<Json[]>;

  beforeAll(async () => {
    scenes = await Promise.all([startScene(), startScene()]);
    long = (async () => {
      await scene(1).standStill(630);
      await wait(SETTLED_S);
      return scene(1).blamed();
    })();
    long.catch(() => undefined);
  }, 180_000);
  afterAll(async () => {
    for (const each of scenes) await each.close();
  });

  function scene(place: number) {
    const found = scenes[place];
    if (found === undefined) throw new Error('the scene is not set');
    return found;
  }

  it('for 80 s blames none of its controllers', async () => {
    await scene(0).standStill(80);
    await wait(SETTLED_S);
    expect(await scene(0).blamed()).toEqual([]);
  });

  it('for 40 s, and for 80 s a minute later, blames none of its controllers', async () => {
    await scene(0).standStill(40);
    await wait(60);
    await scene(0).standStill(80);
    await wait(SETTLED_S);
    expect(await scene(0).blamed()).toEqual([]);
  });

  it('for ten minutes and a half blames none of its controllers', async () => {
    expect(await long).toEqual([]);
  });

  it('says so in its log', () => {
    const said = scene(0).farm.lines.filter((line) => line.includes('this process stood still'));
    expect(said.length).toBeGreaterThanOrEqual(3);
  });

  it('tells of a power cut that took its controllers while it stood still', async () => {
    const { farm, powerCut } = scene(0);
    farm.freeze();
    powerCut();
    await wait(60);
    farm.thaw();
    const [resumedAt, heldUp] = [performance.now(), heldUpFromNow()];
    await until(
      () => farm.alerts('POWER_FAILURE'),
      (alerts) => alerts.length === 1,
    );
    expect(((performance.now() - resumedAt - heldUp()) * SPEED) / 1000).toBeLessThan(180);
  });
});
