import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import * as z from 'zod';
import { type Cluster, postgresForRun } from '#test/postgres-cluster.ts';
import { MAIN_FILE } from '../built-program.ts';
import { asPerson, type Person } from '../demo/interface.ts';
import { type Line, type LinkProxy, openLinkProxy } from '../hosted/link-proxy.ts';
import { pairGateway } from '../hosted/pair-gateway.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { addPonds, type Provisioned, provisionFolder } from './provision.ts';
import { type RunningServer, startServer } from './start-server.ts';

// A farm and its hosted instance on PostgreSQL, as programs, with a line between them.

const PASSWORD = 'camarao-da-nuvem';
const FAST: Line = { roundTripMs: 0, bytesPerSecond: null };

export type Cloud = {
  cluster: Cluster;
  folder: string;
  processes: RunningServer[];
  /** One process more. */
  add: () => Promise<RunningServer>;
  stop: () => Promise<void>;
};

/** A durable PostgreSQL with so many processes of a hosted instance on it, without limits of rates. */
export async function startCloud(count: number): Promise<Cloud> {
  const [cluster, folder] = [await postgresForRun({ durable: true }), await newDataFolder()];
  const processes: RunningServer[] = [];
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
  async function add(): Promise<RunningServer> {
    const started = await startProcess(cluster.url, join(folder, `${processes.length}`));
    processes.push(started);
    return started;
  }
  try {
    for (let n = 0; n < count; n += 1) await add();
  } catch (error) {
    await stop();
    throw error;
  }
  return { cluster, folder, processes, add, stop };
}

async function startProcess(databaseUrl: string, data: string): Promise<RunningServer> {
  await mkdir(data, { recursive: true });
  const options = { role: 'hosted', data, host: '127.0.0.1', 'http-port': '0', 'rate-limits': 'no' };
  const flags = Object.entries({ ...options, 'database-url': databaseUrl });
  return startServer({
    args: [...profiled(), MAIN_FILE, ...flags.flatMap(([name, value]) => [`--${name}`, value])],
  });
}

const profiled = () => (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');

export type PairedFarm = {
  cloud: Cloud;
  link: LinkProxy;
  data: string;
  gateway: RunningServer;
  /** Owner of the farm at the hosted instance, and the manager of it at the gateway. */
  owner: Person;
  manager: Person;
  ownerToken: string;
  farmIds: string[];
  controlPointIds: string[];
  controllers: Provisioned[];
  pondIds: string[];
  /** Waits until neither side has anything to tell the other. */
  untilLevel: (withinMs: number) => Promise<void>;
  stopGateway: () => Promise<void>;
  startGateway: () => Promise<RunningServer>;
  stop: () => Promise<void>;
};

const ids = z.array(z.object({ id: z.string() }));

/** A farm with control points and ponds, paired by the ceremony; the line is fast until somebody makes it slow. */
export async function startPairedFarm(size: { controlPoints: number; ponds: number }): Promise<PairedFarm> {
  const [cloud, data] = [await startCloud(1), await newDataFolder()];
  const hosted = cloud.processes[0];
  if (hosted === undefined) throw new Error('no hosted instance');
  const link = await openLinkProxy({ port: Number(new URL(hosted.http).port) }, FAST);
  const made = await provisionFolder(data, { count: size.controlPoints, prefix: 'far' }, (base, owner) =>
    addPonds(base, { token: owner.token, farmId: owner.farms[0] ?? '', count: size.ponds }),
  );
  const state = { gateway: await startGatewayOn(data) };
  const stop = async () => {
    await link.close();
    await state.gateway.stop();
    await cloud.stop();
    await rm(data, { recursive: true, force: true });
  };
  try {
    const ownerToken = await newAccount(hosted.http);
    const owner = asPerson(hosted.http, ownerToken);
    const address = `http://127.0.0.1:${link.port}`;
    await pairGateway({ data, link: address, hosted: hosted.http, ownerToken });
    const untilLevel = (withinMs: number) => level(cloud.cluster.url, data, withinMs);
    await untilLevel(60_000);
    return {
      cloud,
      link,
      data,
      get gateway() {
        return state.gateway;
      },
      owner,
      // each start has another port
      get manager() {
        return asPerson(state.gateway.http, made.token);
      },
      ownerToken,
      farmIds: made.farms,
      controllers: made.controllers,
      controlPointIds: made.controllers.map(({ controlPointId }) => controlPointId),
      pondIds: (await owner.get('/ponds/', ids)).map(({ id }) => id),
      untilLevel,
      stopGateway: () => state.gateway.stop(),
      async startGateway() {
        state.gateway = await startGatewayOn(data);
        return state.gateway;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An OWNER of that hosted instance, logged in. */
export async function newAccount(base: string): Promise<string> {
  const anyone = asPerson(base, null);
  const account = { email: 'dona@fazenda.example', name: 'Dona', password: PASSWORD };
  await anyone.send('POST', '/auth/register', { ...account, role: 'OWNER' });
  const login = z.object({ access_token: z.string() });
  return (await anyone.post('/auth/login', { ...account, remember_me: true }, login)).access_token;
}

export type Points = { core: number; history: number };

/** How far the log of a gateway goes, and what it has applied of the other. */
export function gatewayPoints(data: string): Points & { cursor: number } {
  const connection = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
  try {
    const row = connection
      .prepare('select core_seq, history_seq, in_core_seq from sync_stream where stream_id = 1')
      .get();
    const { core_seq, history_seq, in_core_seq } = gatewayRow.parse(row);
    return { core: core_seq, history: history_seq, cursor: in_core_seq };
  } finally {
    connection.close();
  }
}

const gatewayRow = z.object({ core_seq: z.number(), history_seq: z.number(), in_core_seq: z.number() });
const point = (name: string) => ({ [`${name}_seq`]: z.number(), [`${name}_chain`]: z.string() });
const ownRow = z.object({ gateway_id: z.string(), epoch: z.number() });

/** Under which name and epoch a gateway is known, and what it asks with. */
export function ownStream(data: string) {
  const connection = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
  try {
    const row = connection.prepare('select * from sync_stream where stream_id = 1').get();
    const pointOf = (name: string) => {
      const found = z.object(point(name)).parse(row);
      return { seq: found[`${name}_seq`], chain: found[`${name}_chain`] };
    };
    const acked = { core: pointOf('acked_core'), history: pointOf('acked_history') };
    return { ...ownRow.parse(row), cursor: pointOf('in_core'), acked };
  } finally {
    connection.close();
  }
}

// PostgreSQL's bigint comes as text
const hostedRow = z.object({
  in_core_seq: z.coerce.number(),
  in_history_seq: z.coerce.number(),
  core_seq: z.coerce.number(),
});

/** What a hosted instance has applied of its only gateway, and how far the feed goes. */
export async function hostedPoints(client: Client): Promise<Points & { feed: number }> {
  const { rows } = await client.query(
    'select in_core_seq, in_history_seq, core_seq from sync_stream where stream_id > 1',
  );
  const { in_core_seq, in_history_seq, core_seq } = hostedRow.parse(rows[0]);
  return { core: in_core_seq, history: in_history_seq, feed: core_seq };
}

export async function onDatabase<Answer>(
  url: string,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function level(url: string, data: string, withinMs: number): Promise<void> {
  return onDatabase(url, async (client) => {
    const deadline = performance.now() + withinMs;
    for (let still = 0; still < 3; ) {
      const [here, there] = [gatewayPoints(data), await hostedPoints(client)];
      const isLevel =
        here.core === there.core &&
        here.history === there.history &&
        here.cursor === there.feed &&
        here.core > 0;
      still = isLevel ? still + 1 : 0;
      if (performance.now() > deadline) throw new Error(`not level: ${JSON.stringify({ here, there })}`);
      await pause(100);
    }
  });
}
