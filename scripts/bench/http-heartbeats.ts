import { type BenchOptions, type Finding, inTurn, rateFinding } from './finding.ts';
import { startBareServer, startBenchGateway } from './gateway.ts';
import type { HttpClients, HttpLoad } from './load/http-load.ts';
import { type Provisioned, provision } from './provision.ts';
import { startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const PATH = '/api/v1/devices/heartbeat';

/** Heartbeats over HTTP, with and without a key, against express alone that parses the body and sends it back. */
export async function httpHeartbeats({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick ? { connections: 4, ms: 200, rounds: 1 } : { connections: 32, ms: 1_500, rounds: 9 };
  const gateway = await startBenchGateway();
  const bare = await startBareServer('bare-express');
  const load = startRemote<HttpLoad>(new URL('load/http-load.ts', import.meta.url));
  try {
    // a device that used its key once is refused without it, so each way has controllers of its own
    const count = size.connections;
    const keyed = await provision(gateway.http, { count, prefix: 'keyed' });
    const plain = await provision(gateway.http, { count, prefix: 'plain' });
    const findings: Finding[] = [];
    for (const [how, controllers] of [
      ['with key', keyed.controllers],
      ['without key', plain.controllers],
    ] as const) {
      tell(`HTTP heartbeats ${how}`);
      const clients = clientsOf(controllers, how === 'with key');
      await load.call('connect', { crowd: `gateway ${how}`, ...addressOf(gateway), clients });
      await load.call('connect', { crowd: `bare ${how}`, ...addressOf(bare), clients });
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => load.call('run', { crowd: `gateway ${how}`, ms: size.ms }),
        () => load.call('run', { crowd: `bare ${how}`, ms: size.ms }),
      );
      findings.push(
        rateFinding(
          `HTTP heartbeats ${how}, ${count} connections`,
          0.6,
          { name: 'gateway', rounds: subject },
          { name: 'bare express 5', rounds: baseline },
        ),
      );
    }
    return findings;
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
  }
}

function clientsOf(controllers: readonly Provisioned[], isKeyed: boolean): HttpClients['clients'] {
  return controllers.map(({ device_id, key }) => ({ device_id, key: isKeyed ? key : null }));
}

function addressOf({ http, pid }: RunningServer) {
  const { hostname, port } = new URL(http);
  return { host: hostname, port: Number(port), serverPid: pid, path: PATH };
}
