import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { types } from 'pg';
import { fastFolder } from '#test/fast-folder.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { type StartedGateway, startGateway, until } from '../../../test/real/started-gateway.ts';
import { type ReplicaState, readState } from '../../../test/sync/sim/replica-state.ts';
import type { Side } from '../../../test/sync/sim/things.ts';
import { type LinkProxy, openLinkProxy } from '../../hosted/link-proxy.ts';
import { pairGateway } from '../../hosted/pair-gateway.ts';
import { TODAY, type VersionPackage } from '../../versions/version-package.ts';
import { onDatabase, openDatabaseLife } from './database-life.ts';

// A gateway, two processes of a hosted instance on one PostgreSQL, and the line between them: programs, each killed and
// started by itself, and read past themselves.

const OWNER = { email: 'dona@nuvem.example', password: 'camarao-do-norte-1998' };

export type Reply = { status: number; body: Record<string, unknown> | null; etag: string | null };
type Row = Record<string, unknown>;
export type Heads = { isLevel: boolean; text: string };

export type Farm = Awaited<ReturnType<typeof openFarm>>;

export async function openFarm() {
  const root = mkdtempSync(join(fastFolder(), 'farm-rounds-'));
  const database = await openDatabaseLife();
  const hostedArgs = ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'];
  const env = { JWT_SECRET: 'as-long-as-a-secret-of-two-processes-has-to-be' };
  const startHosted = (name: string) => startGateway({ args: hostedArgs, env, data: join(root, name) });
  const hosted: [StartedGateway, StartedGateway] = [
    await startHosted('hosted-0'),
    await startHosted('hosted-1'),
  ];
  const gateway = await startGateway({
    data: join(root, 'gateway'),
    env: { LOCAL_PLAN: 'ENTERPRISE' },
    args: ['--registration', 'open'],
  });
  const port = await lastingPort();
  const leading = { to: 0 };
  let line: LinkProxy = await openLinkProxy({ port: hosted[0].ports.http }, {}, { port });
  const clones = new Set<StartedGateway>();

  async function logIn(at: StartedGateway): Promise<string> {
    const { body } = await at.call('POST', '/auth/login', { body: { ...OWNER, remember_me: true } });
    const { access_token } = body as { access_token?: string };
    if (access_token === undefined) throw new Error(`no login: ${JSON.stringify(body)}`);
    return access_token;
  }
  await hosted[0].call('POST', '/auth/register', { body: { ...OWNER, name: 'Dona', role: 'OWNER' } });
  const plan = spawnSync(
    process.execPath,
    [
      TODAY.main,
      'admin',
      'set-plan',
      ...hostedArgs.slice(0, 4),
      '--email',
      OWNER.email,
      '--plan',
      'ENTERPRISE',
    ],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );
  if (plan.status !== 0) throw new Error(`no plan: ${plan.stdout}${plan.stderr}`);
  const tokens = { hosted: await logIn(hosted[0]), gateway: '' };
  const pair = () =>
    pairGateway({
      data: gateway.data,
      link: `http://127.0.0.1:${port}`,
      hosted: hosted[leading.to]?.http ?? '',
      ownerToken: tokens.hosted,
    });
  const gatewayId = await pair();
  const made = await hosted[0].call('POST', '/farms/', {
    token: tokens.hosted,
    body: { name: 'Norte', timezone: 'America/Fortaleza' },
  });
  const farmId = String((made.body as Row)['id']);
  await hosted[0].call('POST', `/sync/gateways/${gatewayId}/farms`, {
    token: tokens.hosted,
    body: { farm_id: farmId },
  });
  await until(
    () => onCard((card) => card.prepare('select id from farms where id = ?').get(farmId)),
    (found) => found !== undefined,
    60_000,
  );
  tokens.gateway = await logIn(gateway);

  function onCard<Answer>(look: (card: BetterSqlite.Database) => Answer): Answer {
    const card = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true, timeout: 5_000 });
    try {
      return look(card);
    } finally {
      card.close();
    }
  }

  /** One request to a side, once: whoever gets no answer knows nothing. */
  async function send(
    side: Side,
    method: string,
    path: string,
    { body, etag, process = leading.to }: { body?: unknown; etag?: string | null; process?: number } = {},
  ): Promise<Reply> {
    const at = side === 'gateway' ? gateway : hosted[process];
    const response = await fetch(`${at?.http}/api/v1${path}`, {
      method,
      signal: AbortSignal.timeout(10_000),
      headers: {
        Connection: 'close',
        Authorization: `Bearer ${tokens[side]}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(etag === undefined || etag === null ? {} : { 'If-Match': etag }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Row) : null;
    return { status: response.status, body: json, etag: response.headers.get('etag') };
  }

  /** How far each side is, and what it has heard of the other. */
  async function heads(): Promise<Heads> {
    const here = onCard((card) => card.prepare('select * from sync_stream where stream_id = 1').get()) as Row;
    const there = await onDatabase(database.url, async (client) => {
      const { rows } = await client.query('select * from sync_stream where stream_id > 1 order by stream_id');
      return (rows.at(-1) ?? {}) as Row;
    });
    const points = [
      [there['in_core_seq'], here['core_seq']],
      [here['acked_core_seq'], here['core_seq']],
      [here['in_core_seq'], there['core_seq']],
      [there['in_history_seq'], here['history_seq']],
      [here['acked_history_seq'], here['history_seq']],
    ].map(([a, b]) => [Number(a), Number(b)]);
    const text = JSON.stringify([here['epoch'], there['epoch'], points, here['resync']]);
    const isLevel = here['resync'] === null && Number(here['epoch']) === Number(there['epoch']);
    return { isLevel: isLevel && points.every(([a, b]) => a === b), text };
  }

  const readGateway = async (): Promise<ReplicaState> => {
    const card = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true, timeout: 5_000 });
    try {
      card.exec('begin');
      // rows of tables, by column name
      return await readState(async (sql) => card.prepare(sql).all() as Row[]);
    } finally {
      card.close();
    }
  };
  const readHosted = (): Promise<ReplicaState> =>
    onDatabase(database.url, async (client) => {
      // larger numbers are numbers too, as the program reads them
      client.setTypeParser(types.builtins.INT8, Number);
      await client.query('begin isolation level repeatable read read only');
      return readState(async (sql) => (await client.query(sql)).rows as Row[]);
    });

  return {
    root,
    database,
    hosted,
    gateway,
    farmId,
    leading,
    send,
    heads,
    pair,
    onCard,
    line: () => line,
    /** At a moment when neither writes: once the heads have not moved. */
    states: async () => ({ gateway: await readGateway(), hosted: await readHosted() }),
    /** The balancer leads to another process. */
    async leadTo(process: number): Promise<void> {
      await line.close();
      leading.to = process;
      line = await openLinkProxy({ port: hosted[process]?.ports.http ?? 0 }, {}, { port });
    },
    /** What is kept of the card, as after a power cut: the gateway is dead meanwhile. */
    copyCard(to: string): void {
      rmSync(to, { recursive: true, force: true });
      cpSync(gateway.data, to, { recursive: true });
    },
    returnCard(from: string): void {
      rmSync(gateway.data, { recursive: true, force: true });
      cpSync(from, gateway.data, { recursive: true });
    },
    /** A second box with a copy of this one's card. */
    async startClone(from: string): Promise<StartedGateway> {
      const data = `${from}.clone`;
      cpSync(from, data, { recursive: true });
      const clone = await startGateway({ data, env: { LOCAL_PLAN: 'ENTERPRISE' } });
      clones.add(clone);
      return clone;
    },
    async endClone(clone: StartedGateway): Promise<void> {
      clones.delete(clone);
      const { data } = clone;
      await clone.close();
      rmSync(data, { recursive: true, force: true });
    },
    /** Starts again as another version on the same data. */
    async become(process: StartedGateway, version: VersionPackage): Promise<void> {
      await process.stop();
      process.upgradeTo(version);
      await process.start();
    },
    /** For whoever looks at it later. */
    keepEvidence(folder: string): void {
      mkdirSync(folder, { recursive: true });
      for (const name of readdirSync(gateway.data).filter((file) => file.startsWith('farm.db')))
        cpSync(join(gateway.data, name), join(folder, name));
    },
    async close(): Promise<void> {
      for (const process of [gateway, ...hosted, ...clones]) await process.close();
      await line.close();
      await database.close();
      if (existsSync(root)) rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Until neither side has anything to tell the other, twice in a row; false: that never came. */
export async function atRest(farm: Farm, withinMs: number): Promise<string | null> {
  const deadline = performance.now() + withinMs;
  let [before, asked] = ['', 0];
  for (;;) {
    let now: Heads;
    try {
      now = await farm.heads();
    } catch (error) {
      now = { isLevel: false, text: String(error) };
    }
    if (now.isLevel && now.text === before) return null;
    before = now.isLevel ? now.text : '';
    if (performance.now() > deadline) return now.text;
    if (!now.isLevel && performance.now() - asked > 400) {
      asked = performance.now();
      await farm.send('gateway', 'POST', '/sync/now', { body: {} }).catch(() => undefined);
    }
    await pause(now.isLevel ? 120 : 40);
  }
}
