import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningServer, startServer } from './start-server.ts';

const MAIN = fileURLToPath(new URL('../../gateway/main.ts', import.meta.url));

/** A gateway of its own, with an empty data folder that goes with it, and without limits of rates. */
export async function startBenchGateway(args: readonly string[] = []): Promise<RunningServer> {
  const data = await mkdtemp(join(tmpdir(), 'farm-bench-'));
  const options = {
    data,
    host: '127.0.0.1',
    'http-port': '0',
    'mqtt-port': '0',
    'mqtt-messages-per-s': '0',
    'mqtt-connects-per-minute': '0',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await startServer({ args: [...nodeFlags(), MAIN, ...flags, ...args] });
  return {
    ...server,
    async stop() {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export function startBareServer(name: 'bare-aedes' | 'bare-express'): Promise<RunningServer> {
  return startServer({ args: [fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))] });
}

/** For a look at the hot spots: BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=profiles". */
function nodeFlags(): string[] {
  return (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
}
