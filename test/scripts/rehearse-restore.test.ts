import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lastingPort } from '#test/lasting-port.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { type Cluster, postgresForRun } from '#test/postgres-cluster.ts';
import { until } from '../real/started-gateway.ts';

// A base backup and the WAL that was archived since, brought back into a second folder beside the running database.

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describeOnPostgres('a restore to a point in time', () => {
  let cluster: Cluster;
  let client: Client;
  let root: string;
  let bin: string;
  let before: string;
  beforeAll(async () => {
    cluster = await postgresForRun({ durable: true });
    root = mkdtempSync(join(tmpdir(), 'rehearsal-'));
    const wal = join(root, 'wal');
    mkdirSync(wal);
    for (const folder of [root, wal]) giveTo(folder);
    await connect();
    await client.query("alter system set archive_mode = 'on'");
    await client.query(`alter system set archive_command = 'cp "%p" "${wal}/%f"'`);
    await client.end();
    await cluster.crash();
    await cluster.restart();
    await connect();
    await client.query('create table ponds (id int primary key, cod text)');
    await client.query("insert into ponds values (1, 'V-1')");
    const data = String((await client.query('show data_directory')).rows[0].data_directory);
    await client.query("select pg_backup_start('rehearsal', true)");
    const base = join(root, 'base');
    cpSync(data, base, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !/postmaster\.pid$|pg_wal\/./.test(from),
    });
    const { rows } = await client.query('select labelfile from pg_backup_stop()');
    writeFileSync(join(base, 'backup_label'), String(rows[0].labelfile));
    spawnSync('chown', ['-R', isRoot ? `${NOBODY}:${NOBODY}` : '', base]);
    await client.query("insert into ponds values (2, 'V-2')");
    before = String((await client.query('select clock_timestamp()::text as now')).rows[0].now);
    await client.query('delete from ponds');
    await client.query('select pg_switch_wal()');
    await until(
      async () => (await client.query('select archived_count::int as n from pg_stat_archiver')).rows[0],
      ({ n }) => Number(n) > 1,
    );
    const pid = Number((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
    bin = dirname(readlinkSync(`/proc/${pid}/exe`));
  });
  afterAll(async () => {
    await client?.end();
    await cluster?.stop();
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  });

  async function connect(): Promise<void> {
    client = new Client({ connectionString: cluster.url });
    client.on('error', () => undefined);
    await client.connect();
  }

  function giveTo(folder: string): void {
    chmodSync(folder, 0o755);
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
  }

  const rehearse = async (into: string, settings: Record<string, string>) =>
    spawnSync(
      process.execPath,
      ['scripts/hosted/rehearse-restore.ts', join(root, 'base'), join(root, 'wal'), join(root, into)],
      {
        encoding: 'utf8',
        timeout: 100_000,
        env: {
          ...process.env,
          PGBIN: bin,
          PORT: String(await lastingPort()),
          DATABASE_URL: cluster.url,
          ...settings,
        },
        ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
      },
    );

  it('brings everything back as it stands in the running database', async () => {
    const { status, stdout, stderr } = await rehearse('all', { COMPARE_URL: cluster.url });
    expect({ status, stdout, stderr: status === 0 ? '' : stderr }).toEqual({
      status: 0,
      stdout: expect.stringContaining('1 tables, 0 rows'),
      stderr: '',
    });
  });

  it('brings back what was deleted after the time asked for, and tells that the running one differs', async () => {
    const { status, stdout } = await rehearse('earlier', { COMPARE_URL: cluster.url, UNTIL: before });
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(/1 tables, 2 rows[^]*ponds/),
    });
  });

  it('writes over nothing', async () => {
    const { status, stderr } = await rehearse('base', {});
    expect(status).toBe(1);
    expect(stderr).toContain('is there already');
    expect(readdirSync(join(root, 'base'))).toContain('backup_label');
  });
});
