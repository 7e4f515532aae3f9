import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import canonicalize from 'canonicalize';
import { Client, types } from 'pg';
import { TABLES_IN_ORDER } from '#store/merge/shared-tables.ts';
import { codecOf } from '#store/row-codec.ts';
import { freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { type LinkProxy, openLinkProxy } from '../../scripts/hosted/link-proxy.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import type { WriterJob, Written } from '../../scripts/versions/farm-writer.ts';
import type { VersionPackage } from '../../scripts/versions/version-package.ts';
import { type StartedGateway, startGateway, until } from '../real/started-gateway.ts';
import { lastingPort } from '../support/lasting-port.ts';

// A gateway and processes of a hosted instance, each of a version of its own, and all that is written on either side.

type Row = Record<string, unknown>;
/** By table and id. */
type Rows = Map<string, Row>;

const LOGIN = { email: 'dona@nuvem.example', password: 'camarao-do-norte-1998' };
const MEMBER = { email: 'tecnico@nuvem.example', password: 'camarao-do-norte-1999' };

/** Accounts stand otherwise on a gateway, on purpose; `updated_at` follows whatever else changed. */
const NOT_COMPARED = new Set(['users', 'subscriptions']);
/** What the running program itself writes: it must be alike on both sides, and not as it was written here. */
const PROGRAMS_OWN: Readonly<Record<string, readonly string[]>> = {
  control_points: ['shadow', 'lock_out'],
  orders: ['state'],
  alerts: ['status', 'value'],
};

export type TwoVersions = Awaited<ReturnType<typeof startTwoVersions>>;

export async function startTwoVersions(versions: {
  gateway: VersionPackage;
  /** Of each process. */
  hosted: readonly VersionPackage[];
}) {
  const database: TestDatabase = await freshDatabase();
  const args = ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'];
  const hosted: StartedGateway[] = [];
  const versionOf = new Map<StartedGateway, VersionPackage>();
  for (const version of versions.hosted) {
    const process = await startGateway({ args, version });
    hosted.push(process);
    versionOf.set(process, version);
  }
  const gateway = await startGateway({
    version: versions.gateway,
    env: { LOCAL_PLAN: 'ENTERPRISE' },
    args: ['--registration', 'open'],
  });
  versionOf.set(gateway, versions.gateway);
  const [first] = hosted;
  if (first === undefined) throw new Error('a hosted instance has a process');
  // the gateway goes by the balancer; to which process that leads is told here
  const port = await lastingPort();
  let line: LinkProxy = await openLinkProxy({ port: first.ports.http }, {}, { port });

  const ownerOf = async ({ call }: StartedGateway, login: typeof LOGIN) => {
    const made = await call('POST', '/auth/register', { body: { ...login, name: 'Dona', role: 'OWNER' } });
    const session = await call('POST', '/auth/login', { body: { ...login, remember_me: true } });
    return { id: String((made.body as Row)['id']), token: String((session.body as Row)['access_token']) };
  };
  const owner = await ownerOf(first, LOGIN);
  const member = await ownerOf(first, MEMBER);
  const gatewayId = await pairGateway({
    data: gateway.data,
    link: `http://127.0.0.1:${port}`,
    hosted: first.http,
    ownerToken: owner.token,
    program: versions.gateway.main,
  });
  // the first versions hear of a pairing by the command line at their next start
  await gateway.stop();
  await gateway.start();
  const ask = async (path: string, body: Row): Promise<Row> => {
    const answer = await first.call('POST', path, { token: owner.token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as Row;
  };
  const farmId = String((await ask('/farms/', { name: 'Norte', timezone: 'America/Fortaleza' }))['id']);
  await ask(`/sync/gateways/${gatewayId}/farms`, { farm_id: farmId });
  const ledger: Rows = new Map();
  let round = 0;

  /** Rows of every table that this version knows, made and edited on one side while the gateway is off. */
  async function write(
    at: 'gateway' | StartedGateway,
    what: Pick<WriterJob, 'make' | 'edit'>,
  ): Promise<void> {
    round += 1;
    await gateway.stop();
    const side = at === 'gateway' ? gateway : at;
    const version = versionOf.get(side);
    if (version === undefined) throw new Error('a process of no version');
    const job: WriterJob = {
      ...(at === 'gateway' ? { sqlite: join(gateway.data, 'farm.db') } : { postgres: database.url }),
      farmId,
      ownerId: owner.id,
      memberId: member.id,
      round,
      ...what,
    };
    for (const { table, id, fields } of await runWriter(version, job)) {
      const key = `${table} ${id}`;
      ledger.set(key, { ...ledger.get(key), ...fields });
    }
    await gateway.start();
  }

  async function onBoth(): Promise<{ here: Rows; there: Rows }> {
    const sqlite = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true });
    const client = await connected(database.url);
    try {
      const [here, there]: Rows[] = [new Map(), new Map()];
      for (const { name } of TABLES_IN_ORDER) {
        if (NOT_COMPARED.has(name)) continue;
        keep(
          here ?? new Map(),
          name,
          isThere(sqlite, name) ? sqlite.prepare(`select * from ${name}`).all() : [],
        );
        const found = await client
          .query(`select * from ${name} where to_regclass('${name}') is not null`)
          .catch(() => ({ rows: [] }));
        keep(there ?? new Map(), name, found.rows);
      }
      return { here: here ?? new Map(), there: there ?? new Map() };
    } finally {
      sqlite.close();
      await client.end();
    }
  }

  /** All that either side had to say by now was heard by the other; the program goes on writing meanwhile. */
  async function settle(): Promise<void> {
    const [, sent = 0, , told = 0, , more = 0] = await heads();
    const isHeard = ([pushed = 0, , heard = 0, , taken = 0]: readonly number[]) =>
      pushed >= sent && heard >= told && taken >= more;
    await until(heads, isHeard, 180_000);
  }
  async function heads(): Promise<number[]> {
    const sqlite = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true });
    const client = await connected(database.url);
    try {
      const here = sqlite.prepare('select * from sync_stream where stream_id = 1').get() as Row;
      const { rows } = await client.query('select * from sync_stream where stream_id > 1');
      const there = (rows[0] ?? {}) as Row;
      const points = [
        [there['in_core_seq'], here['core_seq']],
        [here['in_core_seq'], there['core_seq']],
        [there['in_history_seq'], here['history_seq']],
      ];
      return points.flat().map(Number);
    } finally {
      sqlite.close();
      await client.end();
    }
  }

  /** Rows and fields that are not alike on both sides, or not as they were last written. */
  async function differences(): Promise<string[]> {
    const { here, there } = await onBoth();
    const found: string[] = [];
    const named = new Set([...here.values(), ...there.values()].map((row) => row['address_id']));
    for (const key of new Set([...here.keys(), ...there.keys(), ...ledger.keys()])) {
      const [table = '', id = ''] = key.split(' ');
      // nobody is told of an address that no farm names any more
      if (table === 'addresses' && !named.has(id)) continue;
      const [a, b] = [here.get(key), there.get(key)];
      // what is of no farm is that instance's own, or for a person of it alone
      if ((table === 'logs' || table === 'notifications') && (a ?? b)?.['farm_id'] === null) continue;
      const written = ledger.get(key) ?? {};
      for (const field of fieldsIn(table)) {
        const [own, other] = [text(a?.[field]), text(b?.[field])];
        if (own !== other) found.push(`${key} ${field}: here ${own}, there ${other}`);
        else if (field in written && !isOfProgram(table, field) && own !== text(written[field]))
          found.push(`${key} ${field}: ${own}, and was written ${text(written[field])}`);
      }
    }
    return found.slice(0, 40);
  }

  /** What is kept aside on either side, and what the gateway shows of it. */
  async function keptAside(): Promise<string[]> {
    const sqlite = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true });
    const client = await connected(database.url);
    try {
      const here = sqlite.prepare('select * from sync_parked').all() as Row[];
      const { rows } = await client.query('select * from sync_parked');
      const line = (side: string) => (row: Row) =>
        `${side} ${String(row['stream_id'])} ${String(row['entity'])} ${String(row['row_id'])}: ${String(row['reason'])}`;
      return [...here.map(line('here')), ...(rows as Row[]).map(line('there'))];
    } finally {
      sqlite.close();
      await client.end();
    }
  }

  await until(
    () => onFarm(gateway, (sqlite) => sqlite.prepare('select id from farms where id = ?').get(farmId)),
    (found) => found !== undefined,
    120_000,
  );
  return {
    gateway,
    hosted,
    ledger,
    write,
    settle,
    differences,
    keptAside,
    /** The line leads to another process. */
    async leadTo(process: StartedGateway): Promise<void> {
      await line.close();
      line = await openLinkProxy({ port: process.ports.http }, {}, { port });
    },
    /** Ends, and starts again as another version on the same data. */
    async upgrade(process: StartedGateway, version: VersionPackage): Promise<void> {
      await process.stop();
      process.upgradeTo(version);
      versionOf.set(process, version);
      await process.start();
    },
    async close(): Promise<void> {
      await gateway.close();
      for (const process of hosted) await process.close();
      await line.close();
      await database.drop();
    },
  };
}

async function runWriter(version: VersionPackage, job: WriterJob): Promise<Written[]> {
  const child = spawn(process.execPath, [version.writer], {
    cwd: version.root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(job));
  const exited = once(child, 'exit');
  const written: Written[] = [];
  for await (const line of createInterface({ input: child.stdout }))
    written.push(JSON.parse(line) as Written);
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`the writer of ${version.root} ended with ${code}`);
  return written;
}

/** Its larger numbers are numbers too, as the program reads them. */
async function connected(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === types.builtins.INT8 ? Number : types.getTypeParser(type, format as 'text'),
    },
  });
  await client.connect();
  return client;
}

function onFarm<Answer>({ data }: StartedGateway, look: (sqlite: BetterSqlite.Database) => Answer): Answer {
  const sqlite = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
  try {
    return look(sqlite);
  } finally {
    sqlite.close();
  }
}

const isThere = (sqlite: BetterSqlite.Database, table: string): boolean =>
  sqlite.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`).get(table) !== undefined;

function keep(rows: Rows, table: string, stored: unknown[]): void {
  const resource = TABLES_IN_ORDER.find(({ name }) => name === table);
  if (resource === undefined) return;
  // rows of tables, read by column name
  for (const row of stored as Row[]) rows.set(`${table} ${String(row['id'])}`, codecOf(resource).decode(row));
}

const fieldsIn = (table: string): string[] => {
  const resource = TABLES_IN_ORDER.find(({ name }) => name === table);
  return Object.keys(resource?.row.shape ?? {}).filter((field) => field !== 'updated_at');
};

function isOfProgram(table: string, field: string): boolean {
  const resource = TABLES_IN_ORDER.find(({ name }) => name === table);
  return (PROGRAMS_OWN[table] ?? []).some((group) => resource?.groups[group]?.fields.includes(field));
}

/** Whatever the order of its names: of objects only what they say is compared. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : (canonicalize(value ?? null) ?? 'null');
