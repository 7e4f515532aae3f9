import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, type Point, type RealFarm, startFarm } from './a-farm.ts';
import { httpHeartbeat, type Level, mqttController } from './foreign-controller.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// Controllers of other makers, each with a fault of its own, on one farm that lives five times faster than this process.
// Whatever they say, nobody stands still, runs on or chatters unseen.

const SPEED = 5;
const TOLD_WITHIN_S = 90;
const BEAT_S = 10;

type Told = { type: string; severity: string; afterS: number };
type Scene = {
  farm: RealFarm;
  point: Point;
  key: string;
  /** From here on the time counts. */
  begin: () => Promise<void>;
  order: (target: 'on' | 'off', fields?: Json) => Promise<void>;
  /** Again and again, every so many seconds of the farm, until the scene is over; `times` counts from 0. */
  every: (seconds: number, act: (times: number) => unknown) => void;
  wait: (seconds: number) => Promise<void>;
};
type Fault = {
  title: string;
  run: (scene: Scene) => Promise<void>;
  tells: { type: string; severity?: string; says: RegExp };
};

const board = (n: number) => `boot-${n}`;
const off = (fields: Json = {}) => ({ current_status: 'OFF', ...fields });
const on = (fields: Json = {}) => ({ current_status: 'ON', ...fields });
const answer = ({ epoch, version }: Level, ack: string, fields: Json = {}) => ({
  epoch,
  version,
  ...off(),
  ack,
  ...fields,
});

/** Over MQTT, with a heartbeat every few seconds; it answers levels as `onLevel` does. */
async function mqtt(
  { farm, point, key, every }: Scene,
  state: () => Json,
  onLevel?: (level: Level) => Json | null,
) {
  const controller = await mqttController(farm, point, key, {
    onLevel(level, { say }) {
      const report = onLevel?.(level) ?? null;
      if (report !== null) say('shadow/reported', report);
    },
  });
  controller.say('hb', state());
  every(BEAT_S, () => controller.say('hb', state()));
  return controller;
}

const http = ({ farm, point, key }: Scene, fields: Json) => httpHeartbeat(farm, point, key, fields);

/** It says that it will do it later, and never does. */
const postponing =
  (untilS: number | undefined, everyS: number) =>
  async (scene: Scene): Promise<void> => {
    let wanted: Level | null = null;
    const later = (level: Level) =>
      answer(level, 'deferred', untilS === undefined ? {} : { until_s: untilS });
    const controller = await mqtt(scene, off, (level) => {
      wanted = level.target_status === 'ON' ? level : null;
      return wanted === null ? answer(level, 'applied') : later(level);
    });
    scene.every(everyS, () => {
      if (wanted !== null) controller.say('shadow/reported', later(wanted));
    });
    await scene.begin();
    await scene.order('on');
  };

/** Its own motor pulls the voltage down: it comes, is cut off, and comes again. */
const restarting =
  (everyS: number, fields: (boot: number, upS: number) => Json) =>
  async (scene: Scene): Promise<void> => {
    await scene.begin();
    await scene.order('on');
    scene.every(everyS, async (boot) => {
      const controller = await mqttController(scene.farm, scene.point, scene.key, {
        bootId: 'boot_id' in fields(boot, 0) ? board(boot) : undefined,
      });
      controller.say('hb', off(fields(boot, 2)));
      await scene.wait(everyS * 0.7);
      controller.drop();
    });
  };

const chattering =
  (everyS: number, target: 'on' | 'off') =>
  async (scene: Scene): Promise<void> => {
    let isOn = false;
    const state = () => (isOn ? on() : off());
    const controller = await mqtt(scene, state);
    await scene.order(target);
    await scene.begin();
    scene.every(everyS, () => {
      isOn = !isOn;
      controller.say('hb', state());
    });
  };

const twoBoards =
  (everyS: number, fields: (which: 0 | 1, atS: number) => Json) =>
  async (scene: Scene): Promise<void> => {
    await scene.begin();
    scene.every(everyS, async (times) => {
      await http(scene, on(fields(0, times * everyS)));
      await scene.wait(1);
      await http(scene, off(fields(1, times * everyS)));
    });
  };

const refusing = async (scene: Scene, isFirst: 'ON' | 'OFF', reason?: string): Promise<void> => {
  const state = () => ({ current_status: isFirst });
  await mqtt(scene, state, (level) =>
    level.target_status === isFirst
      ? { ...answer(level, 'applied'), ...state() }
      : { ...answer(level, 'refused', reason === undefined ? {} : { reason }), ...state() },
  );
};

const CNC = 'COMMAND_NOT_CONFIRMED';
const HIGH_CNC = { type: CNC, severity: 'HIGH' };

const FAULTS: readonly Fault[] = [
  {
    title: 'one that puts an order off by 30 s, again and again',
    run: postponing(30, 10),
    tells: { ...HIGH_CNC, says: /adia/ },
  },
  {
    title: 'one that puts an order off by two hours, once',
    run: postponing(7_000, 1_000),
    tells: { ...HIGH_CNC, says: /adia/ },
  },
  {
    title: 'one that puts an order off and never says until when',
    run: postponing(undefined, 15),
    tells: { ...HIGH_CNC, says: /adia/ },
  },
  {
    title: 'one whose promised time moves on at every report',
    run: postponing(12, 5),
    tells: { type: 'UNSTABLE', says: /adiou/ },
  },
  {
    title: 'one that restarts every 12 s, by its boot id',
    run: restarting(12, (boot, up) => ({ boot_id: board(boot), uptime_s: up })),
    tells: { type: 'UNSTABLE', says: /reinici/ },
  },
  {
    title: 'one that restarts every 12 s and is wanted ON',
    run: restarting(12, (boot) => ({ boot_id: board(boot) })),
    tells: { ...HIGH_CNC, says: /ligad/ },
  },
  {
    title: 'one that restarts every 20 s, by a running time that begins anew',
    run: restarting(20, (boot, up) => ({ uptime_s: up + (boot % 2) })),
    tells: { type: 'UNSTABLE', says: /reinici/ },
  },
  {
    title: 'a contactor that chatters every 6 s and is wanted ON',
    run: chattering(6, 'on'),
    tells: { ...HIGH_CNC, says: /por si/ },
  },
  {
    title: 'a contactor that chatters every 6 s: how often',
    run: chattering(6, 'on'),
    tells: { type: 'UNSTABLE', says: /sem ordem/ },
  },
  {
    title: 'a contactor that chatters every 6 s and is wanted OFF',
    run: chattering(6, 'off'),
    tells: { type: CNC, severity: 'MEDIUM', says: /por si/ },
  },
  {
    title: 'a contactor that chatters every 3 s and is wanted OFF',
    run: chattering(3, 'off'),
    tells: { type: 'UNSTABLE', says: /sem ordem/ },
  },
  {
    title: 'two boards over HTTP with one key, by their boot ids',
    run: twoBoards(15, (which) => ({ boot_id: board(which) })),
    tells: { type: 'UNSTABLE', says: /duas placas/i },
  },
  {
    title: 'two boards over HTTP with one key, by their running times',
    run: twoBoards(15, (which, at) => ({ uptime_s: (which === 0 ? 90_000 : 300) + at })),
    tells: { type: 'UNSTABLE', says: /duas placas/i },
  },
  {
    title: 'two boards over HTTP with one key that say nothing of themselves',
    run: twoBoards(15, () => ({})),
    tells: { type: 'UNSTABLE', says: /sem ordem/ },
  },
  {
    title: 'one that refuses an order of a person to be ON',
    run: async (scene) => {
      await refusing(scene, 'OFF', 'porta aberta');
      await scene.begin();
      await scene.order('on');
    },
    tells: { ...HIGH_CNC, says: /recusou.*porta aberta/ },
  },
  {
    title: 'one that refuses an order of a person to be OFF',
    run: async (scene) => {
      await refusing(scene, 'ON');
      await scene.order('on');
      await scene.wait(5);
      await scene.begin();
      await scene.order('off');
    },
    tells: { type: CNC, severity: 'MEDIUM', says: /recusou/ },
  },
  {
    title: 'one that refuses an order for a time',
    run: async (scene) => {
      await refusing(scene, 'OFF', 'overload');
      await scene.begin();
      await scene.order('on', { for_s: 3_600 });
    },
    tells: { ...HIGH_CNC, says: /recusou.*overload/ },
  },
  {
    title: 'one that was never there',
    run: async (scene) => {
      await scene.begin();
      await scene.order('on');
    },
    tells: { ...HIGH_CNC, says: /nunca/ },
  },
  {
    title: 'one that left in order before it was ordered',
    run: async (scene) => {
      const controller = await mqtt(scene, off);
      await scene.wait(5);
      await controller.leave();
      await scene.begin();
      await scene.order('on');
    },
    tells: { ...HIGH_CNC, says: /sem comunicação/ },
  },
  {
    title: 'one over HTTP that polls no more when it is ordered',
    run: async (scene) => {
      await http(scene, off());
      await scene.wait(20);
      await scene.begin();
      await scene.order('on');
    },
    tells: { ...HIGH_CNC, says: /ligad/ },
  },
  {
    title: 'one that was on, and whose motor falls out later',
    run: async (scene) => {
      let state = off();
      const controller = await mqtt(
        scene,
        () => state,
        (level) => {
          state = { current_status: level.target_status };
          return { ...answer(level, 'applied'), ...state };
        },
      );
      await scene.order('on');
      await scene.wait(20);
      await scene.begin();
      state = off();
      controller.say('hb', state);
    },
    tells: { ...HIGH_CNC, says: /por si/ },
  },
  {
    title: 'one whose connection breaks every 8 s',
    run: async (scene) => {
      await scene.begin();
      scene.every(8, async () => {
        const controller = await mqttController(scene.farm, scene.point, scene.key);
        controller.say('hb', off());
        await scene.wait(4);
        controller.drop();
      });
    },
    tells: { type: 'UNSTABLE', says: /conexão/ },
  },
  {
    title: 'one that never confirms, and is ordered again every 10 s',
    run: async (scene) => {
      await mqtt(scene, off);
      await scene.begin();
      scene.every(10, () => scene.order('on'));
    },
    tells: { ...HIGH_CNC, says: /não confirmou/ },
  },
];

describe.skipIf(!canMoveClocks)('people are told within 90 s of', () => {
  let farm: RealFarm;
  let alerts: Json[] = [];
  const told = new Map<string, Promise<Told>>();
  const timers = new Set<NodeJS.Timeout>();
  const wait = (seconds: number) => pause((seconds * 1000) / SPEED).then(() => undefined);
  /** By the clock of the farm. */
  const farmNow = async () => Date.parse(String((await farm.get('/system/clock'))['server_time']));

  function every(seconds: number, act: (times: number) => unknown): void {
    let times = 0;
    const again = () => {
      const round = times;
      times += 1;
      // what the gateway cuts off is part of the scene
      Promise.resolve()
        .then(() => act(round))
        .catch(() => undefined);
    };
    again();
    timers.add(setInterval(again, (seconds * 1000) / SPEED));
  }

  async function play({ run, tells }: Fault, point: Point): Promise<Told> {
    let beganAt = Number.NaN;
    await run({
      farm,
      point,
      key: await farm.key(point),
      begin: async () => {
        beganAt = await farmNow();
      },
      order: async (target, fields = {}) => {
        await farm.post(`/control-points/${point.id}/turn-${target}`, fields);
      },
      every,
      wait,
    });
    const alert = await until(
      () =>
        alerts.find(
          (row) =>
            row['type'] === tells.type &&
            row['control_point_id'] === point.id &&
            tells.says.test(String(row['message'])),
        ),
      (found) => found !== undefined,
      (300 * 1000) / SPEED,
    );
    return {
      type: String(alert?.['type']),
      severity: String(alert?.['severity']),
      afterS: (Date.parse(String(alert?.['triggered_at'])) - beganAt) / 1000,
    };
  }

  beforeAll(async () => {
    farm = await startFarm({ speed: SPEED, env: { LOCAL_PLAN: 'ENTERPRISE' } });
    const points: Point[] = [];
    // the first in its order of starts: what its settings let it wait is known
    for (const _fault of FAULTS) points.push(await farm.point({ start_order: 0 }));
    every(2, async () => {
      alerts = await farm.alerts();
    });
    for (const [place, fault] of FAULTS.entries()) {
      const point = points[place];
      if (point === undefined) continue;
      const played = play(fault, point);
      played.catch(() => undefined);
      told.set(fault.title, played);
    }
  }, 180_000);
  afterAll(async () => {
    for (const timer of timers) clearInterval(timer);
    await farm?.close();
  });

  it.each(FAULTS)('$title', { timeout: 180_000 }, async ({ title, tells }) => {
    const found = await told.get(title);
    expect(found).toMatchObject({
      type: tells.type,
      ...(tells.severity === undefined ? {} : { severity: tells.severity }),
    });
    expect(found?.afterS).toBeLessThan(TOLD_WITHIN_S);
  });

  it('a control point that merely exists raises nothing', async () => {
    const point = await farm.point();
    await wait(120);
    expect((await farm.alerts()).filter((row) => row['control_point_id'] === point.id)).toEqual([]);
  });
});
