import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { whyNoPostgres } from '#test/postgres-cluster.ts';
import { openLinkProxy } from '../../scripts/hosted/link-proxy.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { type StartedGateway, startGateway, until } from './started-gateway.ts';

// A hosted instance of several processes whose database is reached through PgBouncer, as those who host use it. In
// transaction mode it listens for nobody, so what the processes say to each other goes past it.

/** Debian's package pgbouncer. Without it these tests are skipped. */
const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => existsSync(file));
const NOBODY = 65_534;
const NOTICED_WITHIN_MS = 60_000;

type Ready = { ready: boolean; checks: { bus?: { ok: boolean; detail?: string } } };

describe.skipIf(PGBOUNCER === undefined || whyNoPostgres() !== null)('processes of a hosted instance', () => {
  let database: TestDatabase;
  let pooler: Awaited<ReturnType<typeof startPooler>>;
  beforeAll(async () => {
    database = await freshDatabase();
    pooler = await startPooler(database.url);
  });
  afterAll(async () => {
    pooler?.stop();
    await database?.drop();
  });

  it('behind PgBouncer alone says that it hears nobody, and is not ready', async () => {
    const lonely = await hosted(['--database-url', pooler.url]);
    try {
      const { status, body } = await lonely.call('GET', '/readyz');
      expect({ status, bus: (body as Ready).checks.bus }).toMatchObject({
        status: 503,
        bus: { ok: false, detail: expect.stringContaining('--bus-database-url') },
      });
      await until(
        () => lonely.lines.filter((line) => line.includes('transaction mode')).length,
        (count) => count === 1,
        NOTICED_WITHIN_MS,
      );
    } finally {
      await lonely.close();
    }
  });

  it('hear each other when what they say goes past it, and the work through it', async () => {
    const processes = await Promise.all(
      [0, 1].map(() => hosted(['--database-url', pooler.url, '--bus-database-url', database.url])),
    );
    const [here, there] = processes;
    if (here === undefined || there === undefined) throw new Error('two were started');
    try {
      for (const one of processes) expect((await one.call('GET', '/readyz')).status).toBe(200);
      const login = { email: 'ana@nuvem.example', password: 'lagoa-do-norte-9' };
      await here.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
      const answer = await there.call('POST', '/auth/login', { body: login });
      const token = String((answer.body as { access_token: unknown }).access_token);
      expect((await here.call('POST', '/auth/logout', { token })).status).toBeLessThan(300);
      await until(
        async () => (await there.call('GET', '/users/me', { token })).status,
        (status) => status === 401,
        NOTICED_WITHIN_MS,
      );
    } finally {
      for (const one of processes) await one.close();
    }
  });

  it('notice a line that stands and carries nothing, and hear each other again when it carries', async () => {
    const direct = new URL(database.url);
    const line = await openLinkProxy({ port: Number(direct.port) });
    direct.port = `${line.port}`;
    direct.hostname = '127.0.0.1';
    const one = await hosted(['--database-url', database.url, '--bus-database-url', direct.href]);
    const status = async () => (await one.call('GET', '/readyz')).status;
    try {
      expect(await status()).toBe(200);
      line.swallow();
      await until(status, (now) => now === 503, NOTICED_WITHIN_MS);
      line.restore();
      await until(status, (now) => now === 200, 2 * NOTICED_WITHIN_MS);
    } finally {
      await one.close();
      await line.close();
    }
  });
});

const hosted = (args: readonly string[]): Promise<StartedGateway> =>
  startGateway({ args: ['--role', 'hosted', '--rate-limits', 'no', ...args] });

/** PgBouncer in transaction mode in front of a database. */
async function startPooler(databaseUrl: string) {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
  chmodSync(folder, 0o755);
  const ownPort = await lastingPort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 10
ignore_startup_parameters = extra_float_digits,options
`,
  );
  // it refuses to run as root
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child: ChildProcess = spawn(PGBOUNCER ?? '', [file], { ...owner, stdio: 'ignore' });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = `${ownPort}`;
  await until(
    () => isOpen(ownPort),
    (open) => open,
  );
  return {
    url: url.href,
    stop() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((open) => {
    socket.destroy();
    return open === true;
  });
}
