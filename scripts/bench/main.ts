import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { cloudAlarm } from './cloud-alarm.ts';
import { coldStart } from './cold-start.ts';
import { connectedControllers } from './connected-controllers.ts';
import { consoleChart } from './console-chart.ts';
import { consoleInput } from './console-input.ts';
import { consolePaint } from './console-paint.ts';
import { consoleSize } from './console-size.ts';
import { farmReads } from './farm-reads.ts';
import {
  type BenchOptions,
  type Figures,
  type Finding,
  inTurn,
  median,
  rateFinding,
  STARTS,
} from './finding.ts';
import { flash } from './flash.ts';
import { fleet } from './fleet.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import { gatewayStorm } from './gateway-storm.ts';
import { hostileCrowd } from './hostile-crowd.ts';
import { httpHeartbeats } from './http-heartbeats.ts';
import { idleLink } from './idle-link.ts';
import { importing } from './importing.ts';
import { lighthouseMarks } from './lighthouse.ts';
import { limits } from './limits.ts';
import type { Beating } from './load/beating.ts';
import type { LoadResult } from './load/load-window.ts';
import type { MqttLoad } from './load/mqtt-load.ts';
import { logins } from './logins.ts';
import { notifications } from './notifications.ts';
import { orderLatency } from './order-latency.ts';
import { provision } from './provision.ts';
import { quietDay } from './quiet-day.ts';
import { startRemote } from './remote.ts';
import { editPropagation, remoteOrder } from './remote-order.ts';
import { requests } from './requests.ts';
import { restore } from './restore.ts';
import type { RunningServer } from './start-server.ts';
import { storm } from './storm.ts';
import { streamingLogs } from './streaming-logs.ts';
import { syncApply } from './sync-apply.ts';
import { syncBacklog } from './sync-backlog.ts';
import { tableOf } from './table.ts';
import { tlsReconnect } from './tls-reconnect.ts';
import { unknownDevices } from './unknown-devices.ts';
import { waterHistory } from './water-history.ts';

type Size = { clients: number; ms: number; rounds: number; starts: number };

type Rounds = { subject: LoadResult[]; baseline: LoadResult[] };

/** Heartbeats of a controller that are not acknowledged yet, and the share of bare aedes that must be reached. */
const MUST_BY_IN_FLIGHT = new Map([
  [1, 0.75],
  [10, 0.65],
]);

const newRounds = (): Rounds => ({ subject: [], baseline: [] });

// How fast the gateway is, always against a named baseline in the same run: ratios hold on other machines, rates do not.

const MEASURES: Readonly<Record<string, (options: BenchOptions) => Promise<Finding[]>>> = {
  'mqtt-heartbeats': mqttHeartbeats,
  'http-heartbeats': httpHeartbeats,
  requests,
  'order-latency': orderLatency,
  'cold-start': coldStart,
  'quiet-day': quietDay,
  'connected-controllers': connectedControllers,
  'streaming-logs': streamingLogs,
  storm,
  'tls-reconnect': tlsReconnect,
  'farm-reads': farmReads,
  'water-history': waterHistory,
  logins,
  notifications,
  limits,
  importing,
  'sync-backlog': syncBacklog,
  'sync-apply': syncApply,
  'remote-order': remoteOrder,
  'edit-propagation': editPropagation,
  'console-size': consoleSize,
  'console-paint': consolePaint,
  'console-input': consoleInput,
  'console-chart': consoleChart,
  'cloud-alarm': cloudAlarm,
  lighthouse: lighthouseMarks,
  'idle-link': idleLink,
  'idle-pulse': idlePulse,
  'gateway-storm': gatewayStorm,
  fleet,
  'unknown-devices': unknownDevices,
  'hostile-crowd': hostileCrowd,
  restore,
  flash,
};

const HELP = `npm run bench -- [options]

  --only NAME   one measure: ${Object.keys(MEASURES).join(', ')}; may be given more than once
  --json FILE   where the findings go [bench-results/<time>.json]
  --quick       a short run that only shows that everything works; its figures mean nothing
`;

// without this, Ctrl-C would leave the servers behind: they end with us, and only an exit tells them
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const findings: Finding[] = [];
  const tell = (line: string) => console.error(`… ${line}`);
  for (const name of options.only) {
    findings.push(...((await MEASURES[name]?.({ isQuick: options.quick, tell })) ?? []));
  }
  const at = new Date().toISOString();
  const file = options.json ?? `bench-results/${at.replaceAll(':', '-')}.json`;
  await mkdir(dirname(file), { recursive: true });
  const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? null };
  await writeFile(file, `${JSON.stringify({ at, isQuick: options.quick, machine, findings }, null, 2)}\n`);
  console.log(`${tableOf(findings)}\n\nwritten to ${file}`);
  return findings.every(({ isMet }) => isMet) || options.quick ? 0 : 1;
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? Object.keys(MEASURES);
  const unknown = only.find((name) => !(name in MEASURES));
  if (unknown !== undefined) {
    return `--only must be one of ${Object.keys(MEASURES).join(', ')}, not ${JSON.stringify(unknown)}`;
  }
  return { ...values, only };
}

/** What it costs to beat with nothing to do, beside the same tasks by timers of node-cron. */
async function idlePulse({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const forMs = isQuick ? 3_000 : 30_000;
  const rounds = isQuick ? 1 : 3;
  const process = startRemote<Beating>(new URL('load/beating.ts', import.meta.url));
  try {
    tell(`the pulse and node-cron in turn, ${forMs / 1000} s each`);
    const by = (which: 'pulse' | 'node-cron') => () => process.call('beat', { by: which, forMs });
    const { subject, baseline } = await inTurn(rounds, by('pulse'), by('node-cron'));
    const ratios = subject.map((cpuMs, round) => cpuMs / (baseline[round] ?? Number.NaN));
    const ratio = median(ratios);
    return [
      {
        measure: 'idle pulse, 37 tasks with nothing to do',
        subject: figures('the pulse', subject, forMs),
        baseline: figures('timers of node-cron', baseline, forMs),
        ratioOf: 'CPU',
        ratio,
        cpuRatio: null,
        spread: [Math.min(...ratios), Math.max(...ratios)],
        must: '≤ 1',
        isMet: ratio <= 1,
        rounds,
      },
    ];
  } finally {
    await process.stop();
  }
}

function figures(name: string, cpuMs: readonly number[], forMs: number): Figures {
  const perS = (median(cpuMs) / forMs) * 1_000_000;
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
    counted: `${Math.round(perS)} µs of CPU a second`,
  };
}

/** Heartbeats over MQTT at QoS 1, against aedes alone with the same clients, packets and an in-process subscriber. */
async function mqttHeartbeats({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { clients: 20, ms: 200, rounds: 1, starts: 1 }
    : { clients: 500, ms: 1_500, rounds: 3, starts: STARTS };
  const roundsByInFlight = new Map([...MUST_BY_IN_FLIGHT.keys()].map((inFlight) => [inFlight, newRounds()]));
  for (let start = 1; start <= size.starts; start += 1) {
    tell(`MQTT heartbeats of ${size.clients} controllers, start ${start} of ${size.starts}`);
    await runOnce(size, roundsByInFlight);
  }
  return [...roundsByInFlight].map(([inFlight, { subject, baseline }]) =>
    rateFinding(
      `MQTT heartbeats, QoS 1, ${size.clients} clients, ${inFlight} in flight`,
      MUST_BY_IN_FLIGHT.get(inFlight) ?? 1,
      { name: 'gateway', rounds: subject },
      { name: 'bare aedes', rounds: baseline },
    ),
  );
}

async function runOnce(size: Size, roundsByInFlight: ReadonlyMap<number, Rounds>): Promise<void> {
  const gateway = await startBenchGateway();
  const bare = await startBareServer('bare-aedes');
  const load = startRemote<MqttLoad>(new URL('load/mqtt-load.ts', import.meta.url));
  try {
    const { controllers } = await provision(gateway.http, { count: size.clients, prefix: 'mqtt' });
    const clients = controllers.map(({ mqtt_id, key }) => ({ mqtt_id, key }));
    await load.call('connect', { crowd: 'gateway', ...addressOf(gateway), clients });
    await load.call('connect', { crowd: 'bare', ...addressOf(bare), clients });
    for (const [inFlight, rounds] of roundsByInFlight) {
      const { ms } = size;
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => load.call('run', { crowd: 'gateway', inFlight, ms }),
        () => load.call('run', { crowd: 'bare', inFlight, ms }),
      );
      rounds.subject.push(...subject);
      rounds.baseline.push(...baseline);
    }
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

function addressOf({ mqtt, pid }: RunningServer): { host: string; port: number; serverPid: number } {
  const { hostname, port } = new URL(mqtt);
  return { host: hostname, port: Number(port), serverPid: pid };
}
