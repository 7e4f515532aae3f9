import { farm } from '#contract/resources/farms.ts';
import { tell } from '#core/changes.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { bindFarm } from '../../../features/control/commands/a-bound-farm.ts';
import { feedOf } from '../../../features/control/commands/a-shared-farm.ts';
import { type Chance, createChance } from '../chance.ts';
import { createVirtualTime, type VirtualTime } from '../virtual-time.ts';
import { gatewayEnd } from './gateway-end.ts';
import { hostedEnd } from './hosted-end.ts';
import { createLine, type Way } from './line.ts';
import { createOracle, type OrderViolation } from './oracle.ts';
import { createProcess, type SimulatedProcess } from './process.ts';

// Orders from afar through the program's own code on both sides (the hosted instance's commands and live sockets, the
// gateway's talk, its question and its taking of an order, both on their databases), on a line that holds back what it
// likes, between processes that stand still, sleep and die. Time is virtual; the same seed gives the same faults.

export type OrdersResult = { violations: OrderViolation[]; counts: Record<string, number> };

const POINTS = 40;
const ORDER_EVERY_MS = { least: 100, most: 4_000 };
const FAULT_EVERY_MS = { least: 2_000, most: 45_000 };
/** What the longest fault held back comes, lines die and are opened anew. */
const HEALED_AFTER_MS = 900_000;

export async function simulateOrders({
  seed,
  orders,
}: {
  seed: number;
  orders: number;
}): Promise<OrdersResult> {
  const time = createVirtualTime();
  const hosted = await startApp('sqlite', ['--role', 'hosted']);
  const gateway = await startApp('sqlite');
  try {
    return await inWorld({ seed, orders, time, hosted, gateway });
  } finally {
    await gateway.close();
    await hosted.close();
  }
}

type World = { seed: number; orders: number; time: VirtualTime; hosted: App; gateway: App };

async function inWorld({ seed, orders, time, hosted, gateway }: World): Promise<OrdersResult> {
  const { token, streamId, pointIds } = await aFarm(hosted, gateway);
  const clocks = [hosted, gateway].map(({ clock }) => ({ clock, from: clock.now() }));
  const begun = hosted.clock.now();
  const chance = createChance(seed, 'orders');
  const oracle = createOracle(time);
  const counts: Record<string, number> = { orders: 0 };
  const count = (name: string) => void (counts[name] = (counts[name] ?? 0) + 1);
  const processes = {
    hosted: createProcess(time, createChance(seed, 'hosted')),
    gateway: createProcess(time, createChance(seed, 'gateway')),
  };
  const line = createLine(time, createChance(seed, 'line'));
  const cloud = hostedEnd(hosted, processes.hosted, streamId);
  const box = gatewayEnd({
    app: gateway,
    time,
    chance: createChance(seed, 'box'),
    line,
    process: processes.gateway,
    hosted: { end: cloud, process: processes.hosted },
    decided: oracle.decided,
  });
  gateway.database.onCommit(oracle.onGateway);
  hosted.database.onCommit(oracle.onHosted);

  async function order(): Promise<void> {
    const id = chance.pick(pointIds as [string, ...string[]]);
    const expires_in_s = chance.pick([2, 3, 5, 8, 15, 60, 120, 300]);
    const way = chance.of(0.5) ? 'on' : 'off';
    const reply = await hosted.call('POST', `/control-points/${id}/turn-${way}`, {
      token,
      body: { expires_in_s },
    });
    if (reply.status !== 200) throw new Error(`not ordered: ${JSON.stringify(reply.body)}`);
    const pending = body(reply)['pending'] as { id: string; expires_at: string };
    oracle.gave(pending.id, Date.parse(pending.expires_at) - begun);
    count('orders');
  }

  /** What a process does at this moment, until it waits for time to pass. */
  async function settled(): Promise<void> {
    const isBusy = () => processes.hosted.busy() + processes.gateway.busy() > 0;
    for (let quiet = 0; quiet < 3; quiet = isBusy() ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  }

  async function pass(until: number): Promise<void> {
    for (let isMore = true; isMore; ) {
      isMore = await time.step(until);
      for (const { clock, from } of clocks) clock.set(from + time.now());
      // the clock of this moment holds for what was due at it
      await settled();
    }
  }

  cloud.start();
  await box.start();
  const faults = faultsOf({ time, chance, line, cloud, box, processes, count });
  await pass(60_000);
  let faultAt = time.now();
  while ((counts['orders'] ?? 0) < orders) {
    if (time.now() >= faultAt) {
      await faults.one();
      faultAt = time.now() + chance.between(FAULT_EVERY_MS.least, FAULT_EVERY_MS.most);
    }
    await order();
    await settled();
    await pass(time.now() + chance.between(ORDER_EVERY_MS.least, ORDER_EVERY_MS.most));
  }
  faults.heal();
  await pass(time.now() + HEALED_AFTER_MS);
  const stored = await hosted.database.read.selectFrom('commands').select(['id', 'state']).execute();
  oracle.atTheEnd(stored);
  counts['carried out'] = oracle.carriedOut();
  counts['told as not carried out'] = oracle.toldOtherwise();
  counts['neither: what came of it was never told'] = oracle.neither();
  counts['replaced by a newer order after it was carried out'] = oracle.replacedAfterwards();
  return { violations: oracle.violations, counts };
}

async function aFarm(hosted: App, gateway: App) {
  const { token, farmId } = await aFarmWith(hosted);
  const me = body(await hosted.call('GET', '/users/me', { token }));
  const { streamId } = await bindFarm(hosted, farmId, String(me['id']));
  await hosted.kernel.commit({ actor: null, changes: [tell(farm, farmId, streamId)] });
  const pointIds: string[] = [];
  for (let n = 0; n < POINTS; n += 1) pointIds.push((await aControlPoint(hosted, { token, farmId })).id);
  await gateway.kernel.commit({ actor: null, changes: [], incoming: await feedOf(hosted, streamId, 0) });
  return { token, streamId, pointIds };
}

function faultsOf(world: {
  time: VirtualTime;
  chance: Chance;
  line: ReturnType<typeof createLine>;
  cloud: ReturnType<typeof hostedEnd>;
  box: ReturnType<typeof gatewayEnd>;
  processes: { hosted: SimulatedProcess; gateway: SimulatedProcess };
  count: (name: string) => void;
}) {
  const { time, chance, line, cloud, box, processes, count } = world;
  const way = (): Way => (chance.of(0.5) ? 'down' : 'up');
  /** Short ones more often: most of what decides is over within seconds. */
  const seconds = (least: number, most: number) =>
    Math.round(1_000 * (least + (most - least) * chance.unit() ** 3));
  const strikes = {
    'line slow': () => {
      const slowed = way();
      line.slow(slowed, seconds(1, 120));
      time.after(seconds(5, 120), () => line.slow(slowed, 0));
    },
    // there and back within the patience of the question, and longer than many an order counts
    'line sluggish': () => {
      for (const slowed of ['down', 'up'] as const) line.slow(slowed, chance.between(300, 4_500));
      time.after(seconds(10, 120), line.heal);
    },
    'line holds back': () => line.hold(way(), seconds(1, 120)),
    'line cut': () => box.cut(),
    'gateway frozen': () => processes.gateway.standStill(seconds(1, 300)),
    'gateway asleep': () => processes.gateway.standStill(seconds(2, 300), { asleep: true }),
    // each shorter than a clock of whole seconds tells; together longer than many an order counts
    'gateway dozes': () => {
      for (let at = 0; at < 60_000; at += chance.between(400, 4_000))
        time.after(at, () => processes.gateway.standStill(chance.between(100, 1_900), { asleep: true }));
    },
    'hosted instance frozen': () => processes.hosted.standStill(seconds(1, 300)),
    'gateway killed': () => {
      box.die();
      time.after(seconds(1, 60), () => void box.start());
    },
    'hosted instance killed': () => {
      box.cut();
      cloud.die();
      time.after(seconds(1, 60), () => cloud.start());
    },
  };
  type Strike = keyof typeof strikes;
  const weights = {
    'line slow': 3,
    'line sluggish': 4,
    'line holds back': 4,
    'line cut': 3,
    'gateway frozen': 3,
    'gateway asleep': 3,
    'gateway dozes': 4,
    'hosted instance frozen': 2,
    'gateway killed': 1,
    'hosted instance killed': 1,
  } satisfies Record<Strike, number>;
  return {
    async one(): Promise<void> {
      const name = chance.weighted(weights);
      count(name);
      strikes[name]();
    },
    heal(): void {
      line.heal();
    },
  };
}
