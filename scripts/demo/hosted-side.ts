import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type Cluster, postgresForRun } from '#test/postgres-cluster.ts';
import { type RunningServer, startServer } from '../bench/start-server.ts';
import { MAIN_FILE } from '../built-program.ts';
import { type LinkProxy, openLinkProxy } from '../hosted/link-proxy.ts';
import { pairGateway } from '../hosted/pair-gateway.ts';
import { asPerson, type Person } from './interface.ts';
import { FARM } from './make-farm.ts';

// The other half of the demo: a hosted instance, and the line between it and the farm.

const FARM_WITHIN_MS = 60_000;
const SAVED_AS = 'demo-hosted.json';
const saved = z.object({ engine: z.enum(['sqlite', 'postgres']), link_port: z.number() });
type Saved = z.infer<typeof saved>;

export const HOSTED_OWNER = {
  name: 'Marina Duarte',
  email: 'cloud@fazenda.example',
  language: 'en',
} as const;

export type HostedSide = {
  http: string;
  link: LinkProxy;
  folder: string;
  /** Known only when the account was made just now. */
  password: string | null;
  ended: Promise<void>;
  /** By the ceremony, unless the gateway of the folder is paired with it already. */
  pair: () => Promise<void>;
  stop: () => Promise<void>;
};

export type HostedOptions = {
  /** Folder of the gateway; the hosted instance gets one in it. */
  data: string;
  host: string;
  httpPort: string;
  isPostgres: boolean;
  onLine: (line: string) => void;
};

/** Starts it, as it was left when it was on SQLite. PostgreSQL is a throw-away one: the farm is paired anew then. */
export async function startHostedSide(options: HostedOptions): Promise<HostedSide> {
  const folder = join(options.data, 'hosted');
  const engine = options.isPostgres ? 'postgres' : 'sqlite';
  const before = await readSaved(folder);
  const isKept = before?.engine === 'sqlite' && engine === 'sqlite';
  if (!isKept) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const cluster = options.isPostgres ? await postgresForRun() : null;
  try {
    const server = await startServer({ args: argsOf(options, folder, cluster), onLine: options.onLine });
    const password = isKept ? null : randomBytes(9).toString('base64url');
    const link = await openLinkProxy(
      { port: Number(new URL(server.http).port) },
      {},
      { port: before?.link_port ?? 0 },
    );
    return {
      http: server.http,
      link,
      folder,
      password,
      ended: server.ended,
      async pair() {
        if (password === null) return;
        if (before !== null) await node(MAIN_FILE, 'pair', '--unpair', '--data', options.data);
        await pairWith({ options, server, link, password, cluster, folder });
        const now: Saved = { engine, link_port: link.port };
        await writeFile(join(folder, SAVED_AS), `${JSON.stringify(now)}\n`);
      },
      async stop() {
        await link.close();
        await server.stop();
        await cluster?.stop();
      },
    };
  } catch (error) {
    await cluster?.stop();
    throw error;
  }
}

async function readSaved(folder: string): Promise<Saved | null> {
  const file = join(folder, SAVED_AS);
  return existsSync(file) ? saved.parse(JSON.parse(await readFile(file, 'utf8'))) : null;
}

function argsOf({ host, httpPort }: HostedOptions, folder: string, cluster: Cluster | null): string[] {
  const place = { role: 'hosted', data: folder, host, 'http-port': httpPort };
  const flags = Object.entries(place).flatMap(([name, value]) => [`--${name}`, value]);
  return [MAIN_FILE, ...flags, ...databaseOf(cluster)];
}

const databaseOf = (cluster: Cluster | null) => (cluster === null ? [] : ['--database-url', cluster.url]);

async function pairWith(to: {
  options: HostedOptions;
  server: RunningServer;
  link: LinkProxy;
  password: string;
  cluster: Cluster | null;
  folder: string;
}): Promise<void> {
  const { email } = HOSTED_OWNER;
  const anyone = asPerson(to.server.http, null);
  const login = z.object({ access_token: z.string() });
  await anyone.send('POST', '/auth/register', { ...HOSTED_OWNER, role: 'OWNER', password: to.password });
  const { access_token } = await anyone.post('/auth/login', { email, password: to.password }, login);
  // a farm of this size is not a free one
  const plan = ['set-plan', '--email', email, '--plan', 'ENTERPRISE', '--role', 'hosted'];
  await node(MAIN_FILE, 'admin', ...plan, '--data', to.folder, ...databaseOf(to.cluster));
  await pairGateway({
    data: to.options.data,
    link: `http://127.0.0.1:${to.link.port}`,
    hosted: to.server.http,
    ownerToken: access_token,
    name: FARM.name,
  });
  await untilFarmIsThere(asPerson(to.server.http, access_token));
}

const gatewaysWithFarms = z.array(z.object({ farms: z.array(z.unknown()) }));

/** The gateway looks every few seconds whether it was claimed, and tells its farm then. */
async function untilFarmIsThere(owner: Person): Promise<void> {
  const deadline = Date.now() + FARM_WITHIN_MS;
  for (;;) {
    const gateways = await owner.get('/sync/gateways', gatewaysWithFarms);
    if (gateways.some(({ farms }) => farms.length > 0)) return;
    if (Date.now() > deadline) throw new Error('the farm did not reach the hosted instance');
    await pause(200);
  }
}

async function node(...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args);
}
