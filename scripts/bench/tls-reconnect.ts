import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOptions, type Finding, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { CrowdLoad } from './load/crowd.ts';
import { usageOf } from './process-usage.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MUST_SERVE_MS = 10_000;
const ASK_EVERY_MS = 10;

type Way = 'plain' | 'whole' | 'resumed';
type Round = { tookMs: number; p99Ms: number; cpuMs: number; slowestAnswerMs: number };

/** A power cut ends: every controller comes back over TLS in the same moment, from one address. */
export async function tlsReconnect({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick ? { controllers: 20, rounds: 1 } : { controllers: 200, rounds: 5 };
  const data = await newDataFolder();
  const load = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
  try {
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'tls' });
    const gateway = await startGatewayOn(data, ['--mqtts-port', '0']);
    try {
      const rounds: Record<Way, Round[]> = { plain: [], whole: [], resumed: [] };
      for (let round = 0; round <= size.rounds; round += 1) {
        tell(`round ${round} of ${size.rounds}: plain, with a whole handshake each, resumed`);
        // in turn, so that what else the machine does strikes all; sessions come from the whole handshakes before
        for (const way of ['plain', 'whole', 'resumed'] as const) {
          const found = await reconnect({ gateway, owner, load }, way);
          if (round > 0) rounds[way].push(found);
        }
      }
      return [findingOf(size, rounds, gateway)];
    } finally {
      await gateway.stop();
    }
  } finally {
    await load.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function reconnect(
  { gateway, owner, load }: { gateway: RunningServer; owner: ProvisionedOwner; load: Remote<CrowdLoad> },
  way: Way,
): Promise<Round> {
  const mqttUrl = way === 'plain' ? gateway.mqtt : gateway.mqtts;
  const clients = owner.controllers;
  const asking = askOn(gateway);
  const before = usageOf(gateway.pid)?.cpuMs ?? Number.NaN;
  const startedAt = performance.timeOrigin + performance.now();
  const { servedAt, p99Ms } = await load.call('arrive', {
    mqttUrl,
    clients,
    atOnce: clients.length,
    isResuming: way === 'resumed',
  });
  const cpuMs = (usageOf(gateway.pid)?.cpuMs ?? Number.NaN) - before;
  const slowestAnswerMs = await asking.stop();
  await load.call('leave', undefined);
  return { tookMs: servedAt - startedAt, p99Ms, cpuMs, slowestAnswerMs };
}

/** Somebody who uses the interface meanwhile. */
function askOn({ http }: RunningServer): { stop: () => Promise<number> } {
  const state = { isAsking: true, slowestMs: 0 };
  const asking = (async () => {
    while (state.isAsking) {
      const startedAt = performance.now();
      await (await fetch(`${http}/healthz`)).text();
      state.slowestMs = Math.max(state.slowestMs, performance.now() - startedAt);
      await pause(ASK_EVERY_MS);
    }
  })();
  return {
    async stop() {
      state.isAsking = false;
      await asking;
      return state.slowestMs;
    },
  };
}

function findingOf(
  { controllers, rounds: count }: { controllers: number; rounds: number },
  rounds: Record<Way, Round[]>,
  gateway: RunningServer,
): Finding {
  const of = (way: Way, what: keyof Round) => rounds[way].map((round) => round[what]);
  const middle = (way: Way, what: keyof Round) => median(of(way, what));
  const worst = Math.max(...of('whole', 'tookMs'));
  const figures = (name: string, way: Way) => ({
    name,
    perS: (controllers * 1_000) / middle(way, 'tookMs'),
    cpuUs: (middle(way, 'cpuMs') * 1_000) / controllers,
    p50Ms: middle(way, 'tookMs'),
    p99Ms: Math.max(...of(way, 'tookMs')),
    rssMb: usageOf(gateway.pid)?.rssMb ?? null,
  });
  const sentence = (way: Way) =>
    `${way}: all served after ${middle(way, 'tookMs').toFixed(0)} ms (at most ${Math.max(...of(way, 'tookMs')).toFixed(0)}), ` +
    `${((middle(way, 'cpuMs') * 1_000) / controllers).toFixed(0)} µs of CPU each, slowest answer of the interface meanwhile ${Math.max(...of(way, 'slowestAnswerMs')).toFixed(0)} ms`;
  return {
    measure: `${controllers} controllers reconnecting over TLS at once`,
    subject: figures('a whole handshake each, until all have their level', 'whole'),
    baseline: figures('the same without TLS', 'plain'),
    ratioOf: 'p50',
    ratio: middle('whole', 'tookMs') / middle('plain', 'tookMs'),
    cpuRatio: null,
    spread: null,
    must: `≤ ${MUST_SERVE_MS} ms`,
    isMet: worst <= MUST_SERVE_MS,
    rounds: count,
    notes: [
      sentence('whole'),
      sentence('resumed'),
      sentence('plain'),
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}
