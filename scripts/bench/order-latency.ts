import { type BenchOptions, type Figures, type Finding, inTurn } from './finding.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import type { OrderLoad } from './load/order-load.ts';
import { usageOf } from './process-usage.ts';
import { type ProvisionedOwner, provision } from './provision.ts';
import { startRemote } from './remote.ts';

const MUST_P99_MS = 250;

/** From a person's order to the controller, and on to its report, against a bare publish to a subscriber. */
export async function orderLatency({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? { controllers: 5, orders: 5, rounds: 1 }
    : { controllers: 200, orders: 100, rounds: 6 };
  // thirty times the heartbeats of a real farm of this size, in both
  const gateway = await startBenchGateway(['--poll-interval-s', '1', '--start-step-s', '0']);
  const bare = await startBareServer('bare-aedes');
  const load = startRemote<OrderLoad>(new URL('load/order-load.ts', import.meta.url));
  try {
    tell(`${size.controllers} controllers start`);
    const owner = await provision(gateway.http, { count: size.controllers, prefix: 'order' });
    await switchWithoutRest(gateway.http, owner);
    const ids = owner.controllers.map(({ mqtt_id }) => mqtt_id);
    await load.call('startBareFarm', { mqttUrl: bare.mqtt, ids });
    await load.call('startGatewayFarm', { httpBase: gateway.http, mqttUrl: gateway.mqtt, ...owner });
    tell('orders');
    const count = size.orders;
    const counts = { orders: 0, publishes: 0 };
    const { subject, baseline } = await inTurn(
      size.rounds,
      () => load.call('order', { from: (counts.orders += count), count }),
      () => load.call('publish', { ids, from: (counts.publishes += count), count }),
    );
    const bareFigures = figures('bare aedes publish', bare.pid, baseline.flat());
    const finding = (what: string, times: number[]): Finding => {
      const ours = figures('gateway', gateway.pid, times);
      return {
        measure: `${what}, ${size.controllers} controllers`,
        subject: ours,
        baseline: bareFigures,
        ratioOf: 'p99',
        ratio: (ours.p99Ms ?? Number.NaN) / (bareFigures.p99Ms ?? Number.NaN),
        cpuRatio: null,
        spread: null,
        must: `p99 ≤ ${MUST_P99_MS} ms`,
        isMet: ours.p99Ms !== null && ours.p99Ms <= MUST_P99_MS,
        rounds: size.rounds,
      };
    };
    return [
      finding(
        'order → level at the controller',
        subject.flatMap(({ toDeviceMs }) => toDeviceMs),
      ),
      finding(
        'order → reported state visible',
        subject.flatMap(({ toVisibleMs }) => toVisibleMs),
      ),
    ];
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

/** Without minimum times and start slots: what is measured is the way of an order, not the care for motors. */
export async function switchWithoutRest(
  base: string,
  { token, controllers }: ProvisionedOwner,
): Promise<void> {
  for (const { controlPointId } of controllers) {
    const answer = await fetch(`${base}/api/v1/control-points/${controlPointId}/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ min_on_s: 0, min_off_s: 0, start_order: 0 }),
    });
    if (answer.status !== 200) throw new Error(`settings were answered ${answer.status}`);
    await answer.arrayBuffer();
  }
}

function figures(name: string, pid: number, times: readonly number[]): Figures {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    rssMb: usageOf(pid)?.rssMb ?? null,
  };
}
