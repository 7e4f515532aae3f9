import { type BenchOptions, type Finding, inTurn, rateFinding } from './finding.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import type { MqttLoad } from './load/mqtt-load.ts';
import { provision } from './provision.ts';
import { startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

/** Heartbeats over MQTT at QoS 1, against aedes alone with the same clients, packets and an in-process subscriber. */
export async function mqttHeartbeats({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick ? { clients: 20, ms: 200, rounds: 1 } : { clients: 500, ms: 1_500, rounds: 9 };
  const gateway = await startBenchGateway();
  const bare = await startBareServer('bare-aedes');
  const load = startRemote<MqttLoad>(new URL('load/mqtt-load.ts', import.meta.url));
  try {
    tell(`${size.clients} controllers get their keys`);
    const { controllers } = await provision(gateway.http, { count: size.clients, prefix: 'mqtt' });
    const clients = controllers.map(({ mqtt_id, key }) => ({ mqtt_id, key }));
    await load.call('connect', { crowd: 'gateway', ...addressOf(gateway), clients });
    await load.call('connect', { crowd: 'bare', ...addressOf(bare), clients });
    const findings: Finding[] = [];
    for (const inFlight of [1, 10]) {
      tell(`MQTT heartbeats, ${inFlight} in flight`);
      const { ms } = size;
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => load.call('run', { crowd: 'gateway', inFlight, ms }),
        () => load.call('run', { crowd: 'bare', inFlight, ms }),
      );
      findings.push(
        rateFinding(
          `MQTT heartbeats, QoS 1, ${size.clients} clients, ${inFlight} in flight`,
          0.5,
          { name: 'gateway', rounds: subject },
          { name: 'bare aedes', rounds: baseline },
        ),
      );
    }
    return findings;
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

function addressOf({ mqtt, pid }: RunningServer): { host: string; port: number; serverPid: number } {
  const { hostname, port } = new URL(mqtt);
  return { host: hostname, port: Number(port), serverPid: pid };
}
