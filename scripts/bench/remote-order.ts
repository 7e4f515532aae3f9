import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { COMMAND_STATES } from '#contract/words.ts';
import { isUnderWay } from '#features/control/commands/take-command.ts';
import type { Person } from '../demo/interface.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { openEcho } from './load/echo.ts';
import { quantile } from './load/load-window.ts';
import { type PairedFarm, startPairedFarm } from './paired-farm.ts';

const ROUND_TRIP_MS = 200;
/** The order, the question whether it still counts, its answer and the acknowledgement each go one way. */
const MUST = { p50: 600, p99: 1_200 };
const PROPAGATION_P95_MS = 2_000;
const LOOK_EVERY_MS = 15;

/** From an owner's order at the hosted instance to the acknowledgement of the gateway behind a far line. */
export function remoteOrder({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const count = isQuick ? 4 : 150;
  return onFarLine(tell, async (farm, echo) => {
    tell(`${count} orders from afar`);
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const id = farm.controlPointIds[n % farm.controlPointIds.length] ?? '';
      const way = n % (2 * farm.controlPointIds.length) < farm.controlPointIds.length ? 'on' : 'off';
      times.push(await orderTime(farm.owner, id, way));
      await pause(100);
    }
    const baseline = await echo(isQuick ? 4 : 50);
    const [p50, p99] = [quantileOf(times, 0.5), quantileOf(times, 0.99)];
    return {
      measure: `order from afar → gateway acknowledged, ${ROUND_TRIP_MS} ms there and back`,
      subject: figures('hosted instance on PostgreSQL', times),
      baseline: figures('bare WebSocket echo', baseline),
      ratioOf: 'p50',
      ratio: p50 / median(baseline),
      cpuRatio: null,
      spread: null,
      must: `p50 ≤ ${MUST.p50} ms, p99 ≤ ${MUST.p99} ms`,
      isMet: p50 <= MUST.p50 && p99 <= MUST.p99,
      rounds: 1,
      notes: [`load average of the machine ${loadavg()[0]?.toFixed(1)}`],
    };
  });
}

/** From an edit on one side to the moment the other side shows it. */
export function editPropagation({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const count = isQuick ? 2 : 60;
  return onFarLine(tell, async (farm, echo) => {
    tell(`${count} edits each way`);
    const ways = { there: [] as number[], back: [] as number[] };
    for (let n = 0; n < count; n += 1) {
      const id = farm.pondIds[n % farm.pondIds.length] ?? '';
      ways.there.push(await editTime({ from: farm.owner, to: farm.manager, id, depth: 1 + n / 1_000 }));
      ways.back.push(await editTime({ from: farm.manager, to: farm.owner, id, depth: 2 + n / 1_000 }));
      await pause(100);
    }
    const times = [...ways.there, ...ways.back];
    const baseline = await echo(isQuick ? 4 : 50);
    const p95 = quantileOf(times, 0.95);
    return {
      measure: `edit → visible on the other side, ${ROUND_TRIP_MS} ms there and back`,
      subject: figures('both ways', times),
      baseline: figures('bare WebSocket echo', baseline),
      ratioOf: 'p95',
      ratio: p95 / (quantileOf(baseline, 0.95) ?? Number.NaN),
      cpuRatio: null,
      spread: null,
      must: `p95 ≤ ${PROPAGATION_P95_MS} ms`,
      isMet: p95 <= PROPAGATION_P95_MS,
      rounds: 1,
      notes: [
        `p95 ${p95.toFixed(0)} ms; to the farm p50 ${median(ways.there).toFixed(0)} ms, to the cloud p50 ${median(ways.back).toFixed(0)} ms`,
        `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
      ],
    };
  });
}

async function onFarLine(
  tell: BenchOptions['tell'],
  measure: (farm: PairedFarm, echo: (count: number) => Promise<number[]>) => Promise<Finding>,
): Promise<Finding[]> {
  tell('a farm and its hosted instance');
  const farm = await startPairedFarm({ controlPoints: 20, ponds: 12 });
  const echo = await openEcho({ roundTripMs: ROUND_TRIP_MS });
  try {
    farm.link.set({ roundTripMs: ROUND_TRIP_MS });
    // what was fast a moment ago has gone its way
    await farm.untilLevel(30_000);
    return [await measure(farm, echo.times)];
  } finally {
    await echo.close();
    await farm.stop();
  }
}

const journey = z.array(
  z.object({ id: z.string(), state: z.enum(COMMAND_STATES), result: z.string().nullable() }),
);
const given = z.object({ order_id: z.string() });

/** Throws for an order that the gateway did not take. */
export async function orderTime(owner: Person, controlPointId: string, way: 'on' | 'off'): Promise<number> {
  const startedAt = performance.now();
  const point = `/control-points/${controlPointId}`;
  const { order_id } = await owner.post(`${point}/turn-${way}`, {}, given);
  for (;;) {
    const [command] = (await owner.get(`${point}/commands?limit=3`, journey)).filter(
      ({ id }) => id === order_id,
    );
    if (command?.state === 'accepted' || command?.state === 'done') return performance.now() - startedAt;
    if (command === undefined || !isUnderWay(command.state))
      throw new Error(`an order from afar became ${command?.state}: ${command?.result}`);
    await pause(LOOK_EVERY_MS);
  }
}

const pond = z.object({ depth_m: z.number().nullable() });

async function editTime(edit: { from: Person; to: Person; id: string; depth: number }): Promise<number> {
  const startedAt = performance.now();
  await edit.from.send('PUT', `/ponds/${edit.id}`, { depth_m: edit.depth });
  for (;;) {
    const { depth_m } = await edit.to.get(`/ponds/${edit.id}`, pond);
    if (depth_m === edit.depth) return performance.now() - startedAt;
    if (performance.now() - startedAt > 30_000) throw new Error('an edit never came');
    await pause(LOOK_EVERY_MS);
  }
}

const quantileOf = (times: readonly number[], share: number) =>
  quantile(
    times.toSorted((a, b) => a - b),
    share,
  );

function figures(name: string, times: readonly number[]): Figures {
  const [p50Ms, p99Ms] = [quantileOf(times, 0.5), quantileOf(times, 0.99)];
  return { name, perS: null, cpuUs: null, p50Ms, p99Ms, rssMb: null };
}
