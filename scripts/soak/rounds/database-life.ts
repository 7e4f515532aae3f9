import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { type Cluster, postgresForRun } from '#test/postgres-cluster.ts';

// A PostgreSQL that fails over: a base backup taken while it runs takes its place, as another timeline.

export type DatabaseLife = {
  url: string;
  /** Every process of it is killed; it comes up again with all that it had confirmed. */
  crash(): Promise<void>;
  /** Keeps a copy of it as it is now. */
  keepImage(): Promise<void>;
  hasImage(): boolean;
  /** The copy takes over. What was committed since is lost; while `work` runs nobody but it has been let in. */
  failOver(): Promise<void>;
  close(): Promise<void>;
};

export async function openDatabaseLife(): Promise<DatabaseLife> {
  const cluster: Cluster = await postgresForRun();
  const { data, owner } = await onDatabase(cluster.url, async (client) => {
    // what was confirmed outlives the process; the machine itself does not fail here
    await client.query('alter database postgres set synchronous_commit = on');
    const { rows } = await client.query<{ data: string }>("select current_setting('data_directory') as data");
    const folder = rows[0]?.data ?? '';
    const pid = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0];
    return {
      data: folder,
      owner: spawnSync('stat', ['-c', '%u:%g', `/proc/${pid}`], { encoding: 'utf8' }).stdout.trim(),
    };
  });
  const image = join(dirname(data), 'image');
  return {
    url: cluster.url,
    async crash() {
      await cluster.crash();
      await cluster.restart();
    },
    async keepImage() {
      rmSync(image, { recursive: true, force: true });
      await onDatabase(cluster.url, async (client) => {
        await client.query("select pg_backup_start('image', true)");
        cpSync(data, image, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (from) => !from.endsWith('postmaster.pid'),
        });
        const { rows } = await client.query<{ label: string }>(
          'select labelfile as label from pg_backup_stop(false)',
        );
        writeFileSync(join(image, 'backup_label'), rows[0]?.label ?? '');
      });
      // the last of the log that the copy needs was written by the stop
      cpSync(join(data, 'pg_wal'), join(image, 'pg_wal'), { recursive: true, force: true });
      spawnSync('chown', ['-R', owner, image]);
    },
    hasImage: () => existsSync(image),
    async failOver() {
      await cluster.crash();
      renameSync(data, `${data}.gone`);
      cpSync(image, data, { recursive: true, verbatimSymlinks: true });
      writeFileSync(join(data, 'recovery.signal'), '');
      appendFileSync(
        join(data, 'postgresql.auto.conf'),
        "restore_command = 'false'\nrecovery_target_action = 'promote'\n",
      );
      chmodSync(data, 0o700);
      spawnSync('chown', ['-R', owner, data]);
      await cluster.restart();
      rmSync(`${data}.gone`, { recursive: true, force: true });
      await onDatabase(cluster.url, async (client) => {
        for (;;) {
          const { rows } = await client.query<{ busy: boolean }>('select pg_is_in_recovery() as busy');
          if (rows[0]?.busy === false) return;
        }
      });
    },
    close: () => cluster.stop(),
  };
}

export async function onDatabase<Answer>(
  url: string,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
