import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { MAIN_FILE } from '../built-program.ts';
import { type RunningServer, startServer } from './start-server.ts';

const manifest = z.object({ scripts: z.object({ start: z.string() }) });
const MANIFEST = new URL('../../package.json', import.meta.url);

export const newDataFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'farm-bench-'));

/** A gateway of its own, with an empty data folder that goes with it, and without limits of rates. */
export async function startBenchGateway(args: readonly string[] = []): Promise<RunningServer> {
  const data = await newDataFolder();
  const server = await startGatewayOn(data, args);
  return {
    ...server,
    async stop() {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** With these flags of Node a gateway collects its garbage whenever it gets SIGUSR2. */
export const COLLECTING = [
  '--expose-gc',
  '--import',
  new URL('load/collect-on-signal.ts', import.meta.url).href,
] as const;

/** A gateway on a data folder that stays, without limits of rates. */
export function startGatewayOn(
  data: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<RunningServer> {
  return startServer({ args: [...nodeFlags(), ...flags, MAIN_FILE, ...flagsFor(data), ...args] });
}

/** Any free ports, and no limits of rates and plans. */
export function flagsFor(data: string): string[] {
  const options = {
    data,
    host: '127.0.0.1',
    'http-port': '0',
    // many people on one box
    registration: 'open',
    'mqtt-port': '0',
    'https-port': 'off',
    'mqtts-port': 'off',
    'mqtt-messages-per-s': '0',
    'mqtt-connects-per-minute': '0',
    'local-plan': 'ENTERPRISE',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

const BARE = {
  'bare-aedes': new URL('servers/bare-aedes.ts', import.meta.url),
  'bare-door': new URL('servers/bare-door.ts', import.meta.url),
  'bare-express': new URL('servers/bare-express.ts', import.meta.url),
  'bare-farm': new URL('servers/bare-farm.ts', import.meta.url),
};

export function startBareServer(
  name: keyof typeof BARE,
  args: readonly string[] = [],
): Promise<RunningServer> {
  return startServer({ args: [fileURLToPath(BARE[name]), ...args] });
}

/** The flags `npm start` gives to Node; for a look at the hot spots BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=profiles". */
function nodeFlags(): string[] {
  const { scripts } = manifest.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const ofStart = scripts.start.split(' ').filter((word) => /^--(?!import$)/.test(word));
  const more = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  return [...ofStart, ...more];
}
