import { type BenchOptions, type Finding, inTurn, rateFinding, STARTS } from './finding.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import type { HttpLoad, HttpRequest } from './load/http-load.ts';
import type { LoadResult } from './load/load-window.ts';
import { type Provisioned, provision } from './provision.ts';
import { startRemote } from './remote.ts';
import { httpAddressOf } from './start-server.ts';

type Size = { connections: number; ms: number; rounds: number; starts: number };
type Rounds = { subject: LoadResult[]; baseline: LoadResult[] };

const MUST_BY_WAY = { 'with key': 0.85, 'without key': 0.6 };
type Way = keyof typeof MUST_BY_WAY;
const WAYS: readonly Way[] = ['with key', 'without key'];

/** Heartbeats over HTTP, with and without a key, against express alone that parses the body and sends it back. */
export async function httpHeartbeats({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { connections: 4, ms: 200, rounds: 1, starts: 1 }
    : { connections: 32, ms: 1_500, rounds: 3, starts: STARTS };
  const roundsByWay = new Map(WAYS.map((way) => [way, newRounds()]));
  for (let start = 1; start <= size.starts; start += 1) {
    tell(`HTTP heartbeats over ${size.connections} connections, start ${start} of ${size.starts}`);
    await runOnce(size, roundsByWay);
  }
  return [...roundsByWay].map(([way, { subject, baseline }]) =>
    rateFinding(
      `HTTP heartbeats ${way}, ${size.connections} connections`,
      MUST_BY_WAY[way],
      { name: 'gateway', rounds: subject },
      { name: 'bare express 5', rounds: baseline },
    ),
  );
}

const newRounds = (): Rounds => ({ subject: [], baseline: [] });

async function runOnce(size: Size, roundsByWay: ReadonlyMap<Way, Rounds>): Promise<void> {
  const gateway = await startBenchGateway();
  const bare = await startBareServer('bare-express');
  const load = startRemote<HttpLoad>(new URL('load/http-load.ts', import.meta.url));
  try {
    for (const [way, rounds] of roundsByWay) {
      // a device that used its key once is refused without it, so each way has controllers of its own
      const prefix = way.replace(' ', '-');
      const { controllers } = await provision(gateway.http, { count: size.connections, prefix });
      const requests = requestsOf(controllers, way);
      await load.call('connect', { crowd: `gateway ${way}`, ...httpAddressOf(gateway), requests });
      await load.call('connect', { crowd: `bare ${way}`, ...httpAddressOf(bare), requests });
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => load.call('run', { crowd: `gateway ${way}`, ms: size.ms }),
        () => load.call('run', { crowd: `bare ${way}`, ms: size.ms }),
      );
      rounds.subject.push(...subject);
      rounds.baseline.push(...baseline);
    }
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

function requestsOf(controllers: readonly Provisioned[], way: Way): HttpRequest[] {
  return controllers.map(({ device_id, key }) => ({
    method: 'POST',
    path: '/api/v1/devices/heartbeat',
    bearer: way === 'with key' ? key : null,
    body: {
      device_id,
      current_status: 'OFF',
      consumption: 0,
      rssi: -67,
      uptime_s: 86_400,
      version: 1,
      source: 'shadow',
    },
  }));
}
