import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

// Rehearses a restore to a point in time: a base backup is copied into a folder of its own, the archived WAL is played
// back over it by a PostgreSQL on another port, and what comes out is compared with the database that still runs. Neither
// the backup nor the running database is touched.
//   node scripts/hosted/rehearse-restore.ts BASE WAL INTO
// as the user who may read both and is not root. Settings: PGBIN (folder of `postgres`), PORT (54329), UNTIL (a time, by
// default all that was archived), DATABASE_URL of the restored one (with its database, user and password; host and port
// are replaced) and COMPARE_URL of the running one.

export type Rehearsal = {
  base: string;
  wal: string;
  into: string;
  bin: string;
  port: number;
  /** As PostgreSQL reads a time; null: to the end of the archive. */
  until: string | null;
  /** How to log in to what was restored. */
  url: string;
  /** null: nothing to compare with. */
  compareUrl: string | null;
};

export type Rehearsed = { tables: number; rows: number; differing: string[]; seconds: number };

export async function rehearseRestore(plan: Rehearsal): Promise<Rehearsed> {
  if (existsSync(plan.into)) throw new Error(`${plan.into} is there already; name a folder that is not`);
  if (!existsSync(join(plan.base, 'PG_VERSION'))) throw new Error(`${plan.base} is no base backup`);
  const startedAt = performance.now();
  cpSync(plan.base, plan.into, { recursive: true, verbatimSymlinks: true });
  chmodSync(plan.into, 0o700);
  rmSync(join(plan.into, 'postmaster.pid'), { force: true });
  writeFileSync(join(plan.into, 'recovery.signal'), '');
  appendFileSync(join(plan.into, 'postgresql.auto.conf'), settingsOf(plan));
  const server = spawn(join(plan.bin, 'postgres'), ['-D', plan.into, '-p', String(plan.port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    const url = new URL(plan.url);
    url.hostname = '127.0.0.1';
    url.port = String(plan.port);
    url.search = '';
    await recovered(url.href, server);
    const restored = await sumsOf(url.href);
    const running = plan.compareUrl === null ? restored : await sumsOf(plan.compareUrl);
    return {
      tables: restored.size,
      rows: [...restored.values()].reduce((all, { rows }) => all + rows, 0),
      differing: [...new Set([...restored.keys(), ...running.keys()])]
        .filter((table) => restored.get(table)?.sum !== running.get(table)?.sum)
        .toSorted(),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    server.kill('SIGINT');
    await ended;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function settingsOf({ wal, until }: Rehearsal): string {
  return [
    '',
    `restore_command = ${quoted(`cp "${wal}/%f" "%p"`)}`,
    ...(until === null ? [] : [`recovery_target_time = ${quoted(until)}`]),
    "recovery_target_action = 'promote'",
    // a rehearsal archives nothing over the real one, and is no cluster's
    "archive_mode = 'off'",
    // nobody reads before the end, so it need not be as large as the running one
    "hot_standby = 'off'",
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    '',
  ].join('\n');
}

/** Until all of the WAL asked for is in, and the server takes writes. */
async function recovered(url: string, server: ReturnType<typeof spawn>): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error('PostgreSQL ended before the restore was done; what it said stands above');
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ busy: boolean }>('select pg_is_in_recovery() as busy');
      if (rows[0]?.busy === false) return;
    } catch (error) {
      // 57P03: it is still starting; no code of its own: it does not listen yet
      const { code = '' } = error as { code?: string };
      if (!['57P03', 'ECONNREFUSED', 'ECONNRESET'].includes(code)) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await pause(200);
  }
}

type Sums = Map<string, { rows: number; sum: string }>;

/** Of every table how many rows it has, and a sum that does not depend on their order. */
async function sumsOf(url: string): Promise<Sums> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // one moment for all of them
    await client.query('begin isolation level repeatable read read only');
    const tables = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
    );
    const sums: Sums = new Map();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ rows: string; sum: string | null }>(
        `select count(*) as rows, sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint) as sum from ${name} t`,
      );
      sums.set(name, { rows: Number(rows[0]?.rows), sum: `${rows[0]?.rows} ${rows[0]?.sum}` });
    }
    return sums;
  } finally {
    await client.end();
  }
}

if (import.meta.main) {
  const [base, wal, into] = process.argv.slice(2);
  const { PGBIN = '', PORT = '54329', UNTIL = null, DATABASE_URL, COMPARE_URL = null } = process.env;
  if (base === undefined || wal === undefined || into === undefined || DATABASE_URL === undefined)
    throw new Error('say where the base backup, the archived WAL and the new folder are, and DATABASE_URL');
  const done = await rehearseRestore({
    base,
    wal,
    into,
    bin: PGBIN,
    port: Number(PORT),
    until: UNTIL,
    url: DATABASE_URL,
    compareUrl: COMPARE_URL,
  });
  console.log(`${done.tables} tables, ${done.rows} rows, restored in ${done.seconds} s`);
  if (done.differing.length > 0) console.log(`not as in the running database: ${done.differing.join(', ')}`);
  process.exitCode = done.differing.length > 0 ? 1 : 0;
}
