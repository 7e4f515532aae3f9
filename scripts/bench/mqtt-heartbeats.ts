import { type BenchOptions, type Finding, inTurn, rateFinding, STARTS } from './finding.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import type { LoadResult } from './load/load-window.ts';
import type { MqttLoad } from './load/mqtt-load.ts';
import { provision } from './provision.ts';
import { startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

type Size = { clients: number; ms: number; rounds: number; starts: number };
type Rounds = { subject: LoadResult[]; baseline: LoadResult[] };

const IN_FLIGHT = [1, 10] as const;

/** Heartbeats over MQTT at QoS 1, against aedes alone with the same clients, packets and an in-process subscriber. */
export async function mqttHeartbeats({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { clients: 20, ms: 200, rounds: 1, starts: 1 }
    : { clients: 500, ms: 1_500, rounds: 4, starts: STARTS };
  const roundsByInFlight = new Map(IN_FLIGHT.map((inFlight) => [inFlight, newRounds()]));
  for (let start = 1; start <= size.starts; start += 1) {
    tell(`MQTT heartbeats of ${size.clients} controllers, start ${start} of ${size.starts}`);
    await runOnce(size, roundsByInFlight);
  }
  return [...roundsByInFlight].map(([inFlight, { subject, baseline }]) =>
    rateFinding(
      `MQTT heartbeats, QoS 1, ${size.clients} clients, ${inFlight} in flight`,
      0.5,
      { name: 'gateway', rounds: subject },
      { name: 'bare aedes', rounds: baseline },
    ),
  );
}

const newRounds = (): Rounds => ({ subject: [], baseline: [] });

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
