import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { type BenchOptions, type Figures, type Finding, median, orderFigures } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import { quantile } from './load/load-window.ts';
import type { LogReaders } from './load/log-readers.ts';
import type { OrderLoad } from './load/order-load.ts';
import { switchWithoutRest } from './order-latency.ts';
import { usageOf } from './process-usage.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import { seedLogs } from './seed-farm.ts';
import type { RunningServer } from './start-server.ts';

const MOST_TIMES_CALM = 2;
const MUST_ORDER_P99_MS = 250;
const READERS = 3;

type Size = {
  controllers: number;
  ordered: number;
  logs: number;
  orders: number;
  rounds: number;
  ms: number;
};
type Round = { beats: Beats; orderMs: number[] };
type Loads = { crowd: Remote<CrowdLoad>; orders: Remote<OrderLoad>; readers: Remote<LogReaders> };

/** Heartbeats and orders while three people read out a million log rows, against the calm minutes in between. */
export async function streamingLogs({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { controllers: 10, ordered: 2, logs: 2_000, orders: 3, rounds: 1, ms: 300 }
    : { controllers: 200, ordered: 50, logs: 1_000_000, orders: 60, rounds: 9, ms: 6_000 };
  const data = await newDataFolder();
  try {
    tell(`a farm with ${size.controllers} controllers and ${size.logs} log rows`);
    const owner = await seed(data, size);
    const gateway = await startGatewayOn(data, ['--start-step-s', '0']);
    const loads: Loads = {
      crowd: startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url)),
      orders: startRemote<OrderLoad>(new URL('load/order-load.ts', import.meta.url)),
      readers: startRemote<LogReaders>(new URL('load/log-readers.ts', import.meta.url)),
    };
    try {
      return await compare({ gateway, owner }, loads, size, tell);
    } finally {
      await Promise.all([loads.crowd, loads.orders, loads.readers].map((load) => load.stop()));
      await gateway.stop();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function seed(data: string, size: Size): Promise<ProvisionedOwner> {
  const owner = await provisionFolder(data, { count: size.controllers, prefix: 'read' }, switchWithoutRest);
  const controlPointId = owner.controllers[0]?.controlPointId ?? '';
  seedLogs(data, { farmId: owner.farms[0] ?? '', controlPointId, count: size.logs });
  return owner;
}

async function compare(
  { gateway, owner }: { gateway: RunningServer; owner: ProvisionedOwner },
  { crowd, orders, readers }: Loads,
  size: Size,
  tell: (line: string) => void,
): Promise<Finding[]> {
  const ordered = owner.controllers.slice(0, size.ordered);
  const clients = owner.controllers.slice(size.ordered);
  await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients, atOnce: 20 });
  await orders.call('startGatewayFarm', {
    httpBase: gateway.http,
    mqttUrl: gateway.mqtt,
    token: owner.token,
    controllers: ordered,
  });
  let given = 0;
  const round = async (): Promise<Round> => {
    const [beats, times] = await Promise.all([
      // thirty times the heartbeats of a real farm of this size
      crowd.call('beat', { everyMs: 1_000, forMs: size.ms }),
      orders.call('order', { from: (given += size.orders), count: size.orders }),
    ]);
    return { beats, orderMs: times.toDeviceMs };
  };
  await round();
  const calm: Round[] = [];
  const busy: Round[] = [];
  for (let n = 1; n <= size.rounds; n += 1) {
    tell(`round ${n} of ${size.rounds}`);
    calm.push(await round());
    await readers.call('start', {
      base: gateway.http,
      token: owner.token,
      farmId: owner.farms[0] ?? '',
      readers: READERS,
    });
    busy.push(await round());
    await readers.call('pause', undefined);
  }
  const read = await readers.call('told', undefined);
  const notes = [
    `${read.rows} rows and ${(read.bytes / 1_000_000).toFixed(0)} MB went out, back to row ${read.oldest}`,
    `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
  ];
  return findings(gateway, size, { calm, busy, notes });
}

function findings(
  gateway: RunningServer,
  size: Size,
  { calm, busy, notes }: { calm: Round[]; busy: Round[]; notes: string[] },
): Finding[] {
  const rssMb = usageOf(gateway.pid)?.rssMb ?? null;
  const ratios = busy.map(({ beats }, n) => beats.p99Ms / (calm[n]?.beats.p99Ms ?? Number.NaN));
  const ratio = median(ratios);
  const [ordersBusy, ordersCalm] = [busy, calm].map((rounds) =>
    rounds.flatMap(({ orderMs }) => orderMs).sort((a, b) => a - b),
  );
  const worst = quantile(ordersBusy ?? [], 0.99);
  const missed = [...calm, ...busy].reduce((sum, { beats }) => sum + beats.missed, 0);
  return [
    {
      measure: `heartbeats while ${size.logs} log rows go out to ${READERS} readers`,
      subject: beatFigures('while they read', busy, rssMb),
      baseline: beatFigures('calm', calm, null),
      ratioOf: 'p99',
      ratio,
      cpuRatio: null,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      must: `p99 ≤ ${MOST_TIMES_CALM} × calm`,
      isMet: ratio <= MOST_TIMES_CALM && missed === 0,
      rounds: size.rounds,
      notes: [...notes, `${missed} heartbeats unanswered`],
    },
    {
      measure: `order → level at the controller while ${READERS} readers read`,
      subject: orderFigures('while they read', ordersBusy ?? [], rssMb),
      baseline: orderFigures('calm', ordersCalm ?? [], null),
      ratioOf: 'p99',
      ratio: worst / quantile(ordersCalm ?? [], 0.99),
      cpuRatio: null,
      spread: null,
      must: `p99 ≤ ${MUST_ORDER_P99_MS} ms`,
      isMet: worst <= MUST_ORDER_P99_MS,
      rounds: size.rounds,
    },
  ];
}

function beatFigures(name: string, rounds: readonly Round[], rssMb: number | null): Figures {
  const of = (what: 'p50Ms' | 'p99Ms') => median(rounds.map(({ beats }) => beats[what]));
  return { name, perS: null, cpuUs: null, p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), rssMb };
}
